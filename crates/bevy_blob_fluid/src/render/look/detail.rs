//! The detail of surfaces, controlled by the time of a frame.

use std::borrow::Cow;

use bevy::prelude::*;
use bevy::time::Real;

use crate::materials::FilteredClasses;
use crate::render::look::surface::{FluidSurface, FluidSurfaceLook, FluidSurfaceQuality};

/// Limit of the real time of a frame. While frames take longer, surfaces are drawn with less
/// [detail](FluidDetail).
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::render::FluidDrawingBudget;
///
/// fn setup(mut budget: ResMut<FluidDrawingBudget>) {
///     // Somewhat longer than a frame at 60 Hz: no display keeps time exactly.
///     budget.milliseconds = Some(20.0);
/// }
/// ```
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct FluidDrawingBudget {
    /// Milliseconds from one frame to the next, above 0. `None` (default): always full detail. Choose more than the
    /// display's refresh interval, because frames wait for the display.
    pub milliseconds: Option<f32>,
}

/// Level of detail of surfaces, the highest first. Without a [budget](FluidDrawingBudget), the game controls the level.
///
/// The plugin compares the budget with the median time of the frames of one second. The plugin ignores the first
/// second, in which shaders are compiled. While the median is above the budget, the plugin lowers the detail step by
/// step. If frames are not clearly shorter at the lowest detail, full detail returns for a minute. After ten seconds,
/// the plugin tries to undo a step that has helped. Each failure doubles the time until the next attempt, up to a
/// factor of 16.
#[derive(Resource, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Resource, Default, Debug, PartialEq, Hash)]
pub enum FluidDetail {
    /// All effects of the look.
    #[default]
    Full,
    /// No refraction and no caustics.
    Plain,
    /// As `Plain`, with [`FluidSurfaceQuality`] one level lower, unless it is already the lowest.
    Coarse,
    /// As `Plain`, with the lowest quality.
    Coarsest,
}

impl FluidDetail {
    const ALL: [Self; 4] = [Self::Full, Self::Plain, Self::Coarse, Self::Coarsest];

    /// The surface as it is drawn at this level of detail.
    pub(in crate::render) fn of(self, surface: &FluidSurface) -> Cow<'_, FluidSurface> {
        if self == Self::Full {
            return Cow::Borrowed(surface);
        }
        let plain =
            |look: &FluidSurfaceLook| FluidSurfaceLook { refraction: 0.0, caustics: 0.0, ..*look };
        Cow::Owned(FluidSurface {
            quality: match (self, surface.quality) {
                (Self::Full | Self::Plain, quality) => quality,
                (Self::Coarse, FluidSurfaceQuality::High) => FluidSurfaceQuality::Medium,
                (Self::Coarse | Self::Coarsest, _) => FluidSurfaceQuality::Low,
            },
            look: plain(&surface.look),
            gas_look: plain(&surface.gas_look),
            class_looks: surface
                .class_looks
                .iter()
                .map(|(classes, look)| (classes.clone(), plain(look)))
                .collect(),
            ..*surface
        })
    }

    /// Whether all surfaces look the same at another level of detail.
    fn looks_like(self, other: Self, surfaces: &[FluidSurface]) -> bool {
        surfaces.iter().all(|surface| self.of(surface) == other.of(surface))
    }

    /// The next lower level at which some surface looks simpler.
    fn less(self, surfaces: &[FluidSurface]) -> Option<Self> {
        Self::ALL.into_iter().find(|other| *other > self && !self.looks_like(*other, surfaces))
    }

    /// The next higher level at which some surface looks better; the highest of several that look
    /// the same.
    fn more(self, surfaces: &[FluidSurface]) -> Option<Self> {
        let mut better = Self::ALL.into_iter().rev();
        let next = better.find(|other| *other < self && !self.looks_like(*other, surfaces))?;
        Self::ALL.into_iter().find(|other| other.looks_like(next, surfaces))
    }
}

/// Least duration of a window of counted frames, in seconds.
const WINDOW: f32 = 1.0;

/// Least number of frames in a window.
const FRAMES: usize = 5;

/// At the lowest detail, frames must take at most this fraction of the original time to count as
/// shorter.
const CLEARLY: f32 = 0.9;

/// Time for which full detail stays after lowering it did not help, in seconds.
const KEEP: f32 = 60.0;

/// Time until a step is undone, in seconds.
const TAKE_BACK: f32 = 10.0;

/// Factor on either time after a failure.
const PATIENCE: f32 = 2.0;

/// Largest multiple of either time.
const MOST_PATIENCE: f32 = 16.0;

