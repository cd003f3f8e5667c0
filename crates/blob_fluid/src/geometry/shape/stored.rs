//! Shapes as bytes. Loading rebuilds the trees of edges and the distances of pixels, which are not
//! stored.

use glam::Vec2;

use super::field::DistanceField;
use super::kinds::FluidShape;
use super::polygon::{Polygon, Polyline};
use crate::settings::range::Limits;
use crate::stored::bytes::{Reader, SnapshotError, Stored, Writer, sound};
use crate::stored::kinds::{Numbers, load_fractions, store_array};

impl Stored for FluidShape {
    fn store(&self, to: &mut Writer) {
        match self {
            Self::Circle { radius } => {
                0_u8.store(to);
                radius.store_numbers(to);
            }
            Self::Rectangle { half_size } => {
                1_u8.store(to);
                half_size.store_numbers(to);
            }
            Self::Capsule { half_length, radius } => {
                2_u8.store(to);
                (*half_length, *radius).store_numbers(to);
            }
            Self::HalfPlane { normal } => {
                3_u8.store(to);
                normal.store_numbers(to);
            }
            Self::Polygon(polygon) => {
                4_u8.store(to);
                to.count(polygon.rings().len());
                polygon.rings().iter().for_each(|ring| store_array(ring, to));
            }
            Self::Polyline(line) => {
                5_u8.store(to);
                store_array(line.points(), to);
                line.thickness().store_numbers(to);
            }
            Self::Field(field) => {
                6_u8.store(to);
                field.store(to);
            }
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, SnapshotError> {
        let shape = match u8::load(from)? {
            0 => Self::Circle { radius: Numbers::load_within(Limits::SIZE, from)? },
            1 => Self::Rectangle { half_size: Numbers::load_within(Limits::SIZE, from)? },
            2 => {
                let (half_length, radius) = Numbers::load_within(Limits::SIZE, from)?;
                Self::Capsule { half_length, radius }
            }
            3 => Self::HalfPlane { normal: Numbers::load_within(Limits::FINITE, from)? },
            4 => {
                // A ring takes at least the bytes of its length.
                let count = from.count(size_of::<u64>())?;
                let rings = (0..count).map(|_| load_fractions::<Vec2>(Some(Limits::FINITE), from));
                let rings = rings.collect::<Result<Vec<_>, _>>()?;
                Self::Polygon(Polygon::with_holes(rings).map_err(SnapshotError::invalid)?)
            }
            5 => {
                let points = load_fractions::<Vec2>(Some(Limits::FINITE), from)?;
                let thickness = Numbers::load_within(Limits::FINITE, from)?;
                Self::Polyline(Polyline::new(points, thickness).map_err(SnapshotError::invalid)?)
            }
            6 => Self::Field(DistanceField::load(from)?),
            other => return Err(SnapshotError::invalid(format!("no shape is {other}"))),
        };
        sound(shape.validate())?;
        Ok(shape)
    }
}
