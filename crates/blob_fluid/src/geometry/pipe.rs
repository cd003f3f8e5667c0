//! Pipes: two walls along a line.

use glam::Vec2;

use crate::geometry::shape::Polygon;
use crate::settings::declare::settings;
use crate::settings::range::Check;
use crate::{FluidShape, OutOfRange, Pose};

/// Smallest inner width of a pipe, in particle spacings. Particles jam in a narrower pipe.
const MIN_WIDTH: f32 = 3.0;

/// [`MIN_WIDTH`] as text.
const WIDE_ENOUGH: &str = "at least 3 particle spacings";

/// A pipe: a line through points with a wall on either side, and open ends. Liquid flows between the
/// walls and does not pass them, not even at the joints.
///
/// A pipe provides the [shape](Self::shape) of a [`Collider`](crate::Collider) and the
/// [poses](Self::place_at) of [`Valve`](crate::Valve)s.
///
/// ```
/// use blob_fluid::{Collider, FluidWorld, Pipe};
/// use glam::Vec2;
/// let knee = [Vec2::new(0.0, 100.0), Vec2::ZERO, Vec2::new(150.0, 0.0)];
/// let pipe = Pipe::new(knee, 40.0, 6.0)?;
/// assert_eq!(pipe.length(), 250.0);
/// let mut world = FluidWorld::default();
/// pipe.check_width(world.parameters().particle_spacing)?;
/// let walls = Collider::new(pipe.shape(), Vec2::ZERO, Vec2::X)?;
/// assert!(walls.distance(Vec2::ZERO) >= 20.0 && walls.distance(Vec2::new(-23.0, 0.0)) < 0.0);
/// world.insert_collider(walls);
/// # Ok::<(), blob_fluid::OutOfRange>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pipe {
    points: Vec<Vec2>,
    width: f32,
    thickness: f32,
    shape: FluidShape,
}

settings! {
    impl Pipe as "pipe" {
        /// Inner width.
        WIDTH = "width": f32 [above 0 to 1e9] in "world units",
        /// Thickness of each wall.
        THICKNESS = "thickness": f32 [above 0 to 1e9] in "world units",
    }
}

/// A joint of a pipe, between two straight parts.
#[derive(Clone, Copy)]
struct Joint {
    /// Unit vectors along the part before it and the one after it.
    directions: [Vec2; 2],
    /// Tangent of half the angle between them; positive for a bend to the left.
    bend: f32,
}

impl Joint {
    fn between(before: Vec2, after: Vec2) -> Self {
        let cosine = before.dot(after).clamp(-1.0, 1.0);
        let tangent = ((1.0 - cosine) / (1.0 + cosine)).sqrt();
        let bend = if before.perp_dot(after) < 0.0 { -tangent } else { tangent };
        Self { directions: [before, after], bend }
    }

    /// Corners, relative to the joint, of a line at a distance to the left of the pipe's line. Two
    /// corners cut off the outer side of a sharp bend, so that it does not reach far out.
    fn corners(self, distance: f32) -> [Vec2; 2] {
        // Length of the line beyond the joint.
        let ahead = (-distance * self.bend).min(distance.abs());
        let [before, after] = self.directions;
        [before.perp() * distance + before * ahead, after.perp() * distance - after * ahead]
    }
}

