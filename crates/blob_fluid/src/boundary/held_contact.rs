//! Contacts of bodies, as remembered from one substep to the next.

use crate::stored::stored;

/// What tells a contact from others: the body, the other side, and the corner that touches.
///
/// The fields are in the order in which contacts are found, so that lists of contacts are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContactKey {
    /// Index of the body.
    pub body: usize,
    /// Index of the other collider plus 1; 0 for the container.
    pub other: usize,
    /// Whether the corner is one of the other collider, and not of the body.
    pub is_of_other: bool,
    /// Number of the corner.
    pub corner: usize,
    /// Number of the container's wall.
    pub wall: usize,
}

stored!(ContactKey { body, other, is_of_other, corner, wall });

/// Impulses at a contact in the last substep. The next one starts with them, so that a stack of bodies
/// comes to rest however few the iterations of a substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldContact {
    pub key: ContactKey,
    /// Impulse along the normal.
    pub pushed: f32,
    /// Impulse along the tangent.
    pub rubbed: f32,
}

impl HeldContact {
    pub(crate) fn is_finite(&self) -> bool {
        self.pushed.is_finite() && self.rubbed.is_finite()
    }
}

stored!(HeldContact { key, pushed in Limits::FINITE, rubbed in Limits::FINITE });