/// The cause of the last change of the detail.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Shaders are compiled during the first frames, whose times are not representative.
    Start,
    /// No change is tried for `wait` seconds.
    Steady { wait: f32 },
    /// Detail is being lowered, because frames took `before` milliseconds.
    Descent { before: f32 },
    /// A step was undone for a trial.
    Trial,
}

/// Chooses the detail.
pub(in crate::render) struct DetailGovernor {
    /// Times of the counted frames, in milliseconds.
    frames: Vec<f32>,
    seconds: f32,
    phase: Phase,
    /// Present multiples of [`KEEP`] and [`TAKE_BACK`].
    keep: f32,
    take_back: f32,
}

impl Default for DetailGovernor {
    fn default() -> Self {
        Self { frames: Vec::new(), seconds: 0.0, phase: Phase::Start, keep: 1.0, take_back: 1.0 }
    }
}

impl DetailGovernor {
    /// Counts a frame. Returns, at the end of a window, its median in milliseconds and its length in seconds.
    fn count(&mut self, seconds: f32) -> Option<(f32, f32)> {
        self.frames.push(1e3 * seconds);
        self.seconds += seconds;
        if self.seconds < WINDOW || self.frames.len() < FRAMES {
            return None;
        }
        let middle = self.frames.len() / 2;
        let (_, median, _) = self.frames.select_nth_unstable_by(middle, f32::total_cmp);
        let counted = (*median, self.seconds);
        self.frames.clear();
        self.seconds = 0.0;
        Some(counted)
    }

    /// The detail for the next frames, after a window with this median time. `less` and `more` are the levels next to
    /// the present one.
    fn choose(
        &mut self,
        median: f32,
        seconds: f32,
        budget: f32,
        detail: FluidDetail,
        [less, more]: [Option<FluidDetail>; 2],
    ) -> FluidDetail {
        let is_slow = median > budget;
        match self.phase {
            Phase::Start => {
                self.phase = Phase::Steady { wait: 0.0 };
                detail
            }
            Phase::Steady { wait } if wait > seconds => {
                // A step that helped in an earlier window may not suffice in this one.
                if is_slow
                    && detail > FluidDetail::Full
                    && let Some(less) = less
                {
                    self.phase = Phase::Descent { before: median };
                    return less;
                }
                self.phase = Phase::Steady { wait: wait - seconds };
                detail
            }
            Phase::Steady { .. } if is_slow => match less {
                Some(less) => {
                    self.phase = Phase::Descent { before: median };
                    less
                }
                None => detail,
            },
            Phase::Steady { .. } => match more {
                Some(more) => {
                    self.phase = Phase::Trial;
                    more
                }
                None => detail,
            },
            Phase::Descent { before } if is_slow => match less {
                Some(less) => less,
                None if median > CLEARLY * before => {
                    self.phase = Phase::Steady { wait: KEEP * self.keep };
                    self.keep = (PATIENCE * self.keep).min(MOST_PATIENCE);
                    FluidDetail::Full
                }
                None => self.stay(detail),
            },
            Phase::Descent { .. } => {
                self.keep = 1.0;
                self.stay(detail)
            }
            Phase::Trial if is_slow => {
                self.take_back = (PATIENCE * self.take_back).min(MOST_PATIENCE);
                self.stay(less.unwrap_or(detail))
            }
            Phase::Trial => {
                self.take_back = 1.0;
                self.stay(detail)
            }
        }
    }

    fn stay(&mut self, detail: FluidDetail) -> FluidDetail {
        self.phase = Phase::Steady { wait: TAKE_BACK * self.take_back };
        detail
    }
}