impl Pipe {
    /// A pipe along a line through points, with the inner `width` and with walls of this
    /// `thickness`. Both lengths are in world units; above 0, up to 1e9.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a width or thickness out of range, for fewer than 2 points, and for
    /// points that are not finite or beyond ±1e9. Two equal points in a row are an error too, as is a
    /// part that is not longer than the bends at its ends require. A bend by the angle `a` requires
    /// `(width / 2 + thickness) * tan(a / 2)` on its inner side.
    pub fn new(
        points: impl IntoIterator<Item = Vec2>,
        width: f32,
        thickness: f32,
    ) -> Result<Self, OutOfRange> {
        Self::WIDTH.check(width)?;
        Self::THICKNESS.check(thickness)?;
        let points: Vec<Vec2> = points.into_iter().collect();
        let check = Check("pipe");
        check.that(points.len() >= 2, "points", points.len() as f32, "at least 2")?;
        for value in points.iter().flat_map(|point| point.to_array()) {
            check.that(value.abs() <= 1e9, "points", value, "finite and within ±1e9")?;
        }
        let parts = points.windows(2).map(|pair| pair[1] - pair[0]);
        let lengths: Vec<f32> = parts.clone().map(Vec2::length).collect();
        let shortest = lengths.iter().copied().fold(f32::INFINITY, f32::min);
        check.that(shortest > 0.0, "length", shortest, "above 0 between two points")?;
        let directions: Vec<Vec2> =
            parts.zip(&lengths).map(|(way, length)| way / *length).collect();
        let bends = directions.windows(2).map(|pair| Joint::between(pair[0], pair[1]));
        let ends = [directions[0], directions[directions.len() - 1]];
        let straight = ends.map(|direction| Joint { directions: [direction; 2], bend: 0.0 });
        let joints: Vec<Joint> =
            [straight[0]].into_iter().chain(bends).chain([straight[1]]).collect();
        let outer = 0.5 * width + thickness;
        for (length, ends) in lengths.iter().zip(joints.windows(2)) {
            for side in [1.0, -1.0] {
                let taken: f32 =
                    ends.iter().map(|joint| (side * joint.bend).max(0.0) * outer).sum();
                check.that(*length > taken, "length", *length, "longer than its bends take")?;
            }
        }
        let wall = |side: f32| {
            let line = |distance: f32| {
                let around = points.iter().zip(&joints);
                around.flat_map(move |(point, joint)| {
                    joint.corners(side * distance).map(|corner| *point + corner)
                })
            };
            let back: Vec<Vec2> = line(outer).collect();
            let mut ring: Vec<Vec2> = line(0.5 * width).chain(back.into_iter().rev()).collect();
            ring.dedup();
            ring
        };
        let shape = FluidShape::Polygon(Polygon::with_holes([wall(1.0), wall(-1.0)])?);
        Ok(Self { points, width, thickness, shape })
    }

    /// Checks that the pipe is wide enough for liquid with a particle spacing (world units): at
    /// least 3 spacings.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`] for a pipe that is too narrow.
    pub fn check_width(&self, particle_spacing: f32) -> Result<(), OutOfRange> {
        let wide = self.width >= MIN_WIDTH * particle_spacing;
        Check("pipe").that(wide, "width", self.width, WIDE_ENOUGH)
    }

    /// The points of the line in the middle.
    pub fn points(&self) -> &[Vec2] {
        &self.points
    }

    /// Inner width, in world units.
    pub fn width(&self) -> f32 {
        self.width
    }

    /// Thickness of the walls, in world units.
    pub fn thickness(&self) -> f32 {
        self.thickness
    }

    /// Both walls as one shape. The walls close a pipe where it crosses itself.
    pub fn shape(&self) -> FluidShape {
        self.shape.clone()
    }

