//! Regions in the layout of `shaders/regions.wgsl`, with the forces, drains and sensors that act in them.

use blob_fluid::shape::{Polygon, Polyline};
use blob_fluid::{ClassFilter, ClassId, FluidFalloff, FluidRegion, FluidShape, Force};
use glam::Vec2;
use wgpu::{Buffer, CommandEncoder, Device, Queue};

use crate::buffers::{Access, upload};
use crate::error::GpuError;
use crate::programs::{Pipeline, Shaders};

/// An entry of the buffer.
pub(crate) type Entry = [u32; 4];

/// Entries of a region, without its edges and pixels.
const REGION: usize = 4;
/// Entries of a force.
const FORCE: usize = 10;
/// Entries of a drain.
const DRAIN: usize = REGION + 4;
/// Entries of a sensor.
const SENSOR: usize = REGION + 2;

/// The entries of forces: their number, the forces, then edges and pixels.
pub(crate) fn force_entries(forces: &[Force]) -> Vec<Entry> {
    let mut entries = vec![[0; 4]; 1 + forces.len() * FORCE];
    entries[0][0] = forces.len() as u32;
    for (index, force) in forces.iter().enumerate() {
        let at = 1 + index * FORCE;
        put_region(&mut entries, at, force.region.as_ref());
        let along = force.conveyor.normalize_or_zero();
        let falloff = match force.falloff {
            FluidFalloff::Constant => 0,
            FluidFalloff::Linear => 1,
            FluidFalloff::Smooth => 2,
        };
        let rest = &mut entries[at + REGION..at + FORCE];
        rest[..2].copy_from_slice(&class_entries(force.classes));
        rest[2] = bits(force.centre, Vec2::new(force.attraction, force.swirl));
        rest[3] = bits(force.acceleration, force.wind);
        rest[4] =
            bits(Vec2::new(force.drag, force.grip), Vec2::new(force.conveyor.dot(along), 0.0));
        rest[4][3] = falloff;
        rest[5] = bits(along, Vec2::new(force.heat, 0.0));
    }
    entries
}

/// The entries of a drain.
pub(crate) fn drain_entries(
    region: &FluidRegion,
    classes: ClassFilter,
    [most, channel]: [u32; 2],
) -> Vec<Entry> {
    let mut entries = vec![[0; 4]; DRAIN];
    put_region(&mut entries, 0, Some(region));
    entries[REGION..REGION + 2].copy_from_slice(&class_entries(classes));
    entries[REGION + 2] = [most, channel, 0, 0];
    entries
}

/// The record of a drain that removes up to `most` of the oldest particles everywhere. It contains
/// the first of the ids that are counted in ranges, and the shift from an id to its range.
pub(crate) fn recycling_entries(most: u32, [first, shift]: [u32; 2]) -> [Entry; DRAIN] {
    let mut entries = [[0; 4]; DRAIN];
    entries[REGION + 2] = [most, 0, 1, shift];
    entries[REGION + 3] = [first, 0, 0, 0];
    entries
}

/// The entries of sensors: their head, the sensors, then edges and pixels. A missing sensor counts nothing.
pub(crate) fn sensor_entries<'a>(
    head: Entry,
    sensors: impl ExactSizeIterator<Item = Option<(&'a FluidRegion, ClassFilter)>>,
) -> Vec<Entry> {
    let mut entries = vec![[0; 4]; 1 + sensors.len() * SENSOR];
    entries[0] = head;
    for (index, sensor) in sensors.enumerate() {
        let Some((region, classes)) = sensor else { continue };
        let at = 1 + index * SENSOR;
        put_region(&mut entries, at, Some(region));
        entries[at + REGION..at + SENSOR].copy_from_slice(&class_entries(classes));
    }
    entries
}

/// The bits of a set of classes.
fn class_entries(classes: ClassFilter) -> [Entry; 2] {
    let mut entries = [[0; 4]; 2];
    for class in (0..=u8::MAX).filter(|class| classes.contains(ClassId(*class))) {
        let class = usize::from(class);
        entries[class / 128][class / 32 % 4] |= 1 << (class % 32);
    }
    entries
}

fn bits(a: Vec2, b: Vec2) -> Entry {
    [a.x, a.y, b.x, b.y].map(f32::to_bits)
}

