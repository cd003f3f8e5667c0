//! Which particles take part in a tick, and in which of its passes.

/// How much of the step is computed for a particle in a tick.
///
/// Moving liquid is surrounded by three rings of liquid at rest, each as wide as a tile. The first
/// ring is computed like moving liquid, so that it can begin to move. The second ring only gives
/// pressures to the first, and the third only gives positions to the second. The particles of the
/// second and the third ring return to their old positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Activity {
    /// The particle is only sorted.
    Asleep,
    /// The particle has a predicted position, where it would be without its neighbours.
    Predicted,
    /// The particle has a predicted position, a density and a pressure.
    Pressing,
    /// The particle moves.
    #[default]
    Awake,
}

/// Whether all of these particles are asleep.
#[inline]
pub(crate) fn idle(activity: &[Activity]) -> bool {
    // Without an early end the loop needs a few vector instructions. Most chunks are all asleep or
    // all awake.
    activity.first().is_none_or(|first| *first == Activity::Asleep)
        && activity.iter().fold(true, |all, activity| all & (*activity == Activity::Asleep))
}

/// Rest time of a disturbed particle until the next tick begins, in place of a number of seconds.
pub(crate) const DISTURBED: f32 = -1.0;

/// Whether any of these particles takes part in a pass that requires at least the activity `least`.
#[inline]
pub(crate) fn takes_part(activity: &[Activity], least: Activity) -> bool {
    activity.first().is_some_and(|first| *first >= least)
        || activity.iter().fold(false, |any, activity| any | (*activity >= least))
}
