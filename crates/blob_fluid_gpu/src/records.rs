//! Records that are copied to the GPU, in the layout of `shaders/common.wgsl`, and the records of
//! loads.

use blob_fluid::device::{
    DeviceCoefficients, DeviceSleeping, DeviceTick, DeviceWall, LoadBearer, NO_TEMPERATURE,
};
use blob_fluid::{Container, FluidBounds, FluidShape, Liquid};
use bytemuck::{Pod, Zeroable};
use glam::{IVec2, UVec2, Vec2};

use crate::grid::Grid;

/// Number of classes with room.
pub(crate) const CLASSES: usize = 256;

/// The settings of a substep. Its fields, including those of nested records, are those of `Params`
/// in `shaders/common.wgsl`, in the same order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Params {
    coefficients: DeviceCoefficients,
    wall: DeviceWall,
    low: [f32; 2],
    high: [f32; 2],
    /// Cells per length, across and up.
    per_cell: [f32; 2],
    centre: [f32; 2],
    axis: [f32; 2],
    half_size: [f32; 2],
    kill_low: [f32; 2],
    kill_high: [f32; 2],
    column_origin: [f32; 2],
    down: [f32; 2],
    first_bin: [i32; 2],
    bins: [u32; 2],
    sleeping: DeviceSleeping,
    tick: f32,
    count: u32,
    columns: u32,
    rows: u32,
    cells: u32,
    fastest: f32,
    container: u32,
    classes: u32,
    /// Time at the end of the tick, as [`ParticleRecord::time_of_death`] counts it.
    now: u32,
    most_in_cell: u32,
    tile_columns: u32,
    first_rest: u32,
    beds: u32,
    fullest: u32,
    padding: [u32; 3],
}

/// The state of a liquid at the end of a tick that the passes need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TickEnd<'a> {
    pub container: Option<&'a Container>,
    pub kill_bounds: Option<FluidBounds>,
    /// Simulated time, in seconds.
    pub time: f64,
    pub count: u32,
}

impl Params {
    /// Offset of the number of particles, in bytes.
    pub(crate) const COUNT_OFFSET: u64 = std::mem::offset_of!(Self, count) as u64;

    /// The settings of the substeps of a tick, without sleeping.
    pub(crate) fn new(tick: &DeviceTick, grid: &Grid, end: TickEnd<'_>) -> Self {
        let FluidBounds { low: kill_low, high: kill_high } =
            end.kill_bounds.unwrap_or(FluidBounds::ALL);
        let c = &tick.coefficients;
        let container = end.container;
        let (kind, half_size) = match container.map(Container::shape) {
            Some(FluidShape::Rectangle { half_size }) => (1, *half_size),
            Some(FluidShape::Circle { radius }) => (2, Vec2::splat(*radius)),
            _ => (0, Vec2::ZERO),
        };
        // The reach is not 0, because distances are divided by it.
        let none = DeviceWall { reach: 1.0, temperature: NO_TEMPERATURE, ..DeviceWall::default() };
        Self {
            // Shaders may assume finite numbers.
            coefficients: DeviceCoefficients { most_push: c.most_push.min(c.most_impulse), ..*c },
            wall: container.map_or(none, |container| c.wall(container.wall())),
            low: grid.low.into(),
            high: grid.high.into(),
            per_cell: grid.per_cell.into(),
            centre: container.map_or(Vec2::ZERO, Container::centre).into(),
            axis: container.map_or(Vec2::X, Container::rotation).into(),
            half_size: half_size.into(),
            kill_low: kill_low.clamp(-Vec2::MAX, Vec2::MAX).into(),
            kill_high: kill_high.clamp(-Vec2::MAX, Vec2::MAX).into(),
            tick: tick.time_step,
            count: end.count,
            columns: grid.size.x,
            rows: grid.size.y,
            cells: grid.cells(),
            fastest: (2.0 * c.reach / c.time_step).min(f32::MAX),
            container: kind,
            classes: tick.classes.len() as u32,
            now: (end.time * LIVES_PER_SECOND) as u64 as u32,
            // Without a container particles may leave the grid, and its outermost cells are large.
            most_in_cell: container.map_or(u32::MAX, |_| grid.most_in_cell(c.interaction_radius)),
            tile_columns: grid.tiles().x,
            ..Self::default()
        }
    }

    /// With these bins of columns. `beds` is whether liquid is damped relative to the beds of columns.
    pub(crate) fn with_columns(self, frame: &Frame, beds: bool) -> Self {
        Self {
            beds: beds.into(),
            column_origin: frame.origin.into(),
            down: frame.down.into(),
            first_bin: frame.first.into(),
            bins: frame.size.into(),
            fullest: frame.fullest,
            ..self
        }
    }

    /// With sleeping. Places of rest begin at index `first_rest` of the extras.
    pub(crate) fn with_sleeping(self, sleeping: DeviceSleeping, first_rest: u32) -> Self {
        Self { sleeping, first_rest, ..self }
    }
}