/// Writes a region's entries at an index, and appends its edges or pixels.
fn put_region(entries: &mut Vec<Entry>, at: usize, region: Option<&FluidRegion>) {
    // Zeros mean everywhere.
    let Some(region) = region else { return };
    let shape = region.shape();
    let first = entries.len();
    let (kind, sizes) = match shape {
        FluidShape::Circle { radius } => (1, bits(Vec2::splat(*radius), Vec2::ZERO)),
        FluidShape::Rectangle { half_size } => (2, bits(*half_size, Vec2::ZERO)),
        FluidShape::Capsule { half_length, radius } => {
            (3, bits(Vec2::new(*half_length, *radius), Vec2::ZERO))
        }
        FluidShape::HalfPlane { normal } => (4, bits(*normal, Vec2::ZERO)),
        FluidShape::Polygon(polygon) => {
            put_rings(entries, polygon);
            (5, [0; 4])
        }
        FluidShape::Polyline(line) => {
            put_line(entries, line);
            (6, bits(Vec2::splat(0.5 * line.thickness()), Vec2::ZERO))
        }
        FluidShape::Field(field) => {
            let [columns, rows] = put_pixels(entries, shape, field.pixel());
            let [width, height] = field.pixel().to_array().map(f32::to_bits);
            (7, [width, height, columns, rows])
        }
    };
    let depth = shape.max_depth();
    let full = if depth.is_finite() { depth } else { -1.0 };
    let count = entries.len() - first;
    entries[at] = [kind, first as u32, count as u32, full.to_bits()];
    entries[at + 1] = bits(region.centre(), region.rotation());
    let bounds = region.bounds();
    // Shaders may assume finite numbers.
    let corner = |corner: Vec2| corner.clamp(-Vec2::MAX, Vec2::MAX);
    entries[at + 2] = bits(corner(bounds.low), corner(bounds.high));
    entries[at + 3] = sizes;
}

/// Skips edges of length 0, which have no direction. Their ends also belong to neighbouring edges.
fn put_edge(entries: &mut Vec<Entry>, from: Vec2, to: Vec2) {
    if from != to {
        entries.push(bits(from, to));
    }
}

fn put_rings(entries: &mut Vec<Entry>, polygon: &Polygon) {
    for ring in polygon.rings() {
        for (from, to) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            put_edge(entries, *from, *to);
        }
    }
}

fn put_line(entries: &mut Vec<Entry>, line: &Polyline) {
    for pair in line.points().windows(2) {
        put_edge(entries, pair[0], pair[1]);
    }
}

/// Appends the distances at the centres of a drawn shape's pixels. Returns their number across and up.
fn put_pixels(entries: &mut Vec<Entry>, shape: &FluidShape, pixel: Vec2) -> [u32; 2] {
    let half_size = shape.bounds().half_size();
    let pixels = (2.0 * half_size / pixel).round().as_uvec2();
    let distance = |index: u32| {
        let place = Vec2::new((index % pixels.x) as f32, (index / pixels.x) as f32) + 0.5;
        shape.distance(place * pixel - half_size).to_bits()
    };
    let distances: Vec<u32> = (0..pixels.element_product()).map(distance).collect();
    entries.extend(distances.chunks(4).map(|four| {
        let mut entry = [0; 4];
        entry[..four.len()].copy_from_slice(four);
        entry
    }));
    pixels.to_array()
}

// Forces on a device, and impulses.

/// The forces on the GPU, and the pass of impulses.
#[derive(Debug)]
pub(crate) struct Forces {
    sent: Option<Vec<Force>>,
    impulse: Pipeline,
}

impl Forces {
    pub(crate) fn new(device: &Device, shaders: &Shaders) -> Self {
        let parts = ["common", "finite", "region", "forces", "impulse"];
        let accesses = [Access::Write, Access::Read, Access::Write].into_iter();
        let impulse = Pipeline::new(device, "apply_impulse", shaders, &parts, accesses);
        Self { sent: None, impulse }
    }

    /// Records that the GPU has no forces.
    pub(crate) fn forget(&mut self) {
        self.sent = None;
    }

    /// Records that the GPU gets these forces.
    pub(crate) fn note(&mut self, forces: &[Force]) {
        self.sent = Some(forces.to_vec());
    }

    /// Whether the GPU has any forces.
    pub(crate) fn any(&self) -> bool {
        self.sent.as_ref().is_some_and(|forces| !forces.is_empty())
    }

    /// The entries of these forces, if the GPU has different ones.
    pub(crate) fn changed(&self, forces: &[Force]) -> Option<Vec<Entry>> {
        (self.sent.as_deref() != Some(forces)).then(|| force_entries(forces))
    }

    /// Records an impulse. `groups` are the work groups of a pass over all particles.
    pub(crate) fn encode_impulse(
        &self,
        device: &Device,
        queue: &Queue,
        encoder: &mut CommandEncoder,
        force: &Force,
        [params, particles, warmth]: [&Buffer; 3],
        groups: (u32, u32),
    ) -> Result<(), GpuError> {
        let entries = force_entries(std::slice::from_ref(force));
        let bytes = bytemuck::cast_slice(&entries);
        let regions = upload(device, queue, "impulse", bytes)?;
        let binding = self.impulse.bind(device, [params, particles, &regions, warmth].into_iter());
        self.impulse.record(encoder, &binding, groups);
        Ok(())
    }
}
