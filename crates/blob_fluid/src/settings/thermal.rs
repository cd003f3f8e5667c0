//! Heat: how classes conduct it, and how they change with temperature. The paper does not have it.

use crate::settings::declare::settings;

settings! {
    /// How a class conducts heat and changes with temperature. Temperatures are in degrees of any scale
    /// that the host chooses.
    ///
    /// Everything is off by default. It costs nothing while it is off for all classes.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidThermal: Default {
        /// Temperature of new particles.
        ///
        /// Of those without a temperature of their own. `None` (default) for the temperature of the
        /// surroundings
        /// ([`FluidParameters::ambient_temperature`](crate::FluidParameters::ambient_temperature)).
        pub temperature: Option<f32> [within 1000000] in "degrees" = { None },
        /// How fast neighbours exchange heat; between two classes the harmonic mean; per substep at most
        /// 0.12/dt acts.
        ///
        /// Between classes of different mass less of it acts, down to half: the lighter of a pair takes
        /// more than half of the exchange.
        pub conductivity: f32 [0 to 1000] in "1/T0" keeps "d²/T0" = 0,
        /// How fast it takes on the temperature of the air around it; other particles shelter it.
        ///
        /// The rate is that of a particle alone in the [air](crate::air). The heat that it gets the air
        /// loses.
        pub air_conductivity: f32 [0 to 1000] in "1/T0" keeps "d/T0" = 0,
        /// How fast it takes on the temperature of the surroundings.
        pub cooling: f32 [0 to 1000] in "1/T0" keeps "1/T0" = 0,
        /// Part of its weight lost per degree above the surroundings.
        ///
        /// With a positive value hot liquid rises. The change is limited to twice the weight.
        pub expansion: f32 [within 1] in "1/degree" = 0,
        /// Change to another class above a temperature; `None` (default) for none.
        pub above: Option<FluidTransition> [group] = { None },
        /// Change to another class below a temperature; `None` (default) for none.
        pub below: Option<FluidTransition> [group] = { None },
        /// Change to what the [air](crate::air) of a world carries along; `None` (default) for none.
        pub into_air: Option<FluidIntoAir> [group] = { None },
    }
}

settings! {
    /// A change of particles to what the [air](crate::air) carries along: they boil, burn or become smoke.
    ///
    /// It has no effect outside of all air of a world. A particle under the surface gives off its gas at
    /// the surface above it. Amounts are in areas of the particle: with 1, the particles that fill a cell
    /// at rest bring it to 1.
    ///
    /// ```
    /// use blob_fluid::air::{Air, AirSettings, AirChannel, AirSides};
    /// use blob_fluid::{
    ///     FluidBounds, ClassId, ClassTable, DensityClass, FluidWorld, FluidIntoAir, ParticleSpawn, SerialExecutor,
    ///     FluidThermal, FluidTransition,
    /// };
    /// use glam::Vec2;
    /// let rains = Some(FluidTransition { temperature: 80.0, becomes: "water".into() });
    /// let into_air = FluidIntoAir { above: 100.0, vapour: 1.0, rains, ..FluidIntoAir::default() };
    /// let water = DensityClass {
    ///     name: "water".into(),
    ///     thermal: FluidThermal { into_air: Some(into_air), ..FluidThermal::default() },
    ///     ..DensityClass::default()
    /// };
    /// let mut world = FluidWorld::default();
    /// world.set_classes(ClassTable::new(vec![water])?)?;
    /// let room = FluidBounds { low: Vec2::splat(-100.0), high: Vec2::splat(100.0) };
    /// let settings = AirSettings { cooling: 2.0, ..AirSettings::default() };
    /// let air = world.insert_air(Air::new(room, 10.0, settings, AirSides::default())?);
    /// let hot = Some(120.0);
    /// world.spawn(ParticleSpawn { temperature: hot, class: ClassId(0), ..Default::default() })?;
    /// world.step(1.0 / 60.0, &SerialExecutor)?;
    /// assert!(world.particles().is_empty() && world.air(air).unwrap().amount(AirChannel::Vapour) > 0.0);
    /// for _ in 0..60 * 10 {
    ///     world.step(1.0 / 60.0, &SerialExecutor)?;
    /// }
    /// assert_eq!(world.particles().len(), 1, "it has rained");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidIntoAir: Default {
        /// Temperature from which on it turns into air.
        ///
        /// With -1000000 particles change as soon as they are in air.
        pub above: f32 [within 1000000] in "degrees" = { 0.0 },
        /// Heat that the change takes.
        ///
        /// With 0 all particles that are warm enough change at once. Otherwise as many do as the heat
        /// beyond `above` suffices for on average, and it is taken from the others: a pool boils away
        /// slowly, and gets no hotter. Rain gives none of it back.
        #[serde(default)]
        pub latent_heat: f32 [0 to 1000000] in "degrees" = 0,
        /// Vapour that a particle becomes.
        ///
        /// The air carries it as [`AirChannel::Vapour`](crate::air::AirChannel::Vapour).
        #[serde(default)]
        pub vapour: f32 [0 to 1000] in "particle areas" = 0,
        /// Smoke that a particle becomes.
        #[serde(default)]
        pub smoke: f32 [0 to 1000] in "particle areas" = 0,
        /// Fuel that a particle becomes.
        ///
        /// A class that also changes `above` a temperature burns to that class, as coal to ash: its particle
        /// gives off the fuel and stays. Powder and elastic classes do not ignite while they touch colder
        /// liquid that does not burn; that liquid takes their heat.
        #[serde(default)]
        pub fuel: f32 [0 to 1000] in "particle areas" = 0,
        /// How much hotter what is left of it gets: it sets on fire what it touches.
        ///
        /// That needs `fuel`, something to become `above` a temperature, and a `conductivity` of both classes.
        /// Without it only flames of the air light the next particle, and a heap hardly burns on.
        #[serde(default)]
        pub afterglow: f32 [0 to 1000000] in "degrees" = 0,
        /// Red, green and blue of the smoke.
        ///
        /// They are as those of an [`AirSource`](crate::air::AirSource). `None` (default) for white.
        #[serde(default)]
        pub colour: Option<[f32; 3]> [within 1000000] = { None },
        /// Gas that comes into being and drives the air away.
        #[serde(default)]
        pub expansion: f32 [0 to 1000] in "particle areas" = 0,
        /// What vapour becomes where the air is colder than a temperature; `None` (default) for nothing.
        /// There is one kind of vapour: the first class of the table that has this decides.
        #[serde(default)]
        pub rains: Option<FluidTransition> [group] = { None },
    }
}

settings! {
    /// A change to another class at a temperature.
    #[derive(Clone, Debug, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
    #[cfg_attr(feature = "bevy_reflect", derive(bevy_reflect::Reflect))]
    pub struct FluidTransition: Default {
        /// Temperature at which it becomes another class.
        pub temperature: f32 [within 1000000] in "degrees" = { 0.0 },
        /// Name of the particles' new class.
        pub becomes: String = { String::new() },
    }
}