/// A particle in the layout of the passes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ParticleRecord {
    pub position: [f32; 2],
    pub velocity: [f32; 2],
    pub displacement: [f32; 2],
    pub id: u32,
    /// The class, the [time of death](Self::time_of_death), whether it sleeps, and
    /// [`OUT_OF_PLAY`](Self::OUT_OF_PLAY).
    pub kind: u32,
    pub resistance: f32,
    pub relative_density: f32,
}

impl ParticleRecord {
    /// Set for particles that were quarantined or removed.
    pub(crate) const OUT_OF_PLAY: u32 = 1 << 31;

    /// The bits of `kind` for a particle that dies `seconds` after `time`; 0 for an unlimited
    /// lifetime. A lifetime beyond [`LONGEST_LIFE`] is cut to it.
    pub(crate) fn time_of_death(time: f64, seconds: Option<f32>) -> u32 {
        let Some(seconds) = seconds else { return 0 };
        let seconds = f64::from(seconds.clamp(0.0, LONGEST_LIFE));
        let dies = ((time + seconds) * LIVES_PER_SECOND).ceil() as u64 as u32 & LIFE_MASK;
        // 0 means never.
        dies.max(1) << LIFE_SHIFT
    }

    /// Its remaining lifetime at a time, in seconds.
    pub(crate) fn lifetime(self, time: f64) -> Option<f32> {
        let dies = self.kind >> LIFE_SHIFT & LIFE_MASK;
        let now = (time * LIVES_PER_SECOND) as u64 as u32;
        let left = dies.wrapping_sub(now) & LIFE_MASK;
        let left = if left > LIFE_MASK / 2 { 0 } else { left };
        (dies != 0).then_some(left as f32 / LIVES_PER_SECOND as f32)
    }
}

/// Number of units of lifetime per second.
const LIVES_PER_SECOND: f64 = 256.0;
/// The longest lifetime, in seconds: half of the period after which times repeat.
pub(crate) const LONGEST_LIFE: f32 = 4000.0;
const LIFE_SHIFT: u32 = 8;
const LIFE_MASK: u32 = 0x1f_ffff;

/// The temperature of a particle, and its exposure to classes with which it reacts.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct WarmthRecord {
    pub temperature: f32,
    /// From 0 to 1. It is negative if the temperature is relative to that of new particles of the class.
    pub exposure: f32,
}

impl From<WarmthRecord> for [f32; 2] {
    fn from(WarmthRecord { temperature, exposure }: WarmthRecord) -> Self {
        [temperature, exposure]
    }
}

impl WarmthRecord {
    /// The record of a particle without its own temperature.
    pub(crate) const OF_CLASS: Self = Self { temperature: 0.0, exposure: -1.0 };
}

// The place of the bins of columns of liquid.

/// Number of bins that is always allowed, even for few particles.
const FEW_BINS: u64 = 1 << 14;

/// The place of the bins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub origin: Vec2,
    pub down: Vec2,
    /// Column and row of the first bin, and the numbers of columns and rows. If the grid has far
    /// more bins than particles, distant bins share an entry. Then the liquid may seem deeper.
    pub first: IVec2,
    pub size: UVec2,
    pub fullest: u32,
}

impl Frame {
    /// The bins over a grid, for `count` places of particles. Without gravity, the result has no
    /// bins.
    pub(crate) fn over(grid: &Grid, liquid: &Liquid, count: u32) -> Self {
        let Some(columns) = liquid.device_columns() else { return Self::default() };
        let (radius, down) = (liquid.parameters().interaction_radius(), columns.down);
        let origin = columns.origin.unwrap_or(grid.low);
        let corners = [grid.low, grid.high, Vec2::new(grid.low.x, grid.high.y)];
        let corners = corners.into_iter().chain([Vec2::new(grid.high.x, grid.low.y)]);
        let bins = corners.map(|corner| {
            let offset = (corner - origin) / radius;
            Vec2::new(offset.dot(down.perp()), offset.dot(down))
        });
        let (low, high) = bins.fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(low, high), bin| {
            (low.min(bin), high.max(bin))
        });
        let far = Vec2::splat(1e9);
        let first = low.floor().clamp(-far, far).as_ivec2();
        let mut size = (high - low + 2.0).clamp(Vec2::ONE, far).as_uvec2();
        let most = u64::from(count).max(FEW_BINS);
        while u64::from(size.x) * u64::from(size.y) > most {
            let longer = if size.x > size.y { &mut size.x } else { &mut size.y };
            *longer = longer.div_ceil(2);
        }
        Self { origin, down, first, size, fullest: columns.fullest }
    }

    /// Number of bins, including one for the sums over all bins.
    pub(crate) fn bins(&self) -> u32 {
        self.size.element_product() + 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.size == UVec2::ZERO
    }
}

// The layout of load bearers and loads, as in `shaders/loads.wgsl`.

/// Entries of the head of the buffer `Bearers`.
pub(crate) const BEARERS_HEAD: u32 = 2;

/// Impulse (two components) and angular impulse, in steps.
pub(crate) type Steps = [i64; 3];

