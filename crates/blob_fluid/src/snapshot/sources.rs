//! What a host keeps beside the world, as entries of a snapshot.

use crate::air::Air;
use crate::air::AirId;
use crate::boundary::collider::{Collider, ColliderId};
use crate::boundary::container::{Container, ContainerId};
use crate::boundary::host_body::HostBodyId;
use crate::observe::query::BlobTracker;
use crate::observe::sensor::Sensor;
use crate::observe::splash::SplashDetector;
use crate::snapshot::file::entries;
use crate::solver::governor::Governor;
use crate::sources::drain::Drain;
use crate::sources::emitter::Emitter;
use crate::sources::pump::Pump;
use crate::sources::tank::Tank;

entries! {
    "air": Air,
    "blob tracker": BlobTracker,
    "drain": Drain,
    "emitter": Emitter,
    "governor": Governor,
    "pump": Pump,
    "sensor": Sensor,
    "splash detector": SplashDetector,
    "tank": Tank,
    "list of airs": Vec<AirId>,
    "list of containers": Vec<(ContainerId, Container)>,
    "list of colliders": Vec<(ColliderId, Collider)>,
    "list of drains": Vec<Drain>,
    "list of emitters": Vec<Emitter>,
    "list of host bodies": Vec<HostBodyId>,
    "list of pumps": Vec<Pump>,
    "list of sensors": Vec<Sensor>,
    "list of tanks": Vec<Tank>,
}