    /// Length of the line in the middle, in world units.
    pub fn length(&self) -> f32 {
        self.points.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    /// The pose on the line at a distance from its beginning, in world units. The distance is clamped to the
    /// line. The pose's +Y axis points along the pipe: a nozzle there emits along the pipe, and a
    /// [`Valve`](crate::Valve) stands across it.
    pub fn place_at(&self, distance: f32) -> Pose {
        let mut left = if distance.is_nan() { 0.0 } else { distance.max(0.0) };
        let mut pose = Pose::from_translation(self.points[0]);
        for pair in self.points.windows(2) {
            let length = pair[0].distance(pair[1]);
            let direction = (pair[1] - pair[0]) / length;
            pose = Pose::new(pair[0] + direction * left.min(length), -direction.perp());
            if left <= length {
                break;
            }
            left -= length;
        }
        pose
    }
}

// Valves: gates that let a share of a stream through.

settings! {
    /// A gate across a pipe: two leaves that come out of its walls and leave a gap in the middle.
    ///
    /// A valve is a [shape](Self::shape) for a [`Collider`](crate::Collider), along the X axis; liquid
    /// passes along the Y axis. [`Liquid::set_collider`](crate::Liquid::set_collider) opens and closes
    /// it.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld, Pipe, Valve};
    /// use glam::Vec2;
    /// let pipe = Pipe::new([Vec2::ZERO, Vec2::new(200.0, 0.0)], 40.0, 6.0)?;
    /// let mut world = FluidWorld::default();
    /// world.insert_collider(Collider::new(pipe.shape(), Vec2::ZERO, Vec2::X)?);
    /// let place = pipe.place_at(100.0);
    /// let valve = Valve::across(&pipe, 12.0);
    /// let closed = Collider::new(valve.shape()?, place.translation, place.rotation)?;
    /// assert!(closed.distance(place.translation) < 0.0);
    /// let gate = world.insert_collider(closed);
    /// let half_open = Valve { opening: 0.5, ..valve };
    /// let half_open = Collider::new(half_open.shape()?, place.translation, place.rotation)?;
    /// world.set_collider(gate, half_open);
    /// assert_eq!(world.collider(gate).expect("there").distance(place.translation), 10.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    #[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
    pub struct Valve as "valve" with validate {
        /// Inner width of the pipe.
        pub width: f32 [above 0 to 1e9] in "world units",
        /// Thickness of the leaves, along the stream.
        ///
        /// A thickness of at least a particle spacing is best.
        pub thickness: f32 [above 0 to 1e9] in "world units",
        /// How far the leaves reach into the walls, beyond the inner width.
        ///
        /// If this is more than the thickness of the pipe's walls, the leaves stick out on the outside of the pipe.
        pub seat: f32 [above 0 to 1e9] in "world units",
        /// Share of the width that is open.
        pub opening: f32 [0 to 1] = 0,
    }
}

impl Valve {
    /// A closed valve for a pipe, with leaves that are `thickness` world units thick.
    pub fn across(pipe: &Pipe, thickness: f32) -> Self {
        Self { width: pipe.width(), thickness, seat: 0.5 * pipe.thickness(), opening: 0.0 }
    }

