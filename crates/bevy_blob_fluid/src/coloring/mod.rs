//! Colours of particles: by class, or by a quantity along a gradient.
//!
//! | file | contents |
//! |---|---|
//! | `scale.rs` | quantities, and the range of values that a gradient covers |
//! | `gradient.rs` | gradients: built in, from a game and from files |

mod gradient;
mod scale;

use bevy::prelude::*;

use crate::render::FluidPalette;
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{FluidClasses, FluidSimulation, RestartApp};

pub use gradient::{
    FluidGradient, FluidGradientError, FluidGradientLoader, FluidGradientLoaderError,
    FluidGradientStop,
};
pub use scale::{FluidColorBy, FluidColorRange, FluidColorScale};

/// The meaning of the particles' colours. Changes take effect immediately, also while the liquid is
/// paused. Foam and glow are drawn only if the colours show the class.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn show_speed(mut coloring: ResMut<FluidColoring>) {
///     *coloring = FluidColoring::new(FluidColorBy::Speed);
/// }
///
/// fn show_heat(mut coloring: ResMut<FluidColoring>, assets: Res<AssetServer>) {
///     *coloring = FluidColoring::new(FluidColorBy::Temperature)
///         .with_range(20.0, 1200.0)
///         .with_gradient(assets.load("gradients/heat.gradient.ron"));
/// }
/// ```
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidColoring {
    /// The quantity that the colours show. Default the class.
    pub by: FluidColorBy,
    /// Range of values that the gradient covers.
    pub range: FluidColorRange,
    /// The colours of the quantity. They have no effect if [`by`](Self::by) is the class or the tag.
    pub gradient: FluidColoringGradient,
}

/// Source of the colours of a [`FluidColoring`].
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub enum FluidColoringGradient {
    /// The gradient itself.
    Own(FluidGradient),
    /// A gradient asset. Until the asset is loaded, or if loading fails, the previous colours stay.
    Asset(Handle<FluidGradient>),
}

impl Default for FluidColoringGradient {
    fn default() -> Self {
        Self::Own(FluidGradient::default())
    }
}

impl From<FluidGradient> for FluidColoringGradient {
    fn from(gradient: FluidGradient) -> Self {
        Self::Own(gradient)
    }
}

impl From<Handle<FluidGradient>> for FluidColoringGradient {
    fn from(gradient: Handle<FluidGradient>) -> Self {
        Self::Asset(gradient)
    }
}

impl FluidColoring {
    /// Colours by a quantity, with an automatic range and the gradient viridis.
    pub fn new(by: FluidColorBy) -> Self {
        Self { by, ..Self::default() }
    }

    /// The same coloring with a fixed range, from one value of the quantity to another; see
    /// [`FluidColorRange::Fixed`].
    #[must_use]
    pub fn with_range(mut self, low: f32, high: f32) -> Self {
        self.range = FluidColorRange::Fixed { low, high };
        self
    }

    /// The same coloring with another gradient.
    #[must_use]
    pub fn with_gradient(mut self, gradient: impl Into<FluidColoringGradient>) -> Self {
        self.gradient = gradient.into();
        self
    }
}

/// The gradient in use: the last loaded gradient.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct GradientInForce(FluidGradient);

/// Adds the resources.
pub(crate) fn build(app: &mut App) {
    app.init_resource::<FluidColoring>()
        .init_resource::<FluidColorScale>()
        .init_resource::<GradientInForce>()
        .starts_over::<FluidColoring>()
        .register_type::<FluidColoring>()
        .register_type::<FluidColorScale>()
        .register_type::<FluidGradient>();
}

/// Adds the asset and its loader, if the app has assets.
pub(crate) fn finish(app: &mut App) {
    if app.world().contains_resource::<AssetServer>() {
        app.init_asset::<FluidGradient>()
            .init_asset_loader::<FluidGradientLoader>()
            .register_type::<Handle<FluidGradient>>();
    }
}