/// Chooses the [`FluidDetail`] while a budget is set.
pub(in crate::render) fn choose_detail(
    budget: Res<FluidDrawingBudget>,
    time: Option<Res<Time<Real>>>,
    surfaces: Query<&FluidSurface>,
    classes: FilteredClasses,
    mut detail: ResMut<FluidDetail>,
    mut governor: Local<Option<DetailGovernor>>,
) {
    let Some(milliseconds) = budget.milliseconds.filter(|milliseconds| *milliseconds > 0.0) else {
        if governor.take().is_some() {
            detail.set_if_neq(FluidDetail::Full);
        }
        return;
    };
    let Some(time) = time else { return };
    let governor = governor.get_or_insert_default();
    if let Some((median, seconds)) = governor.count(time.delta_secs()) {
        let surfaces: Vec<_> = surfaces.iter().map(|surface| surface.resolved(&classes)).collect();
        let next_to = [detail.less(&surfaces), detail.more(&surfaces)];
        let chosen = governor.choose(median, seconds, milliseconds, *detail, next_to);
        detail.set_if_neq(chosen);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const BUDGET: f32 = 20.0;

    fn app(surface: FluidSurface) -> App {
        let mut app = App::new();
        app.insert_resource(FluidDrawingBudget { milliseconds: Some(BUDGET) })
            .init_resource::<FluidDetail>()
            .init_resource::<Time<Real>>()
            .add_systems(Update, choose_detail);
        app.world_mut().spawn(surface);
        app
    }

    /// Plays frames that take `milliseconds` at each level of detail. Returns the seconds at each
    /// level.
    fn play(app: &mut App, seconds: f32, milliseconds: impl Fn(FluidDetail) -> f32) -> [f32; 4] {
        let mut with = [0.0; 4];
        while with.iter().sum::<f32>() < seconds {
            let detail = *app.world().resource::<FluidDetail>();
            let frame = milliseconds(detail) / 1e3;
            with[detail as usize] += frame;
            let mut time = app.world_mut().resource_mut::<Time<Real>>();
            time.update_with_duration(Duration::from_secs_f32(frame));
            app.update();
        }
        with
    }

    fn detail(app: &App) -> FluidDetail {
        *app.world().resource::<FluidDetail>()
    }

    fn slow(detail: FluidDetail) -> f32 {
        [40.0, 30.0, 18.0, 12.0][detail as usize]
    }

    #[test]
    fn detail_is_given_up_until_frames_are_in_time() {
        let high = FluidSurface {
            quality: FluidSurfaceQuality::High,
            ..FluidSurface::from(FluidSurfaceLook::WATER)
        };
        let mut app = app(high);
        play(&mut app, 6.0, slow);
        assert_eq!(detail(&app), FluidDetail::Coarse);
        // Higher detail is tried again, at growing intervals.
        let [full, plain, coarse, coarsest] = play(&mut app, 300.0, slow);
        assert_eq!((full, coarsest), (0.0, 0.0));
        assert!(plain > 2.0 && plain < 0.05 * coarse, "{plain} {coarse}");
        // All detail returns when frames are fast again, as on a page that becomes smaller.
        play(&mut app, 400.0, |_| 10.0);
        assert_eq!(detail(&app), FluidDetail::Full);
        // A single long frame does not change the detail.
        let frames = std::cell::Cell::new(0);
        let hitches = |_| {
            frames.set(frames.get() + 1);
            if frames.get() % 20 == 0 { 200.0 } else { 10.0 }
        };
        let [_, plain, coarse, coarsest] = play(&mut app, 60.0, hitches);
        assert_eq!([plain, coarse, coarsest], [0.0; 3]);
    }

    #[test]
    fn frames_in_which_shaders_are_compiled_do_not_count() {
        let mut app = app(FluidSurface::from(FluidSurfaceLook::WATER));
        let first = std::cell::Cell::new(4);
        let starting = |_| {
            first.set(first.get() - first.get().min(1));
            if first.get() > 0 { 500.0 } else { 10.0 }
        };
        let [_, plain, coarse, coarsest] = play(&mut app, 60.0, starting);
        assert_eq!([plain, coarse, coarsest], [0.0; 3]);
    }

    #[test]
    fn detail_is_kept_where_drawing_is_not_what_takes_the_time() {
        let mut app = app(FluidSurface::from(FluidSurfaceLook::WATER));
        let [full, ..] = play(&mut app, 600.0, |_| 40.0);
        assert!(full > 580.0, "{full}");
    }

    #[test]
    fn steps_that_change_nothing_are_left_out() {
        // The default surface has neither refraction nor caustics, and medium quality.
        let mut app = app(FluidSurface::default());
        let [_, plain, _, coarsest] = play(&mut app, 60.0, slow);
        assert_eq!((plain, coarsest), (0.0, 0.0));
        assert_eq!(detail(&app), FluidDetail::Coarse);
        let asked = FluidSurface::from(FluidSurfaceLook::WATER);
        for detail in FluidDetail::ALL {
            let drawn = detail.of(&asked);
            assert_eq!(drawn.look.refraction > 0.0, detail == FluidDetail::Full);
            assert_eq!(drawn.look.opacity, asked.look.opacity);
            assert_eq!(drawn.quality == asked.quality, detail < FluidDetail::Coarse);
        }
    }

    #[test]
    fn without_a_budget_the_game_chooses() {
        let mut app = app(FluidSurface::default());
        app.insert_resource(FluidDrawingBudget::default()).insert_resource(FluidDetail::Plain);
        play(&mut app, 10.0, slow);
        assert_eq!(detail(&app), FluidDetail::Plain);
        app.insert_resource(FluidDrawingBudget { milliseconds: Some(BUDGET) });
        play(&mut app, 10.0, slow);
        assert_eq!(detail(&app), FluidDetail::Coarse);
        // Removing the budget restores full detail.
        app.insert_resource(FluidDrawingBudget::default());
        play(&mut app, 1.0, slow);
        assert_eq!(detail(&app), FluidDetail::Full);
    }
}
