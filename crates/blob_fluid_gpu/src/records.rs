//! What is copied to the device, in the layout that `shaders/common.wgsl` declares.

use blob_fluid::{
    ClassId, Container, DeviceClass, DeviceCoefficients, DevicePair, DeviceReaction,
    DeviceSleeping, DeviceWall, FluidBounds, FluidShape, Liquid,
};
use bytemuck::{Pod, Zeroable};
use glam::{IVec2, UVec2, Vec2};

use crate::grid::Grid;

/// Number of classes that there is room for.
pub(crate) const CLASSES: usize = 256;

/// The settings of a substep.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct Params {
    count: u32,
    columns: u32,
    rows: u32,
    cells: u32,
    low: [f32; 2],
    high: [f32; 2],
    per_cell: [f32; 2],
    gravity: [f32; 2],
    preference: [f32; 2],
    centre: [f32; 2],
    axis: [f32; 2],
    half_size: [f32; 2],
    time_step: f32,
    radius: f32,
    inverse_radius: f32,
    coincidence: f32,
    limit: f32,
    stiff: f32,
    near_share: f32,
    kept: f32,
    faded: f32,
    tension: f32,
    cohesion_onset: f32,
    cohesion_slope: f32,
    cohesion_least: f32,
    held_weight: f32,
    per_squared_passing_speed: f32,
    strong_contrast: f32,
    least_contrast: f32,
    stable_exchange: f32,
    calm_drag: f32,
    inverse_calm_speed: f32,
    drag: f32,
    most_displacement: f32,
    unsticking_speed: f32,
    speed_unit: f32,
    reach: f32,
    fastest: f32,
    wall_drag: f32,
    wall_rest: f32,
    wall_reach: f32,
    impact_friction: f32,
    stick_per_step: f32,
    stick_reach: f32,
    wetting: f32,
    container: u32,
    classes: u32,
    /// Time at the end of the tick, as [`ParticleRecord::time_of_death`] counts it.
    now: u32,
    most_in_cell: u32,
    most_impulse: f32,
    kill_low: [f32; 2],
    kill_high: [f32; 2],
    compressed_from: f32,
    wall_temperature: f32,
    tile_columns: u32,
    still_speed: f32,
    moving_speed: f32,
    settling_time: f32,
    tick: f32,
    drift: f32,
    unsorted: f32,
    first_rest: u32,
    weight_drift: f32,
    still_temperature: f32,
    most_push: f32,
    beds: u32,
    column_origin: [f32; 2],
    down: [f32; 2],
    first_bin: [i32; 2],
    bins: [u32; 2],
    fullest: u32,
    attached_mass: f32,
    pad: [u32; 2],
    ghost: [f32; 12],
}

impl Params {
    /// The settings of substeps with these coefficients.
    pub(crate) fn of(
        coefficients: &DeviceCoefficients,
        container: Option<&Container>,
        grid: &Grid,
        count: u32,
        kill_bounds: Option<FluidBounds>,
        time: f64,
    ) -> Self {
        let FluidBounds { low: kill_low, high: kill_high } =
            kill_bounds.unwrap_or(FluidBounds::ALL);
        let c = coefficients;
        let (kind, half_size) = match container.map(Container::shape) {
            Some(FluidShape::Rectangle { half_size }) => (1, *half_size),
            Some(FluidShape::Circle { radius }) => (2, Vec2::splat(*radius)),
            _ => (0, Vec2::ZERO),
        };
        let wall = container.map_or(DeviceWall::default(), |container| c.wall(container.wall()));
        let mut ghost = [0.0; 12];
        ghost[..6].copy_from_slice(&c.ghost_density);
        ghost[6..].copy_from_slice(&c.ghost_near_density);
        Self {
            count,
            columns: grid.size.x,
            rows: grid.size.y,
            cells: grid.cells(),
            low: grid.low.into(),
            high: grid.high.into(),
            per_cell: grid.per_cell.into(),
            gravity: c.gravity.into(),
            preference: c.preference.into(),
            centre: container.map_or(Vec2::ZERO, Container::centre).into(),
            axis: container.map_or(Vec2::X, Container::rotation).into(),
            half_size: half_size.into(),
            time_step: c.time_step,
            radius: c.interaction_radius,
            inverse_radius: c.inverse_radius,
            coincidence: c.coincidence,
            limit: c.pressure_limit,
            stiff: c.stiff,
            near_share: c.near_share,
            kept: c.kept,
            faded: c.faded,
            tension: c.tension,
            cohesion_onset: c.cohesion_onset,
            cohesion_slope: c.cohesion_slope,
            cohesion_least: c.cohesion_least,
            held_weight: c.held_weight,
            per_squared_passing_speed: c.per_squared_passing_speed,
            strong_contrast: c.strong_contrast,
            least_contrast: c.least_contrast,
            stable_exchange: c.stable_exchange,
            calm_drag: c.calm_drag,
            inverse_calm_speed: c.inverse_calm_speed,
            drag: c.drag,
            most_displacement: c.most_displacement,
            unsticking_speed: c.unsticking_speed,
            speed_unit: c.speed_unit,
            reach: c.reach,
            fastest: (2.0 * c.reach / c.time_step).min(f32::MAX),
            wall_drag: wall.drag,
            wall_rest: wall.rest,
            // Never 0, because distances are divided by it.
            wall_reach: if container.is_some() { wall.reach } else { 1.0 },
            impact_friction: wall.impact_friction,
            stick_per_step: wall.stick_per_step,
            stick_reach: wall.stick_reach,
            wetting: wall.wetting,
            container: kind,
            classes: c.classes.len() as u32,
            now: (time * LIVES_PER_SECOND) as u64 as u32,
            // Without a container particles may leave the grid, and its outermost cells are large.
            most_in_cell: container.map_or(u32::MAX, |_| grid.most_in_cell(c.interaction_radius)),
            most_impulse: c.most_impulse,
            // Shaders may assume that no number is infinite.
            most_push: c.most_push.min(c.most_impulse),
            kill_low: kill_low.clamp(-Vec2::MAX, Vec2::MAX).into(),
            kill_high: kill_high.clamp(-Vec2::MAX, Vec2::MAX).into(),
            compressed_from: c.compressed_from,
            attached_mass: c.attached_mass,
            wall_temperature: wall.temperature.unwrap_or(NO_TEMPERATURE),
            tile_columns: grid.tiles().x,
            ghost,
            // Without sleeping.
            ..Self::default()
        }
    }

