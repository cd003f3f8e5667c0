//! Paint: a colour of each particle, which neighbours exchange. The paper does not have it.

use crate::settings::declare::settings;
use crate::settings::range::{OutOfRange, SettingRange, find_in};
use crate::settings::visit::Settings;
use crate::stored::stored;

settings! {
    /// Paint in a class: each of its particles has a colour of its own, carries it along, and exchanges it
    /// with those that it touches.
    ///
    /// Colours are red, green and blue, linear: 0.2 throws back a fifth of the light that 1 does.
    /// [`PaintMixing`] says what becomes of two that mix. It costs nothing while no class has it.
    ///
    /// ```
    /// use blob_fluid::{ClassId, ClassTable, DensityClass, FluidPaint, FluidWorld, ParticleSpawn};
    /// let class = DensityClass {
    ///     name: "paint".into(),
    ///     paint: Some(FluidPaint { color: [1.0, 1.0, 1.0], diffusion: 0.1 }),
    ///     ..Default::default()
    /// };
    /// let mut world = FluidWorld::default();
    /// world.set_classes(ClassTable::new(vec![class])?)?;
    /// let red = Some([1.0, 0.0, 0.0]);
    /// world.spawn(ParticleSpawn { class: ClassId(0), paint: red, ..Default::default() })?;
    /// assert_eq!(world.particles().paint(0), red);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidPaint: Default {
        /// Colour of particles that are given none.
        ///
        /// Red, green and blue, linear. Default white.
        pub color: [f32; 3] [0 to 1] = { [1.0; 3] },
        /// How fast neighbours exchange it; 0.02 is thick, 0.4 the most.
        ///
        /// Between two classes it is the harmonic mean, unless their pair says otherwise
        /// ([`ClassPair::paint_diffusion`](crate::ClassPair::paint_diffusion)). With 0 paint stays on its
        /// particles, and only their motion mixes it. More than 0.4 acts as 0.4.
        pub diffusion: f32 [0 to 10] in "1/T0" keeps "d²/T0" = 0.05,
    }
}

/// The limits of the numbers of a colour.
const COLOR: &SettingRange = find_in(FluidPaint::ROWS, "color");

/// Checks a colour; the error names this subject.
pub(crate) fn check_paint(subject: &'static str, color: [f32; 3]) -> Result<(), OutOfRange> {
    color.into_iter().try_for_each(|value| COLOR.limits.check(subject, "paint", value))
}

/// What becomes of two colours of [paint](FluidPaint) that mix.
///
/// ```
/// use blob_fluid::PaintMixing;
/// let (blue, yellow) = ([0.0, 0.0, 1.0], [1.0, 1.0, 0.0]);
/// let [red, green, blue_left] = PaintMixing::Pigments.mean([blue, yellow]).unwrap();
/// assert!(green > 4.0 * red && green > 4.0 * blue_left);
/// assert_eq!(PaintMixing::Light.mean([blue, yellow]), Some([0.5; 3]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub enum PaintMixing {
    /// As pigments, which take light away: blue and yellow give green, red and green a dark brown.
    ///
    /// Kubelka and Munk 1931 in its cheapest form: three bands of light, in each of which what is mixed
    /// is the ratio `K/S = (1 - R)²/(2 R)` of absorption to scattering, with `R = 0.1 + 0.9 c`, so that black
    /// absorbs four times what it scatters. The bands are red, blue, and green with a fifth of the
    /// blue, as blue pigments throw back some green too; without that, pure blue and yellow would give grey.
    #[default]
    Pigments,
    /// As light: the mean of both. Blue and yellow give grey.
    Light,
}

stored!(settings PaintMixing, without numbers);

/// What the darkest pigment throws back, at which `K/S` is still finite.
const DARKEST: f32 = 0.1;

/// Share of the blue in the middle band of light.
const BLUE_IN_GREEN: f32 = 0.2;

