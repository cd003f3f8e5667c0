//! Playback of a baked liquid.

use bevy::prelude::*;
use blob_fluid::{BakedFluid, BakedFrame, BakedPlayer, ClassId, SnapshotError};

use crate::coloring::{FluidColorBy, FluidColorScale, shade};
use crate::foam::{FluidGlow, looseness};
use crate::render::{FluidDrawnTime, FluidInstance, FluidInstances};
use crate::simulation::FluidClasses;

/// A baked liquid that is drawn in place of the simulated liquid, with the same looks. Use it for cut scenes, and for
/// machines that are too weak for the simulation. The simulation continues invisibly; a simulation without particles
/// costs nothing.
///
/// Insert the resource to show the film, and remove it to return to the simulation. Classes are found by their names;
/// classes that the game lacks are drawn as its first class. A film contains the positions, classes, densities,
/// temperatures, opacities and paints of particles, and no foam. Walls, air and bodies are those of the game. The film
/// follows [`Time`], so it pauses with the game.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::blob_fluid::{BakeSettings, FluidBaker};
/// use bevy_blob_fluid::{FluidFilm, FluidSimulation};
///
/// /// Bakes while the game runs: to be added to `FixedLast`, which follows each tick.
/// fn bake(fluid: Res<FluidSimulation>, mut baker: Local<Option<FluidBaker>>) -> Result {
///     match &mut *baker {
///         Some(baker) => baker.after_tick(&fluid),
///         none => *none = Some(FluidBaker::new(&fluid, BakeSettings::default())?),
///     }
///     Ok(())
/// }
///
/// /// Shows a film from a file.
/// fn show(mut commands: Commands) -> Result {
///     let bytes = std::fs::read("waterfall.film")?;
///     commands.insert_resource(FluidFilm::from_bytes(&bytes)?.repeating());
///     Ok(())
/// }
/// ```
#[doc = guide!("waterfall")]
#[derive(Resource, Clone, Debug)]
pub struct FluidFilm {
    player: BakedPlayer,
    time: f64,
    /// Playback speed, as a multiple of the baked speed. Negative values play backwards. Default 1; NaN counts as 0.
    pub speed: f64,
    /// Whether the film repeats, forwards or backwards. Default no: the last shown moment stays.
    pub repeats: bool,
}

impl FluidFilm {
    /// A film that starts at its first moment.
    pub fn new(baked: BakedFluid) -> Self {
        Self { player: BakedPlayer::new(baked), time: 0.0, speed: 1.0, repeats: false }
    }

    /// Reads bytes from [`BakedFluid::to_bytes`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`BakedFluid::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        BakedFluid::from_bytes(bytes).map(Self::new)
    }

    /// The same film, which restarts after its end.
    #[must_use]
    pub fn repeating(mut self) -> Self {
        self.repeats = true;
        self
    }

    /// The baked liquid.
    pub fn baked(&self) -> &BakedFluid {
        self.player.baked()
    }

    /// The shown moment, in seconds after the film's beginning.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Jumps to a moment, in seconds after the film's beginning. The time is clamped to the film's length; NaN counts
    /// as 0.
    pub fn set_time(&mut self, time: f64) {
        self.time = time.max(0.0).min(self.baked().seconds());
    }

    /// Whether the film has reached its end and stays there.
    pub fn is_over(&self) -> bool {
        let end = if self.speed < 0.0 { 0.0 } else { self.baked().seconds() };
        !self.repeats && self.time == end
    }

    /// The particles at the moment that was shown last.
    pub fn shown(&self) -> &BakedFrame {
        self.player.shown()
    }

    /// Advances the film by a time of the game, in seconds.
    fn go_on(&mut self, seconds: f64) {
        let way = self.speed * seconds;
        let time = self.time + if way.is_nan() { 0.0 } else { way };
        let length = self.baked().seconds();
        self.set_time(if self.repeats && length > 0.0 { time.rem_euclid(length) } else { time });
    }
}

/// Advances the film, and publishes the particles of the moment.
pub(super) fn publish_film(
    mut film: ResMut<FluidFilm>,
    time: Res<Time>,
    classes: Res<FluidClasses>,
    scale: Res<FluidColorScale>,
    glow: Res<FluidGlow>,
    mut drawn_time: ResMut<FluidDrawnTime>,
    mut instances: ResMut<FluidInstances>,
) {
    // A new film first shows its first moment.
    let begins = film.is_added();
    if !begins {
        film.bypass_change_detection().go_on(time.delta_secs_f64());
    }
    let FluidFilm { player, time, .. } = film.bypass_change_detection();
    if let Err(error) = player.show(*time) {
        warn_once!("a moment of the film is damaged: {error}");
        return;
    }
    drawn_time.0 = Some(*time as f32);
    // Classes that the game lacks are drawn as its first class.
    let first = ClassId(0);
    let names = player.baked().class_names();
    let class_of: Vec<ClassId> = names.map(|name| classes.find(name).unwrap_or(first)).collect();
    let spacing = player.baked().particle_spacing();
    let frame = player.shown();
    let is_painted = |class: ClassId| classes.get(class).is_some_and(|class| class.paint.is_some());
    let drawn = (0..frame.len()).map(|index| {
        let class = frame.classes()[index].index();
        let class = class_of.get(class).copied().unwrap_or(first);
        instance_of(frame, index, class, is_painted(class), &scale, &glow)
    });
    instances.set(drawn, spacing);
}

/// The instance of a particle.
fn instance_of(
    frame: &BakedFrame,
    index: usize,
    class: ClassId,
    is_painted: bool,
    scale: &FluidColorScale,
    glow: &FluidGlow,
) -> FluidInstance {
    let at = frame.positions()[index];
    let density = frame.relative_densities()[index];
    // The position is already interpolated between two baked moments.
    let drawn = FluidInstance::new(at, at, class.0, shade(frame.ids()[index]))
        .with_opacity(frame.opacities()[index])
        .with_looseness(looseness(density));
    let shown = match scale.by() {
        FluidColorBy::Class => {
            let drawn = drawn.with_heat_and_foam(glow.heat(frame.temperatures()[index]), 0.0);
            let paint = frame.paints().get(index).filter(|_| is_painted);
            return paint.map_or(drawn, |paint| drawn.with_paint(*paint));
        }
        FluidColorBy::Speed => frame.velocities()[index].length(),
        FluidColorBy::Density => density,
        FluidColorBy::Temperature => frame.temperatures()[index],
        // These quantities are not baked.
        FluidColorBy::Pressure | FluidColorBy::Age | FluidColorBy::Tag => {
            return drawn.with_color(0);
        }
    };
    drawn.with_color(scale.index_of(shown))
}
