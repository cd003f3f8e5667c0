//! Valves: gates that let a share of a stream through.

use glam::Vec2;

use crate::geometry::pipe::Pipe;
use crate::geometry::shape::{FluidShape, Polygon};
use crate::settings::declare::settings;
use crate::settings::range::OutOfRange;
use crate::settings::visit::Settings;

settings! {
    /// A gate across a pipe: two leaves that come out of its walls and leave a gap in the middle.
    ///
    /// It is a [shape](Self::shape) for a [`Collider`](crate::Collider), along the X axis; liquid passes
    /// along the Y axis. [`Liquid::set_collider`](crate::Liquid::set_collider) opens and closes it.
    ///
    /// ```
    /// use blob_fluid::{Collider, FluidWorld, Pipe, Valve};
    /// use glam::Vec2;
    /// let pipe = Pipe::new([Vec2::ZERO, Vec2::new(200.0, 0.0)], 40.0, 6.0)?;
    /// let mut world = FluidWorld::default();
    /// world.insert_collider(Collider::new(pipe.shape(), Vec2::ZERO, Vec2::X)?);
    /// let (centre, rotation) = pipe.place_at(100.0);
    /// let valve = Valve::across(&pipe, 12.0);
    /// let closed = Collider::new(valve.shape()?, centre, rotation)?;
    /// assert!(closed.distance(centre) < 0.0);
    /// let gate = world.insert_collider(closed);
    /// let half_open = Valve { opening: 0.5, ..valve };
    /// world.set_collider(gate, Collider::new(half_open.shape()?, centre, rotation)?);
    /// assert_eq!(world.collider(gate).expect("there").distance(centre), 10.0);
    /// # Ok::<(), blob_fluid::OutOfRange>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    #[cfg_attr(feature = "bevy_reflect", reflect(Clone, Debug, PartialEq))]
    pub struct Valve as "valve" {
        /// Inner width of the pipe.
        pub width: f32 [above 0 to 1e9] in "world units",
        /// Thickness of the leaves, along the stream.
        ///
        /// At least a particle spacing is best.
        pub thickness: f32 [above 0 to 1e9] in "world units",
        /// How far the leaves reach into the walls when it is open, and beyond the width.
        ///
        /// At most the thickness of the pipe's walls, or they come out behind them.
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

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// Returns [`OutOfRange`], which names the first field outside its range.
    pub fn validate(&self) -> Result<(), OutOfRange> {
        self.check()
    }

    /// The leaves as one shape, around the middle of the gap.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
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
