//! The part of a view in which a surface is drawn: strips around its particles. The number of
//! shaded pixels therefore grows with the liquid, and not with the air between its parts.
//!
//! The CPU finds the strips. A shader would need storage buffers, which WebGL2 lacks.

use bevy::math::{DMat3, DVec3};
use bevy::prelude::*;
use bytemuck::{Pod, Zeroable};

use crate::render::gpu::Places;

/// The width of a cell is a multiple of this, in pixels. It is even, so that each block of 2 x 2
/// pixels, which GPUs shade together, belongs to one strip.
const CELL_STEP: f32 = 8.0;
/// Width of a cell, as a fraction of the distance up to which a particle is visible. Narrower cells
/// follow the liquid more closely, but cost more time.
const CELL_PART: f32 = 0.2;
/// Limit of the distance up to which a particle is visible, in pixels. It is wider than any view.
const FARTHEST: f32 = 1e6;

/// A rectangle of a view, as the shader reads it: 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Strip {
    /// Left and upper edge, in pixels from the view's upper left corner.
    pub low: [u16; 2],
    /// Right and lower edge.
    pub high: [u16; 2],
    /// A bit for each liquid that may be in the strip; at least one bit is set.
    pub liquids: u32,
}

/// Projection of the liquid's plane to a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PlaneInView {
    /// Size of the view, in pixels.
    size: UVec2,
    /// From the world to pixels from the upper left corner, both homogeneous.
    pixel_from_world: DMat3,
}

impl PlaneInView {
    /// The plane at a depth, in a view of `size` pixels; `None` if the view sees the plane edge-on.
    pub(super) fn new(clip_from_world: Mat4, depth: f32, size: UVec2) -> Option<Self> {
        let clip = clip_from_world.as_dmat4();
        let origin = clip.z_axis * f64::from(depth) + clip.w_axis;
        let half = 0.5 * size.as_dvec2();
        let [x, y, origin] = [clip.x_axis, clip.y_axis, origin]
            .map(|axis| DVec3::new(half.x * (axis.w + axis.x), half.y * (axis.w - axis.y), axis.w));
        let mut pixel_from_world = DMat3::from_cols(x, y, origin);
        if x.z == 0.0 && y.z == 0.0 {
            pixel_from_world *= origin.z.recip();
        }
        let determinant = pixel_from_world.determinant();
        (determinant.is_finite() && determinant != 0.0).then_some(Self { size, pixel_from_world })
    }

    /// From pixels to the world, both homogeneous.
    pub(super) fn world_from_pixel(&self) -> Mat3 {
        self.pixel_from_world.inverse().as_mat3()
    }

    /// Whether the whole plane is projected at one scale, as by 2D cameras.
    fn has_one_scale(&self) -> bool {
        self.pixel_from_world.row(2) == DVec3::Z
    }
}

/// The particles of a surface, and the distance up to which they are visible.
pub(super) struct SeenParticles<'a> {
    pub places: Places<'a>,
    /// Interpolation: 0 at the tick before the last, 1 at the last.
    pub interpolation: f32,
    /// Number of liquids, and the index of the liquid of each class.
    pub liquids: usize,
    pub liquid_of_class: &'a [u8; 256],
    /// Distance from a particle up to which it is visible, in world units.
    pub reach: f32,
    /// Distance that filters add, in pixels.
    pub filters: f32,
}

impl SeenParticles<'_> {
    /// A bit for each liquid.
    fn all_liquids(&self) -> u16 {
        u16::MAX >> (16 - self.liquids.clamp(1, 16))
    }
}

/// Finds strips, and reuses its memory from view to view.
#[derive(Default)]
pub(super) struct StripFinder {
    /// A bit for each liquid that has particles in a cell, row by row. The grid is that of the
    /// view, extended beyond each edge by the distance from which particles are visible.
    cells: Vec<u16>,
    /// The liquids in any cell of a row.
    rows: Vec<u16>,
    /// The liquids that are visible in each cell of a row: from the cells above and below, and from
    /// all cells around.
    from_column: Vec<u16>,
    from_around: Vec<u16>,
    /// Strips that can be extended by the next row, from left to right.
    open: Vec<usize>,
    still_open: Vec<usize>,
}

impl StripFinder {
    /// Appends the strips of a view, which do not overlap.
    pub(super) fn find(
        &mut self,
        plane: &PlaneInView,
        particles: &SeenParticles,
        strips: &mut Vec<Strip>,
    ) {
        if matches!(particles.places, Places::Of([])) {
            return;
        }
        if !plane.has_one_scale() {
            // A tilted camera projects each particle at another scale. It is rare, so one strip
            // covers the whole view.
            let high = [plane.size.x as u16, plane.size.y as u16];
            strips.push(Strip { low: [0; 2], high, liquids: particles.all_liquids().into() });
            return;
        }
        let grid = Grid::new(plane, particles);
        self.occupy(&grid, plane, particles);
        self.open.clear();
        for row in 0..grid.inner[1] {
            self.find_in_row(&grid, row, strips);
        }
    }

