//! How long a body has been at rest, and whether it sleeps.

use crate::geometry::pose::Pose;
use crate::stored::stored;

/// How long a body has stayed at a place, and whether it sleeps. It means nothing for a solid that is
/// no body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rest {
    /// Where it has stayed.
    pub pose: Pose,
    /// For how long, in seconds. It does not grow beyond the time after which a body may sleep.
    pub time: f32,
    /// Whether it sleeps.
    pub asleep: bool,
}

stored!(Rest { pose, time in Limits::NOT_NEGATIVE, asleep });

impl Rest {
    /// A body that has only just come to a pose.
    pub(crate) const fn restless(pose: Pose) -> Self {
        Self { pose, time: 0.0, asleep: false }
    }
}
