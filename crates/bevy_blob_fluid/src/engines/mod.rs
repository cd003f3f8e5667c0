//! Physics engines: their bodies and the liquid push each other.
//!
//! | feature | engine | plugin |
//! |---|---|---|
//! | `avian2d` | [avian2d](https://docs.rs/avian2d/0.7) | `FluidAvianPlugin` |
//! | `rapier2d` | [bevy_rapier2d](https://docs.rs/bevy_rapier2d/0.36) | `FluidRapierPlugin` |
//!
//! Add [`FluidCoupled`] to a collider or to a rigid body of the engine. The plugins are part of
//! [`BlobFluidPlugins`](crate::BlobFluidPlugins). An engine of your own needs one implementation of
//! [`PhysicsEngine`] and its [`FluidEnginePlugin`].
//!
//! # How it works
//!
//! 1. Before the fluid's ticks, [`PhysicsEngine::collect`] lists the engine's bodies and colliders.
//!    Shapes are converted once, when they change.
//! 2. Within a tick, the colliders of a dynamic body move together, as a [host body](blob_fluid::HostBody) of the
//!    core. The host body moves from the previous pose to the present pose. The liquid changes the velocity of the
//!    host body in every substep, so that light bodies are stable.
//! 3. [`PhysicsEngine::push`] applies the impulses of all ticks since the engine's last step to the engine's bodies,
//!    once.
//!
//! `docs/bodies.md` and `docs/engines.md` in the repository have the first program, units and supported shapes.

#[cfg(feature = "avian2d")]
mod avian;
mod bodies;
#[cfg(feature = "rapier2d")]
mod rapier;
mod sync;

#[cfg(feature = "avian2d")]
use avian2d::schedule::{Physics, PhysicsTime};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

#[cfg(feature = "rapier2d")]
use crate::engines::rapier::RapierClock;
use crate::simulation::{Fluid, FluidClock};

#[cfg(feature = "avian2d")]
pub use avian::{Avian, FluidAvianPlugin};
pub use bodies::{
    EngineBodies, EngineBody, EngineCollider, EnginePush, FluidCoupled, Piece, ShapeError,
};
#[cfg(feature = "rapier2d")]
pub use rapier::{FluidRapierPlugin, Rapier};
pub use sync::{FluidEnginePlugin, PhysicsEngine};
#[cfg(feature = "snapshot")]
pub(crate) use sync::{FluidHosts, Host};

// The clocks of the liquid and of the engines, set together.

/// The clocks of the liquid and of the physics engines, to pause and slow them together.
///
/// This parameter sets [`Time<Fluid>`](Fluid). With the features and plugins of these engines, it also sets avian2d's
/// `Time<Physics>`, and bevy_rapier2d's `physics_pipeline_active` and `TimestepMode`. The game's own systems continue,
/// unless you pause `Time<Virtual>`. An engine of your own has its own clock.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn toggle_pause(keys: Res<ButtonInput<KeyCode>>, mut clocks: FluidClocks) {
///     if keys.just_pressed(KeyCode::KeyP) {
///         if clocks.is_paused() { clocks.unpause() } else { clocks.pause() }
///     }
///     // Bullet time.
///     let slow = keys.pressed(KeyCode::ShiftLeft);
///     clocks.set_relative_speed(if slow { 0.1 } else { 1.0 });
/// }
/// # App::new().add_systems(Update, toggle_pause);
/// ```
#[derive(SystemParam)]
pub struct FluidClocks<'w, 's> {
    fluid: ResMut<'w, Time<Fluid>>,
    #[cfg(feature = "avian2d")]
    avian: Option<ResMut<'w, Time<Physics>>>,
    #[cfg(feature = "rapier2d")]
    rapier: RapierClock<'w, 's>,
    #[cfg(not(feature = "rapier2d"))]
    _state: std::marker::PhantomData<&'s ()>,
}

impl FluidClocks<'_, '_> {
    /// Pauses the liquid and the engines.
    pub fn pause(&mut self) {
        self.set_paused(true);
    }

    /// Resumes the liquid and the engines.
    pub fn unpause(&mut self) {
        self.set_paused(false);
    }

    /// Whether the liquid is paused.
    pub fn is_paused(&self) -> bool {
        self.fluid.is_paused()
    }

    fn set_paused(&mut self, paused: bool) {
        if self.fluid.is_paused() != paused {
            if paused { self.fluid.pause() } else { self.fluid.unpause() }
        }
        #[cfg(feature = "avian2d")]
        if let Some(avian) = self.avian.as_mut().filter(|avian| avian.is_paused() != paused) {
            if paused { avian.pause() } else { avian.unpause() }
        }
        #[cfg(feature = "rapier2d")]
        self.rapier.set_paused(paused);
    }

    /// Slows the liquid and the engines down (below 1) or speeds them up. Negative, infinite and NaN speeds count as 0.
    ///
    /// The liquid runs fewer or more ticks of the same length, and the engines make their steps shorter or longer.
    /// With `TimestepMode::Variable`, bevy_rapier2d makes no step longer than its `max_dt`. A `TimestepMode` that
    /// the game sets while the speed is not 1 counts as the mode at speed 1.
    pub fn set_relative_speed(&mut self, speed: f64) {
        if self.fluid.relative_speed() != speed {
            self.fluid.set_relative_speed(speed);
        }
        #[cfg(any(feature = "avian2d", feature = "rapier2d"))]
        let speed = self.fluid.relative_speed();
        #[cfg(feature = "avian2d")]
        if let Some(avian) = self.avian.as_mut().filter(|avian| avian.relative_speed_f64() != speed)
        {
            avian.set_relative_speed_f64(speed);
        }
        #[cfg(feature = "rapier2d")]
        self.rapier.set_relative_speed(speed as f32);
    }

    /// Relative speed of the liquid; 1 unless changed.
    pub fn relative_speed(&self) -> f64 {
        self.fluid.relative_speed()
    }
}
