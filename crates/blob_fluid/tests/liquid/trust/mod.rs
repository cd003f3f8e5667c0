//! Bytes, files and calls that nobody means well with: what is read is within its range, takes no more memory than is
//! said, and no more time than grows with its length.

mod calls;
mod counts;
mod memory;
mod numbers;
mod scenes;
mod work;

use blob_fluid::{FluidWorld, SerialExecutor, Snapshot, SnapshotError, SnapshotFile};

use crate::ticks::TICK;

/// Bytes before the entries of a file: magic, version, length and checksum.
const HEADER: usize = 24;

/// Gives the bytes of a file the length and the checksum that they must have.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = (bytes.len() - HEADER) as u64;
    bytes[12..20].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[HEADER..]);
    bytes[20..HEADER].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

/// A file of one value, and the value of a file.
fn file_of(value: &impl Snapshot) -> Vec<u8> {
    let mut file = SnapshotFile::default();
    file.insert("it", value).expect("new");
    file.to_bytes()
}

fn value_of<T: Snapshot>(bytes: &[u8]) -> Result<T, SnapshotError> {
    SnapshotFile::from_bytes(bytes)?.get("it")
}

/// Fails unless a world runs for some ticks, stays finite, and has bytes that are read again before and after them.
fn assert_runs(mut world: FluidWorld, ticks: u32, what: &str) {
    let reads = |world: &FluidWorld, when: &str| {
        let bytes = world.to_bytes().expect("between two ticks");
        let again = FluidWorld::from_bytes(&bytes);
        assert!(again.is_ok(), "{what}: its own bytes {when}: {:?}", again.err());
    };
    reads(&world, "at first");
    for _ in 0..ticks {
        world.step(TICK, &SerialExecutor).expect("valid");
        let particles = world.particles();
        let mut vectors = particles.positions().iter().chain(particles.velocities());
        assert!(vectors.all(|vector| vector.is_finite()), "{what}: a particle");
        let densities = particles.relative_densities();
        assert!(densities.iter().all(|density| density.is_finite()), "{what}: a density");
        let loads = world.colliders().filter_map(|(id, _)| world.load_on(id));
        let finite = loads
            .into_iter()
            .all(|load| load.impulse.is_finite() && load.angular_impulse.is_finite());
        assert!(finite, "{what}: a load");
    }
    reads(&world, "after its ticks");
}
