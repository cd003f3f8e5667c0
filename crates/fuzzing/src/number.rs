//! Numbers as a game might pass them.

use arbitrary::{Arbitrary, Result, Unstructured};
use glam::Vec2;

/// A number: mostly of the size that numbers have in the worlds here, sometimes any other, and now and then one that
/// nobody would write.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f32);

const ODD: [f32; 10] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    0.0,
    -0.0,
    f32::MIN_POSITIVE,
    1e-40,
    f32::MAX,
    1e6,
    -1e12,
];

impl Arbitrary<'_> for Number {
    fn arbitrary(from: &mut Unstructured<'_>) -> Result<Self> {
        Ok(Self(match from.int_in_range(0..=15)? {
            0 => *from.choose(&ODD)?,
            1 => f32::from_bits(from.arbitrary()?),
            2..=7 => f32::from(from.arbitrary::<i16>()?) / 32768.0,
            _ => f32::from(from.arbitrary::<i16>()?) / 256.0,
        }))
    }
}

/// Two of them.
#[derive(Clone, Copy, Debug, Arbitrary)]
pub struct Vector(Number, Number);

impl Vector {
    pub fn get(self) -> Vec2 {
        Vec2::new(self.0.0, self.1.0)
    }
}