    /// The leaves as one shape, around the middle of the gap.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`validate`](Self::validate).
    pub fn shape(&self) -> Result<FluidShape, OutOfRange> {
        self.validate()?;
        let (gap, end, side) =
            (0.5 * self.opening * self.width, 0.5 * self.width + self.seat, 0.5 * self.thickness);
        if gap == 0.0 {
            return Ok(FluidShape::Rectangle { half_size: Vec2::new(end, side) });
        }
        let leaf = |sign: f32| {
            [(gap, -side), (end, -side), (end, side), (gap, side)]
                .map(|(across, along)| Vec2::new(sign * across, along))
                .to_vec()
        };
        Polygon::with_holes([leaf(1.0), leaf(-1.0)]).map(FluidShape::Polygon)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(points: &[[f32; 2]], width: f32, thickness: f32) -> String {
        let points = points.iter().copied().map(Vec2::from);
        Pipe::new(points, width, thickness).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_no_pipe_is_refused_with_its_field_and_range() {
        let line = [[0.0, 0.0], [100.0, 0.0]];
        for (error, expected) in [
            (refused(&line, 0.0, 5.0), "pipe: width is 0, and must be above 0 and at most 1e9"),
            (refused(&line, 40.0, f32::NAN), "pipe: thickness is NaN, and must be above 0"),
            (refused(&line[..1], 40.0, 5.0), "pipe: points is 1, and must be at least 2"),
            (refused(&[[0.0, 0.0], [f32::INFINITY, 0.0]], 40.0, 5.0), "pipe: points is inf"),
            (refused(&[[1.0, 0.0], [1.0, 0.0]], 40.0, 5.0), "pipe: length is 0, and must be above"),
            // A bend by a right angle takes 25.
            (refused(&[[0.0, 0.0], [25.0, 0.0], [25.0, 90.0]], 40.0, 5.0), "pipe: length is 25"),
            (refused(&[[0.0, 0.0], [90.0, 0.0], [0.0, 0.0]], 40.0, 5.0), "longer than its bends"),
        ] {
            assert!(error.contains(expected), "{error}");
        }
        let pipe = Pipe::new([Vec2::ZERO, Vec2::new(100.0, 0.0)], 23.0, 5.0).expect("valid");
        let error = pipe.check_width(8.0).expect_err("narrow").to_string();
        assert_eq!(error, "pipe: width is 23, and must be at least 3 particle spacings");
        assert!(pipe.check_width(7.5).is_ok());
    }

    #[test]
    fn its_walls_are_as_far_from_the_line_as_the_width_says_round_any_bend() {
        // Bends by up to 150 degrees, in steps of 15 degrees, which need no sines of other angles.
        let step = Vec2::new(0.965_925_8, 0.258_819_04);
        let mut direction = Vec2::X;
        for _ in 0..11 {
            for turned in [direction, Vec2::new(direction.x, -direction.y)] {
                let (start, end) = (Vec2::new(-400.0, 0.0), 400.0 * turned);
                let pipe = Pipe::new([start, Vec2::ZERO, end], 40.0, 6.0).expect("valid");
                let shape = pipe.shape();
                for number in 0..=100 {
                    let point = pipe.place_at(8.0 * number as f32).translation;
                    assert!(shape.distance(point) > 19.99, "{turned}: {}", shape.distance(point));
                }
                let far = shape.bounds().half_size().max_element();
                assert!(far < 450.0, "{turned}: a wall reaches {far}");
            }
            direction = step.rotate(direction);
        }
    }

    #[test]
    fn places_are_along_the_line_and_across_it() {
        let knee = [Vec2::ZERO, Vec2::new(0.0, 100.0), Vec2::new(50.0, 100.0)];
        let pipe = Pipe::new(knee, 20.0, 2.0).expect("valid");
        assert_eq!(pipe.place_at(30.0), Pose::new(Vec2::new(0.0, 30.0), Vec2::X));
        assert_eq!(pipe.place_at(120.0), Pose::new(Vec2::new(20.0, 100.0), Vec2::NEG_Y));
        assert_eq!(pipe.place_at(1e6).translation, knee[2]);
        assert_eq!(pipe.place_at(f32::NAN).translation, knee[0]);
        assert_eq!((pipe.points(), pipe.width(), pipe.thickness()), (&knee[..], 20.0, 2.0));
    }

    const VALVE: Valve = Valve { width: 40.0, thickness: 10.0, seat: 3.0, opening: 0.0 };

    #[test]
    fn the_gap_is_the_share_of_the_width() {
        for (opening, gap) in [(0.0, 0.0), (0.25, 10.0), (0.5, 20.0), (1.0, 40.0)] {
            let shape = Valve { opening, ..VALVE }.shape().expect("valid");
            for across in -229..=229 {
                let point = Vec2::new(0.1 * across as f32, 0.0);
                let is_open = 2.0 * point.x.abs() < gap;
                let near_edge = (2.0 * point.x.abs() - gap).abs() < 1e-3;
                assert!(near_edge || shape.contains(point) != is_open, "{opening} at {point}");
            }
            assert!(!shape.contains(Vec2::new(23.1, 0.0)) && !shape.contains(Vec2::new(21.0, 5.1)));
        }
    }

    #[test]
    fn bad_numbers_are_refused() {
        let error = Valve { opening: 1.5, ..VALVE }.shape().expect_err("refused").to_string();
        assert_eq!(error, "valve: opening is 1.5, and must be between 0 and 1");
        let error = Valve { seat: 0.0, ..VALVE }.shape().expect_err("refused").to_string();
        assert_eq!(error, "valve: seat is 0, and must be above 0 and at most 1e9");
        assert!(Valve { width: f32::NAN, ..VALVE }.validate().is_err());
    }
}