/// A bearer.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct BearerRecord {
    pub applied: Steps,
    pub inverse_mass: [f32; 2],
    pub inverse_inertia: f32,
    pub farthest: f32,
    pub substeps: u32,
    pad: u32,
    pub per_substep: [f32; 3],
    pad_of_row: u32,
}

/// Number of 32-bit words of a bearer in the buffer `Loads`.
pub(crate) const LOAD_WORDS: usize = 32;

/// The sums of each bearer since it got its row, as in a report.
pub(crate) type Borne = Vec<(LoadBearer, Steps)>;

/// A 64-bit number from two halves, the lower one first.
pub(crate) fn number_of_halves([low, high]: [u32; 2]) -> i64 {
    (u64::from(high) << 32 | u64::from(low)) as i64
}

/// The sums in a copy of the rows of these bearers.
pub(crate) fn borne_of(bytes: &[u8], bearers: &[Option<LoadBearer>]) -> Borne {
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(bytes);
    let rows = bearers.iter().zip(words.as_chunks::<LOAD_WORDS>().0);
    let sums = |words: &[u32; LOAD_WORDS]| {
        [0, 1, 2].map(|sum: usize| number_of_halves([words[2 * sum], words[2 * sum + 1]]))
    };
    rows.filter_map(|(bearer, words)| Some(((*bearer)?, sums(words)))).collect()
}

/// Bytes of a row of the buffer `Loads`.
pub(crate) const LOAD_BYTES: u64 = 4 * LOAD_WORDS as u64;

#[cfg(test)]
mod tests {
    use blob_fluid::device::{DeviceClass, DevicePair, DeviceThermal};

    use super::*;

    /// The names of a record's fields in order, with the fields of nested records in their place.
    fn fields(record: impl std::fmt::Debug) -> Vec<String> {
        let printed = format!("{record:#?}");
        let values = printed.lines().filter_map(|line| line.trim().split_once(": "));
        let leaves = values.filter(|(_, value)| {
            // Records of this project have named fields. Vectors and arrays have none.
            !value.ends_with(" {")
        });
        leaves.map(|(name, _)| name.to_owned()).collect()
    }

    /// The names of a structure's members in a shader, in order, with those of nested structures in
    /// their place. Also returns its size in bytes. Panics if a member is not at the place of
    /// Rust's layout.
    fn members(shader: &str, name: &str) -> (Vec<String>, usize) {
        let (_, rest) = shader.split_once(&format!("\nstruct {name} {{\n")).expect("declared");
        let (body, _) = rest.split_once("\n}").expect("closed");
        let (mut names, mut size) = (Vec::new(), 0usize);
        for line in body.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            let (member, kind) = line.trim_end_matches(',').split_once(": ").expect("a member");
            let (bytes, align) = match kind {
                "f32" | "u32" => (4, 4),
                "vec2f" | "vec2i" | "vec2u" => (8, 8),
                "array<vec4f, 3>" => (48, 16),
                nested => {
                    let (inner, bytes) = members(shader, nested);
                    names.extend(inner);
                    assert_eq!(size % 16, 0, "{name}.{member}");
                    size += bytes;
                    continue;
                }
            };
            assert_eq!(size % align, 0, "{name}.{member} is aligned differently");
            names.push(member.to_owned());
            size += bytes;
        }
        (names, size)
    }

    #[test]
    fn records_have_the_layout_of_the_shaders() {
        let shader = include_str!("shaders/common.wgsl");
        let (names, size) = members(shader, "Params");
        let mut params = fields(Params::default());
        assert_eq!(params.pop().as_deref(), Some("padding"));
        assert_eq!(params, names);
        assert_eq!(size.next_multiple_of(16), size_of::<Params>());
        assert_eq!(members(shader, "Class"), (fields(DeviceClass::default()), 48));
        assert_eq!(members(shader, "PairOfClasses"), (fields(DevicePair::default()), 32));
        assert_eq!((size_of::<DeviceClass>(), size_of::<DevicePair>()), (48, 32));
        assert_eq!(size_of::<DeviceThermal>(), 32, "two groups, which `thermal_at` unpacks");
        let particle = members(shader, "Particle");
        assert_eq!(particle, (fields(ParticleRecord::default()), size_of::<ParticleRecord>()));
    }

    #[test]
    fn lifetimes_are_right_when_their_count_begins_again() {
        for time in [0.0, 0.3, 8191.9, 8192.0, 12_345.678, 1e6] {
            for seconds in [0.0, 0.1, 3.0, 3999.0] {
                let kind = ParticleRecord::time_of_death(time, Some(seconds));
                let record = ParticleRecord { kind, ..ParticleRecord::default() };
                let left = record.lifetime(time).expect("mortal");
                assert!((left - seconds).abs() <= 2.0 / 256.0, "{left}, not {seconds}, at {time}");
                let later = record.lifetime(time + f64::from(seconds) + 1.0);
                assert_eq!(later, Some(0.0));
            }
            assert_eq!(ParticleRecord::time_of_death(time, None), 0);
        }
    }
}