    /// Marks the cells that have particles.
    fn occupy(&mut self, grid: &Grid, plane: &PlaneInView, particles: &SeenParticles) {
        let columns = grid.inner[0] + 2 * grid.beyond[0];
        let rows = grid.inner[1] + 2 * grid.beyond[1];
        self.cells.clear();
        self.cells.resize(columns * rows, 0);
        self.rows.clear();
        self.rows.resize(rows, 0);
        // From the world to cells.
        let [x, y, origin] = [0, 1, 2].map(|column| {
            let pixels = plane.pixel_from_world.col(column).truncate();
            (pixels / f64::from(grid.cell)).as_vec2()
        });
        let origin = origin + Vec2::new(grid.beyond[0] as f32, grid.beyond[1] as f32);
        let size = Vec2::new(columns as f32, rows as f32);
        let cell_of = |position: Vec2| x * position.x + y * position.y + origin;
        let instances = match particles.places {
            Places::Of(instances) => instances,
            Places::Within([low, high]) => {
                let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)];
                let corners = corners.map(|corner| cell_of(corner).clamp(Vec2::ZERO, size - 1.0));
                let low = corners.into_iter().fold(size, Vec2::min);
                let high = corners.into_iter().fold(Vec2::ZERO, Vec2::max);
                let liquids = particles.all_liquids();
                for row in low.y as usize..=high.y as usize {
                    self.rows[row] = liquids;
                    let first = row * columns;
                    self.cells[first + low.x as usize..=first + high.x as usize].fill(liquids);
                }
                return;
            }
        };
        let before = 1.0 - particles.interpolation;
        for instance in instances {
            let at = cell_of(instance.position_before(before));
            // The comparison is also false for positions that are not finite.
            if at.cmpge(Vec2::ZERO).all() && at.cmplt(size).all() {
                let (column, row) = (at.x as usize, at.y as usize);
                let liquid = 1 << particles.liquid_of_class[usize::from(instance.class())];
                self.cells[row * columns + column] |= liquid;
                self.rows[row] |= liquid;
            }
        }
    }

    /// Appends the strips of a row of cells, or extends those of the previous row.
    fn find_in_row(&mut self, grid: &Grid, row: usize, strips: &mut Vec<Strip>) {
        let columns = grid.inner[0] + 2 * grid.beyond[0];
        self.still_open.clear();
        self.from_column.clear();
        self.from_column.resize(columns, 0);
        let mut any = 0;
        for near in row..=row + 2 * grid.beyond[1] {
            if self.rows[near] != 0 {
                any |= self.rows[near];
                let cells = &self.cells[near * columns..(near + 1) * columns];
                for (all, cell) in self.from_column.iter_mut().zip(cells) {
                    *all |= cell;
                }
            }
        }
        if any != 0 {
            self.from_around.clear();
            self.from_around.resize(grid.inner[0], 0);
            for shift in 0..=2 * grid.beyond[0] {
                for (all, column) in self.from_around.iter_mut().zip(&self.from_column[shift..]) {
                    *all |= column;
                }
            }
            let mut above = 0;
            let mut begin = 0;
            for run in self.from_around.chunk_by(|a, b| a == b) {
                let end = begin + run.len();
                if run[0] != 0 {
                    let strip = grid.strip([begin, row], [end, row + 1], run[0]);
                    // A strip of the previous row with the same width and the same liquids is
                    // extended.
                    while self
                        .open
                        .get(above)
                        .is_some_and(|open| strips[*open].low[0] < strip.low[0])
                    {
                        above += 1;
                    }
                    let longer = self.open.get(above).copied().filter(|open| {
                        let open = strips[*open];
                        (open.low[0], open.high[0], open.liquids)
                            == (strip.low[0], strip.high[0], strip.liquids)
                    });
                    if let Some(longer) = longer {
                        strips[longer].high[1] = strip.high[1];
                    } else {
                        strips.push(strip);
                    }
                    self.still_open.push(longer.unwrap_or(strips.len() - 1));
                }
                begin = end;
            }
        }
        std::mem::swap(&mut self.open, &mut self.still_open);
    }
}

/// The cells of a view.
struct Grid {
    size: UVec2,
    /// Width and height of a cell, in pixels.
    cell: f32,
    /// Columns and rows in the view.
    inner: [usize; 2],
    /// Columns and rows beyond each edge, from which particles are visible in the view.
    beyond: [usize; 2],
}