    /// With these bins of columns, where liquid is damped relative to the `beds` of columns or not.
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

    /// With sleeping in ticks of a length, in seconds, and places of rest from an index of the extras on.
    pub(crate) fn with_sleeping(
        self,
        sleeping: DeviceSleeping,
        tick: f32,
        first_rest: u32,
    ) -> Self {
        Self {
            still_speed: sleeping.still_speed,
            moving_speed: sleeping.moving_speed,
            settling_time: sleeping.settling_time,
            drift: sleeping.drift,
            unsorted: sleeping.unsorted,
            weight_drift: sleeping.weight_drift,
            still_temperature: sleeping.still_temperature,
            tick,
            first_rest,
            ..self
        }
    }
}

/// A particle as the passes keep it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct ParticleRecord {
    pub position: [f32; 2],
    pub velocity: [f32; 2],
    pub displacement: [f32; 2],
    pub id: u32,
    /// The class, [when it dies](Self::time_of_death), whether it sleeps, and [`OUT_OF_PLAY`](Self::OUT_OF_PLAY).
    pub kind: u32,
    pub resistance: f32,
    pub relative_density: f32,
}

impl ParticleRecord {
    /// Set for particles that were quarantined or removed.
    pub(crate) const OUT_OF_PLAY: u32 = 1 << 31;

    /// The bits of `kind` for a particle that dies `seconds` after `time`; 0 for one that does not die.
    /// What is longer than [`LONGEST_LIFE`] is cut to it.
    pub(crate) fn time_of_death(time: f64, seconds: Option<f32>) -> u32 {
        let Some(seconds) = seconds else { return 0 };
        let seconds = f64::from(seconds.clamp(0.0, LONGEST_LIFE));
        let dies = ((time + seconds) * LIVES_PER_SECOND).ceil() as u64 as u32 & LIFE_MASK;
        // 0 means never.
        dies.max(1) << LIFE_SHIFT
    }

    /// What is left of its life at a time, in seconds.
    pub(crate) fn lifetime(self, time: f64) -> Option<f32> {
        let dies = self.kind >> LIFE_SHIFT & LIFE_MASK;
        let now = (time * LIVES_PER_SECOND) as u64 as u32;
        let left = dies.wrapping_sub(now) & LIFE_MASK;
        let left = if left > LIFE_MASK / 2 { 0 } else { left };
        (dies != 0).then_some(left as f32 / LIVES_PER_SECOND as f32)
    }
}

/// Parts of a second in which lifetimes are counted.
const LIVES_PER_SECOND: f64 = 256.0;
/// The longest lifetime, in seconds: half of the time after which times repeat.
pub(crate) const LONGEST_LIFE: f32 = 4000.0;
const LIFE_SHIFT: u32 = 8;
const LIFE_MASK: u32 = 0x1f_ffff;

/// The coefficients of a class.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct ClassRecord {
    stiffness: f32,
    near_stiffness: f32,
    rest_density: f32,
    equilibrium_density: f32,
    equilibrium_packing: f32,
    mass: f32,
    inverse_mass: f32,
    ghost_density: f32,
    gravity_impulse: [f32; 2],
    weight: f32,
    crowded_from: f32,
}

