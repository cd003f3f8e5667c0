//! Heat: how classes conduct it, and how they change with temperature. The paper does not have it.

/// How a class conducts heat and changes with temperature. Temperatures are in degrees of any scale
/// that the host chooses.
///
/// Everything is off by default. It costs nothing while it is off for all classes.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Thermal {
    /// Temperature of new particles without a temperature of their own, in degrees; within
    /// ±1000000. `None` (default) for the temperature of the surroundings
    /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)).
    pub temperature: Option<f32>,
    /// Rate at which neighbours exchange heat, in 1/T0; 0 to 1000. Between two classes it is the
    /// harmonic mean of their conductivities. In a substep at most 0.12/dt of it acts. Default 0.
    pub conductivity: f32,
    /// Rate at which a particle alone in the [air](crate::air) approaches its temperature, in 1/T0; 0 to
    /// 1000. Default 0. Other particles around it shelter it. The heat that it gets the air loses.
    pub air_conductivity: f32,
    /// Rate at which a particle approaches the temperature of the surroundings, in 1/T0; 0 to 1000.
    /// Default 0.
    pub cooling: f32,
    /// Fraction of its weight that a particle loses per degree above the temperature of the
    /// surroundings; within ±1. Default 0. With a positive value hot liquid rises. The change is
    /// limited to twice the weight.
    pub expansion: f32,
    /// Change to another class above a temperature; `None` (default) for none.
    pub above: Option<Transition>,
    /// Change to another class below a temperature; `None` (default) for none.
    pub below: Option<Transition>,
    /// Change to what the [air](crate::air) of a world carries along; `None` (default) for none.
    pub into_air: Option<IntoAir>,
}

/// A change of particles to what the [air](crate::air) carries along: they boil, burn or become smoke.
///
/// It has no effect outside of all air of a world. A particle under the surface gives off its gas at
/// the surface above it. Amounts are in areas of the particle: with 1, the particles that fill a cell
/// at rest bring it to 1.
///
/// ```
/// use blob_fluid::air::{Air, AirSettings, Channel, Sides};
/// use blob_fluid::{
///     Bounds, ClassId, ClassTable, DensityClass, FluidWorld, IntoAir, ParticleSpawn, SerialExecutor,
///     Thermal, Transition,
/// };
/// use glam::Vec2;
/// let rains = Some(Transition { temperature: 80.0, becomes: "water".into() });
/// let into_air = IntoAir { above: 100.0, vapour: 1.0, rains, ..IntoAir::default() };
/// let water = DensityClass {
///     name: "water".into(),
///     thermal: Thermal { into_air: Some(into_air), ..Thermal::default() },
///     ..DensityClass::default()
/// };
/// let mut world = FluidWorld::default();
/// world.set_classes(ClassTable::new(vec![water])?)?;
/// let room = Bounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
/// let settings = AirSettings { cooling: 2.0, ..AirSettings::default() };
/// let air = world.insert_air(Air::new(room, 10.0, settings, Sides::default())?);
/// let hot = Some(120.0);
/// world.spawn(ParticleSpawn { temperature: hot, class: ClassId(0), ..Default::default() })?;
/// world.step(1.0 / 60.0, &SerialExecutor)?;
/// assert!(world.particles().is_empty() && world.air(air).unwrap().amount(Channel::Vapour) > 0.0);
/// for _ in 0..60 * 10 {
///     world.step(1.0 / 60.0, &SerialExecutor)?;
/// }
/// assert_eq!(world.particles().len(), 1, "it has rained");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct IntoAir {
    /// Temperature from which on particles change, in degrees; within ±1000000. With -1000000 they
    /// change as soon as they are in air.
    pub above: f32,
    /// Heat that the change takes, in degrees of a particle; 0 to 1000000. Default 0: all particles
    /// that are warm enough change at once. Otherwise as many do as the heat beyond `above` suffices
    /// for on average, and it is taken from the others: a pool boils away slowly, and gets no
    /// hotter. Rain gives none of it back.
    #[cfg_attr(feature = "serde", serde(default))]
    pub latent_heat: f32,
    /// [Vapour](crate::air::Channel::Vapour) that a particle becomes, in areas of the particle; 0 to
    /// 1000. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub vapour: f32,
    /// Smoke that a particle becomes, in areas of the particle; 0 to 1000. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub smoke: f32,
    /// Fuel that a particle becomes, in areas of the particle; 0 to 1000. Default 0.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fuel: f32,
    /// Red, green and blue of the smoke, as those of an [`AirSource`](crate::air::AirSource); each
    /// within ±1000000. `None` (default) for white.
    #[cfg_attr(feature = "serde", serde(default))]
    pub colour: Option<[f32; 3]>,
    /// Gas that comes into being, in areas of the particle; 0 to 1000. Default 0. It drives the air
    /// away.
    #[cfg_attr(feature = "serde", serde(default))]
    pub expansion: f32,
    /// What vapour becomes where the air is colder than a temperature; `None` (default) for nothing.
    /// There is one kind of vapour: the first class of the table that has this decides.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rains: Option<Transition>,
}

/// A change to another class at a temperature.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
pub struct Transition {
    /// The temperature at which particles change, in degrees, within ±1000000.
    pub temperature: f32,
    /// Name of the particles' new class.
    pub becomes: String,
}