impl Grid {
    fn new(plane: &PlaneInView, particles: &SeenParticles) -> Self {
        // The half size of the box around the ellipse to which a disc is projected.
        let reach = [0, 1].map(|row| {
            let scale = plane.pixel_from_world.row(row).truncate().length() as f32;
            (particles.reach * scale + particles.filters).clamp(1.0, FARTHEST)
        });
        let widest = reach[0].max(reach[1]);
        let cell = (widest * CELL_PART / CELL_STEP).ceil() * CELL_STEP;
        Self {
            size: plane.size,
            cell,
            inner: plane.size.to_array().map(|size| (size as f32 / cell).ceil() as usize),
            beyond: reach.map(|reach| (reach / cell).ceil() as usize),
        }
    }

    /// The strip that covers the cells from `low` to `high`.
    fn strip(&self, low: [usize; 2], high: [usize; 2], liquids: u16) -> Strip {
        let pixels = |[column, row]: [usize; 2]| {
            let at = Vec2::new(column as f32, row as f32) * self.cell;
            at.min(self.size.as_vec2()).to_array().map(|at| at as u16)
        };
        Strip { low: pixels(low), high: pixels(high), liquids: u32::from(liquids) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::instance::FluidInstance;

    const SIZE: UVec2 = UVec2::new(801, 503);
    const REACH: f32 = 11.0;
    const FILTERS: f32 = 3.0;

    /// The clip matrix of a rotated camera at `at`, which shows `scale` world units per pixel.
    fn camera(at: Vec2, turn: f32, scale: f32) -> Mat4 {
        let half = 0.5 * SIZE.as_vec2() * scale;
        let projection = Mat4::orthographic_rh(-half.x, half.x, -half.y, half.y, -1000.0, 1000.0);
        let world = Mat4::from_rotation_translation(Quat::from_rotation_z(turn), at.extend(0.0));
        projection * world.inverse()
    }

    /// Points in a few clusters, in and around a square; the same in every run.
    fn scattered(count: u32, width: f32) -> Vec<Vec2> {
        let mut state = 7_u32;
        let mut next = move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32 - 0.5
        };
        let mut centre = Vec2::ZERO;
        let points = (0..count).map(|index| {
            if index % 40 == 0 {
                centre = Vec2::new(next(), next()) * 1.4 * width;
            }
            centre + Vec2::new(next(), next()) * 0.06 * width
        });
        points.collect()
    }

    fn found(clip_from_world: Mat4, instances: &[FluidInstance], interpolation: f32) -> Vec<Strip> {
        let plane = PlaneInView::new(clip_from_world, 0.0, SIZE).expect("it is seen");
        let liquid_of_class = std::array::from_fn(|class| (class % 16) as u8);
        let particles = SeenParticles {
            places: Places::Of(instances),
            interpolation,
            liquids: 16,
            liquid_of_class: &liquid_of_class,
            reach: REACH,
            filters: FILTERS,
        };
        let mut strips = Vec::new();
        StripFinder::default().find(&plane, &particles, &mut strips);
        strips
    }

    /// The liquids of the strip at each pixel. No pixel may have two strips.
    fn liquids_at_pixels(strips: &[Strip]) -> Vec<u32> {
        let mut pixels = vec![0; (SIZE.x * SIZE.y) as usize];
        for strip in strips {
            assert!(strip.liquids != 0, "{strip:?}");
            assert!(u32::from(strip.high[0]) <= SIZE.x && u32::from(strip.high[1]) <= SIZE.y);
            for y in strip.low[1]..strip.high[1] {
                for x in strip.low[0]..strip.high[0] {
                    let pixel = &mut pixels[usize::from(y) * SIZE.x as usize + usize::from(x)];
                    assert_eq!(*pixel, 0, "two strips at {x}, {y}");
                    *pixel = strip.liquids;
                }
            }
        }
        pixels
    }

    #[test]
    fn strips_cover_all_that_particles_reach_and_do_not_overlap() {
        for (at, turn, scale) in [
            (Vec2::ZERO, 0.0, 1.0),
            (Vec2::new(30.0, -20.0), 0.7, 0.6),
            (Vec2::new(-3.0, 5.0), -2.0, 4.0),
            (Vec2::new(4.0, -2.0), 0.1, 0.05),
        ] {
            let points = scattered(400, 700.0 * scale);
            let moved = |index: usize| Vec2::new(index as f32 % 30.0, -3.0) * scale;
            let instances: Vec<_> = points
                .iter()
                .enumerate()
                .map(|(index, now)| {
                    FluidInstance::new(*now + moved(index), *now, (index % 3) as u8, 0)
                })
                .collect();
            let clip = camera(at, turn, scale);
            let strips = found(clip, &instances, 0.25);
            let pixels = liquids_at_pixels(&strips);
            let mut seen = 0;
            for instance in &instances {
                let position =
                    instance.position().lerp(instance.previous_position(), 0.75).extend(0.0);
                let clip = clip.project_point3(position);
                let centre = Vec2::new(1.0 + clip.x, 1.0 - clip.y) * 0.5 * SIZE.as_vec2();
                // The world is projected in another order here, so the distance has a tolerance.
                let reach = REACH / scale + FILTERS - 0.1;
                for step in 0..64 {
                    let direction = Vec2::from_angle(step as f32 / 64.0 * std::f32::consts::TAU);
                    for part in [0.0, 0.5, 1.0] {
                        let pixel = (centre + direction * reach * part).floor();
                        if pixel.cmplt(Vec2::ZERO).any() || pixel.cmpge(SIZE.as_vec2()).any() {
                            continue;
                        }
                        seen += 1;
                        let there = pixels[pixel.y as usize * SIZE.x as usize + pixel.x as usize];
                        let liquid = 1 << instance.class();
                        assert!(there & liquid != 0, "{pixel} of {centre} at scale {scale}");
                    }
                }
            }
            assert!(seen > 1000, "{seen} places at scale {scale}");
        }
    }

    #[test]
    fn strips_follow_the_liquid() {
        let pool = |left: f32| {
            (0..400).map(move |index| {
                let at = Vec2::new(left + (index % 20) as f32 * 5.0, (index / 20) as f32 * 5.0);
                FluidInstance::new(at, at, 0, 0)
            })
        };
        let pools: Vec<_> = pool(-350.0).chain(pool(250.0)).collect();
        let strips = found(camera(Vec2::ZERO, 0.0, 1.0), &pools, 1.0);
        // Two rectangles, each a cell or two wider on each side than the distance at which
        // particles are visible.
        assert_eq!(strips.len(), 2, "{strips:?}");
        for strip in &strips {
            for axis in 0..2 {
                let width = f32::from(strip.high[axis] - strip.low[axis]);
                let needed = 95.0 + 2.0 * (REACH + FILTERS);
                assert!(width >= needed && width <= needed + 4.0 * CELL_STEP, "{strip:?}");
            }
        }
    }

    #[test]
    fn nothing_is_covered_where_no_particle_is_seen() {
        let clip = camera(Vec2::ZERO, 0.0, 1.0);
        assert_eq!(found(clip, &[], 1.0), []);
        let at = |at: Vec2| FluidInstance::new(at, at, 0, 0);
        let far = [Vec2::splat(1e4), Vec2::splat(f32::NAN), Vec2::splat(f32::NEG_INFINITY)];
        assert_eq!(found(clip, &far.map(at), 1.0), []);
        // An edge-on plane is a line.
        let edge = Mat4::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let edge = Mat4::from_cols(edge.x_axis, Vec4::ZERO, edge.z_axis, edge.w_axis);
        assert_eq!(PlaneInView::new(edge, 0.0, SIZE), None);
        // A tilted camera with a perspective may see liquid anywhere.
        let tilted = Mat4::perspective_rh(1.0, 1.6, 0.1, 100.0)
            * Mat4::from_translation(Vec3::new(0.0, 0.0, -5.0))
            * Mat4::from_rotation_y(0.3);
        let strips = found(tilted, &[at(Vec2::ZERO)], 1.0);
        assert!(liquids_at_pixels(&strips).iter().all(|liquids| *liquids == 0xffff));
    }

    #[test]
    fn a_pixel_is_found_again_in_the_world() {
        let world = Vec2::new(31.0, -17.0);
        let tilted = Mat4::perspective_rh(1.0, 1.6, 0.1, 1000.0)
            * Mat4::from_rotation_y(0.3)
            * Mat4::from_translation(Vec3::new(-20.0, 10.0, -150.0));
        for clip_from_world in [camera(Vec2::new(20.0, 10.0), 0.4, 0.7), tilted] {
            let depth = 3.0;
            let plane = PlaneInView::new(clip_from_world, depth, SIZE).expect("it is seen");
            let clip = clip_from_world.project_point3(world.extend(depth));
            let pixel = Vec2::new(1.0 + clip.x, 1.0 - clip.y) * 0.5 * SIZE.as_vec2();
            let again = plane.world_from_pixel() * pixel.extend(1.0);
            assert!((again.truncate() / again.z).distance(world) < 1e-2, "{again} for {world}");
        }
    }
}
