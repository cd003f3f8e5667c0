//! The looks of air, as components.

use bevy::prelude::*;

/// What of the air is drawn.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FluidAirShow {
    /// Smoke and fire.
    #[default]
    Smoke,
    /// Pressure, blue where it is low and red where it is high, and smoke over it.
    Pressure,
    /// Speed, dark where air is still, and smoke over it.
    Speed,
    /// Vorticity: blue clockwise, red counter-clockwise, and smoke over it.
    Vorticity,
}

/// Streamlines of air.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
pub struct FluidStreamlines {
    /// Distance between their starts, in world units; above 0. Default 40.
    pub spacing: f32,
    /// Their length, in world units. Default 120.
    pub length: f32,
    /// Their colour. Default white, half transparent.
    pub color: Color,
}

impl Default for FluidStreamlines {
    fn default() -> Self {
        Self { spacing: 40.0, length: 120.0, color: Color::srgba(1.0, 1.0, 1.0, 0.55) }
    }
}

/// How a [`FluidAir`](crate::FluidAir) is drawn. Air that has none gets the default one.
///
/// The picture lies at the depth of the entity, at the same depth behind the liquid: give it a Z to have it in front.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((
///         FluidAir::new(800.0, 400.0).with_wind_from_left(150.0),
///         FluidAirLook {
///             show: FluidAirShow::Pressure,
///             streamlines: Some(FluidStreamlines::default()),
///             ..default()
///         },
///         Transform::from_xyz(0.0, 0.0, 2.0),
///     ));
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidAirLook {
    /// What is drawn.
    pub show: FluidAirShow,
    /// Colour of smoke that has none of its own; it tints smoke that has one. Default a light grey.
    pub smoke: Color,
    /// Optical depth of smoke of concentration 1; 0 for no smoke. Default 2.5.
    pub thickness: f32,
    /// How thick vapour is drawn: optical depth over that of as much smoke; 0 for invisible. Default
    /// 12, because there is little liquid in a cloud.
    pub vapour: f32,
    /// Direction in which light travels; its length does not matter. Default down and to the right.
    pub light: Vec2,
    /// Colour of the light. Default a warm white.
    pub light_color: Color,
    /// Colour of the light from everywhere. Default a bluish grey.
    pub ambient: Color,
    /// How dark the shadows of smoke on smoke are, 0 to 1. Default 0.75.
    pub shadow: f32,
    /// Brightness of fire; 0 for none. Default 1.
    pub fire: f32,
    /// What is shown with the strongest colours: mass/area times square world units/s² for
    /// pressures, world units/s for speeds, 1/s for vorticities. `None` (default) for what is found.
    pub range: Option<f32>,
    /// Streamlines; `None` (default) for none.
    pub streamlines: Option<FluidStreamlines>,
}

impl Default for FluidAirLook {
    fn default() -> Self {
        Self {
            show: FluidAirShow::default(),
            smoke: Color::srgb(0.82, 0.82, 0.84),
            thickness: 2.5,
            vapour: 12.0,
            light: Vec2::new(0.5, -1.0),
            light_color: Color::srgb(1.0, 0.96, 0.9),
            ambient: Color::srgb(0.42, 0.45, 0.52),
            shadow: 0.75,
            fire: 1.0,
            range: None,
            streamlines: None,
        }
    }
}