impl From<&DeviceClass> for ClassRecord {
    fn from(class: &DeviceClass) -> Self {
        Self {
            stiffness: class.stiffness,
            near_stiffness: class.near_stiffness,
            rest_density: class.rest_density,
            equilibrium_density: class.equilibrium_density,
            equilibrium_packing: class.equilibrium_packing,
            mass: class.mass,
            inverse_mass: class.inverse_mass,
            ghost_density: class.ghost_density,
            gravity_impulse: class.gravity_impulse.into(),
            weight: class.weight,
            crowded_from: class.crowded_from,
        }
    }
}

/// The coefficients of a pair of classes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct PairRecord {
    approach: f32,
    quadratic: f32,
    linear: f32,
    limit: f32,
    attraction: f32,
    segregation: f32,
    most_contrast: f32,
    conductivity: f32,
}

impl From<&DevicePair> for PairRecord {
    fn from(pair: &DevicePair) -> Self {
        Self {
            approach: pair.approach,
            quadratic: pair.quadratic,
            linear: pair.linear,
            limit: pair.limit,
            attraction: pair.attraction,
            segregation: pair.segregation,
            most_contrast: pair.most_contrast,
            conductivity: pair.conductivity,
        }
    }
}

/// Stands for no temperature.
pub(crate) const NO_TEMPERATURE: f32 = 3e38;

/// The temperature of a particle, and its exposure to others that it reacts with.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub(crate) struct WarmthRecord {
    pub temperature: f32,
    /// From 0 to 1; negative for a particle whose temperature is on top of that of its class's new particles.
    pub exposure: f32,
}

impl From<WarmthRecord> for [f32; 2] {
    fn from(WarmthRecord { temperature, exposure }: WarmthRecord) -> Self {
        [temperature, exposure]
    }
}

impl WarmthRecord {
    /// Of a particle without a temperature of its own.
    pub(crate) const OF_CLASS: Self = Self { temperature: 0.0, exposure: -1.0 };
}

/// What heat does to a class.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct ThermalRecord {
    temperature: f32,
    conductivity: f32,
    cooling: f32,
    expansion: f32,
    ambient: f32,
    above: f32,
    below: f32,
    /// The class above, that below, and whether the class reacts, in eight bits each.
    becomes: u32,
}

impl ThermalRecord {
    /// The records of all classes.
    pub(crate) fn all(coefficients: &DeviceCoefficients) -> impl Iterator<Item = Self> + use<'_> {
        let DeviceCoefficients { classes, pairs, ambient_temperature, .. } = coefficients;
        let pairs_of = pairs.chunks(classes.len().max(1));
        classes.iter().zip(pairs_of).map(|(class, pairs)| {
            let thermal = &class.thermal;
            let reacts = pairs.iter().any(|pair| pair.reaction.is_some());
            let (above, becomes_above) = thermal.above.unwrap_or((NO_TEMPERATURE, ClassId(0)));
            let (below, becomes_below) = thermal.below.unwrap_or((-NO_TEMPERATURE, ClassId(0)));
            Self {
                temperature: thermal.temperature,
                conductivity: thermal.conductivity,
                cooling: thermal.cooling,
                expansion: thermal.expansion,
                ambient: *ambient_temperature,
                above,
                below,
                becomes: u32::from_le_bytes([
                    becomes_above.0,
                    becomes_below.0,
                    u8::from(reacts),
                    0,
                ]),
            }
        })
    }
}

/// What a particle becomes next to one of another class.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct ReactionRecord {
    /// 0 for none.
    rate: f32,
    temperature: f32,
    becomes: u32,
    pad: u32,
}

impl From<&DevicePair> for ReactionRecord {
    fn from(pair: &DevicePair) -> Self {
        let Some(DeviceReaction { rate, becomes, temperature }) = pair.reaction else {
            return Self::default();
        };
        let temperature = temperature.unwrap_or(NO_TEMPERATURE);
        Self { rate, temperature, becomes: becomes.0.into(), pad: 0 }
    }
}

// Where the bins of columns of liquid are.

/// Number of bins that may always be used, however few the particles.
const FEW_BINS: u64 = 1 << 14;

/// Where the bins are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub origin: Vec2,
    pub down: Vec2,
    /// Column and row of the first bin, and their numbers. If the grid has far more bins than there are particles,
    /// bins that are far apart share an entry, which may make the liquid seem deeper.
    pub first: IVec2,
    pub size: UVec2,
    pub fullest: u32,
}

impl Frame {
    /// The bins over a grid with so many places of particles. There are none without gravity.
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

    /// Number of bins, with the one for the sums over all.
    pub(crate) fn bins(&self) -> u32 {
        self.size.element_product() + 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.size == UVec2::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