/// Copies the gradient if it was changed or loaded.
pub(crate) fn choose_gradient(
    coloring: Res<FluidColoring>,
    gradients: Option<Res<Assets<FluidGradient>>>,
    mut in_force: ResMut<GradientInForce>,
) {
    let wanted = match &coloring.gradient {
        FluidColoringGradient::Own(gradient) => Some(gradient),
        FluidColoringGradient::Asset(handle) => {
            gradients.as_ref().and_then(|gradients| gradients.get(handle))
        }
    };
    if let Some(wanted) = wanted.filter(|wanted| in_force.0 != **wanted) {
        in_force.0 = wanted.clone();
    }
}

/// Updates the range of values that the gradient covers.
pub(crate) fn choose_scale(
    coloring: Res<FluidColoring>,
    fluid: Res<FluidSimulation>,
    mut scale: ResMut<FluidColorScale>,
    mut sample: Local<Vec<f32>>,
) {
    if coloring.is_changed() && !coloring.range.is_valid() {
        warn!(
            "range of the fluid's colours refused, the last valid one stays: {:?}",
            coloring.range
        );
    }
    let mut now = *scale;
    now.update(coloring.by, coloring.range, &fluid, &mut sample);
    scale.set_if_neq(now);
}

/// Fills the palette with the colours of the classes, of the tags or of the gradient.
pub(crate) fn publish_palette(
    coloring: Res<FluidColoring>,
    gradient: Res<GradientInForce>,
    classes: Res<FluidClasses>,
    #[cfg(feature = "gpu")] on_device: Option<Res<DeviceLiquid>>,
    mut palette: ResMut<FluidPalette>,
) {
    let by = coloring.by;
    #[cfg(feature = "gpu")]
    let by = if on_device.is_some() && by != FluidColorBy::Class {
        warn_once!("while the liquid is on the graphics card its colours are those of its classes");
        FluidColorBy::Class
    } else {
        by
    };
    match by {
        FluidColorBy::Class => palette.set(classes.iter().map(|class| {
            let [red, green, blue, alpha] = class.color;
            Color::srgba(red, green, blue, alpha)
        })),
        FluidColorBy::Tag => palette.set_by_instance((0..=u8::MAX).map(scale::tag_color)),
        _ => palette.set_by_instance(gradient.0.colors()),
    }
}

/// Whether the palette must be filled again.
pub(crate) fn palette_is_outdated(
    coloring: Res<FluidColoring>,
    gradient: Res<GradientInForce>,
    classes: Res<FluidClasses>,
    #[cfg(feature = "gpu")] on_device: Option<Res<DeviceLiquid>>,
    #[cfg(feature = "gpu")] mut was_there: Local<bool>,
) -> bool {
    #[cfg(feature = "gpu")]
    let moved = std::mem::replace(&mut *was_there, on_device.is_some()) != on_device.is_some();
    #[cfg(not(feature = "gpu"))]
    let moved = false;
    moved || coloring.is_changed() || gradient.is_changed() || classes.is_changed()
}

// Random shades that distinguish neighbouring particles.

/// One of eight shades: a hash of a particle's number. Shades are irregular: otherwise the mean of many would show a
/// pattern.
pub(crate) fn shade(number: u32) -> u8 {
    // The finaliser `lowbias32` of Wellons' "Prospecting for Hash Functions".
    let mut hash = number;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x7feb_352d);
    hash = (hash ^ (hash >> 15)).wrapping_mul(0x846c_a68b);
    ((hash ^ (hash >> 16)) >> 29) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_shades_are_as_frequent_whatever_the_number_before_was() {
        let mut pairs = [0; 64];
        for number in 0..64_000 {
            pairs[usize::from(shade(number) * 8 + shade(number + 1))] += 1;
        }
        // About 1000 of each pair are expected; the limits are six standard deviations.
        assert!(pairs.iter().all(|count| (810..1190).contains(count)), "{pairs:?}");
    }
}