impl PaintMixing {
    /// What is mixed of a colour: the numbers of which a mixture has the mean. NaN stays NaN.
    pub(crate) fn amounts_of(self, color: [f32; 3]) -> [f32; 3] {
        let color = color.map(|value| value.clamp(0.0, 1.0));
        match self {
            Self::Light => color,
            Self::Pigments => {
                let [red, green, blue] = color;
                [red, green + BLUE_IN_GREEN * (blue - green), blue].map(|band| {
                    let back = DARKEST + (1.0 - DARKEST) * band;
                    (1.0 - back) * (1.0 - back) / (2.0 * back)
                })
            }
        }
    }

    /// The colour of which this is mixed.
    pub(crate) fn color_of(self, amounts: [f32; 3]) -> [f32; 3] {
        let color = match self {
            Self::Light => amounts,
            Self::Pigments => {
                let [red, middle, blue] = amounts.map(|ratio| {
                    let back = 1.0 + ratio - (ratio * (ratio + 2.0)).sqrt();
                    (back - DARKEST) / (1.0 - DARKEST)
                });
                [red, (middle - BLUE_IN_GREEN * blue) / (1.0 - BLUE_IN_GREEN), blue]
            }
        };
        color.map(|value| value.clamp(0.0, 1.0))
    }

    /// The colour of equal parts of these colours, all linear and within 0 to 1; `None` of none.
    pub fn mean(self, colors: impl IntoIterator<Item = [f32; 3]>) -> Option<[f32; 3]> {
        self.mean_of_amounts(colors.into_iter().map(|color| self.amounts_of(color)))
    }

    /// The colour of a mixture of equal parts.
    pub(crate) fn mean_of_amounts(self, parts: impl Iterator<Item = [f32; 3]>) -> Option<[f32; 3]> {
        let (mut sums, mut count) = ([0.0_f64; 3], 0_u32);
        for part in parts {
            sums.iter_mut().zip(part).for_each(|(sum, amount)| *sum += f64::from(amount));
            count += 1;
        }
        let mean = sums.map(|sum| (sum / f64::from(count.max(1))) as f32);
        (count > 0).then(|| self.color_of(mean))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUE: [f32; 3] = [0.0, 0.0, 1.0];
    const YELLOW: [f32; 3] = [1.0, 1.0, 0.0];

    #[test]
    fn a_colour_alone_stays_what_it_is() {
        let values = [0.0, 0.02, 0.3, 0.7, 1.0];
        for number in 0..125 {
            let color = [number / 25, number / 5 % 5, number % 5].map(|index| values[index]);
            for mixing in [PaintMixing::Pigments, PaintMixing::Light] {
                let again = mixing.color_of(mixing.amounts_of(color));
                let error = color.iter().zip(again).map(|(one, other)| (one - other).abs());
                assert!(error.fold(0.0, f32::max) < 2e-6, "{mixing:?}: {color:?} became {again:?}");
            }
        }
    }

    #[test]
    fn pigments_mix_as_in_a_paint_box() {
        let mix = |one, other| PaintMixing::Pigments.mean([one, other]).expect("two");
        let [red, green, blue] = mix(BLUE, YELLOW);
        assert!(green > 0.3 && green > 4.0 * red && green > 4.0 * blue, "green");
        let [red, green, blue] = mix([1.0, 0.0, 0.0], YELLOW);
        assert!(red > 0.9 && (0.05..0.5).contains(&green) && blue < 0.05, "orange");
        let [red, green, blue] = mix([1.0, 0.0, 0.0], BLUE);
        assert!(red > green && blue > green && red < 0.2, "dark violet");
        let [red, green, blue] = mix(BLUE, [1.0; 3]);
        assert!(blue > 0.99 && green > 0.1 && red > 0.05, "light blue");
    }

    #[test]
    fn what_is_no_number_stays_none() {
        for mixing in [PaintMixing::Pigments, PaintMixing::Light] {
            assert!(mixing.amounts_of([f32::NAN, 0.5, 0.5])[0].is_nan());
            assert_eq!(mixing.amounts_of([9.0, 0.5, -3.0]), mixing.amounts_of([1.0, 0.5, 0.0]));
        }
        assert_eq!(PaintMixing::Light.mean([]), None);
    }
}
