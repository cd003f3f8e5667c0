//! Who takes part in a tick.

/// How much of the step a particle goes through in a tick.
///
/// Around liquid that moves lie rings of liquid at rest, each as wide as a tile: the first is treated
/// as if it moved, so that it may begin to; the second only gives pressures to the first, and the
/// third positions to the second. Both return to where they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Activity {
    /// It costs nothing but its place in the sort.
    Asleep,
    /// It is where it would be without its neighbours.
    Predicted,
    /// So it is, and has a density.
    Pressing,
    /// It moves.
    #[default]
    Awake,
}

/// Whether none of some particles takes part.
#[inline]
pub(crate) fn idle(activity: &[Activity]) -> bool {
    activity.iter().all(|activity| *activity == Activity::Asleep)
}

/// For how long a particle has been quiet to which something has just happened: until the next
/// tick begins.
pub(crate) const DISTURBED: f32 = -1.0;

/// Whether some of these particles take part in a pass for those who are that active.
#[inline]
pub(crate) fn takes_part(activity: &[Activity], least: Activity) -> bool {
    activity.iter().any(|activity| *activity >= least)
}
