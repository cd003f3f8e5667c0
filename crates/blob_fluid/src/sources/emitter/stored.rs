//! An emitter as bytes, with what it still owes.

use crate::sources::crowd::PointHash;
use crate::sources::emitter::Emitter;
use crate::stored::stored;

stored!(Emitter {
    settings,
    phase in Limits::SHARE,
    rows,
    draws,
    dealer,
    burst_is_out,
    emitted,
    held_back,
    refused,
    held_part in Limits::SHARE,
} derived { taken = PointHash::default(), accepted = Vec::new(), supply = None } check |all: &Self| {
    crate::stored::error::countable([all.emitted, all.held_back, all.refused])
});
