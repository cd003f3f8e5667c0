//! What a host keeps beside the world, as entries of a snapshot.

use crate::air::Air;
use crate::observe::query::BlobTracker;
use crate::observe::sensor::Sensor;
use crate::observe::splash::SplashDetector;
use crate::snapshot::file::entries;
use crate::solver::governor::Governor;
use crate::sources::drain::Drain;
use crate::sources::emitter::Emitter;

entries! {
    "air": Air,
    "blob tracker": BlobTracker,
    "drain": Drain,
    "emitter": Emitter,
    "governor": Governor,
    "sensor": Sensor,
    "splash detector": SplashDetector,
}
