//! Files that somebody wrote, damaged, or made to do harm.

use blob_fluid::air::AirChannel;
use blob_fluid::material::Material;
use blob_fluid::scene::Scene;
use blob_fluid::{BakedFluid, BakedPlayer, FluidWorld, Recording, SerialExecutor, SnapshotFile};
use glam::Vec2;

use crate::host::TICK;

/// Most particles, and most cells of air, of a world that is stepped, so that a fuzzer gets on.
const FEW: usize = 2000;

/// A scene file: refused, or a world that runs.
///
/// # Panics
///
/// If it is neither.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(scene) = Scene::from_ron(text) else { return };
    let Ok(mut world) = scene.build() else { return };
    run(&mut world, scene.time_step());
}

/// A material file: refused, or one that is written and read again as the same.
///
/// # Panics
///
/// If it is neither.
pub fn material(bytes: &[u8]) {
    let Ok(material) = Material::from_bytes(bytes) else { return };
    let again = Material::from_ron(&material.to_ron()).expect("it was valid");
    assert_eq!(again, material);
}

/// A snapshot, whose header is made right: refused, or a world that runs and gives the same bytes again.
///
/// # Panics
///
/// If it is neither.
pub fn snapshot(bytes: &[u8]) {
    let Ok(mut world) = FluidWorld::from_bytes(&sealed(bytes)) else { return };
    let written = world.to_bytes().expect("between two ticks");
    let again = FluidWorld::from_bytes(&written).expect("it was valid");
    assert!(again.to_bytes().expect("between two ticks") == written, "exported again");
    run(&mut world, TICK);
}

/// A recording, whose header is made right: refused, or played until it differs.
///
/// # Panics
///
/// If it is neither.
pub fn recording(bytes: &[u8]) {
    let Ok(recording) = Recording::from_bytes(&sealed(bytes)) else { return };
    let Ok(mut replay) = recording.replay() else { return };
    for _ in 0..8 {
        if replay.world().particles().len() > FEW || replay.step(&SerialExecutor).is_err() {
            break;
        }
    }
}

/// A baked liquid, whose header is made right: refused, or shown.
///
/// # Panics
///
/// If it is neither.
pub fn film(bytes: &[u8]) {
    let Ok(baked) = BakedFluid::from_bytes(&sealed(bytes)) else { return };
    let last = baked.seconds();
    let mut player = BakedPlayer::new(baked);
    for time in [0.0, 0.5 * last, 0.4 * last, last, f64::NAN, -1.0] {
        if player.show(time).is_err() {
            break;
        }
        let frame = player.shown();
        assert_eq!(frame.positions().len(), frame.classes().len());
    }
}

/// Two ticks of a world that is not too large.
pub fn run(world: &mut FluidWorld, time_step: f32) {
    let cells: usize = world.airs().map(|air| air.channel(AirChannel::Smoke).len()).sum();
    if world.particles().len().max(cells) > FEW {
        return;
    }
    for _ in 0..2 {
        world.step(time_step, &SerialExecutor).expect("a valid time step");
    }
    let particles = world.particles();
    let mut vectors = particles.positions().iter().chain(particles.velocities());
    assert!(vectors.all(|vector| Vec2::is_finite(*vector)), "not finite after a tick");
}

/// The bytes of a file with the version, the length and the checksum that it must have.
pub fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if let Some((header, rest)) = bytes.split_at_mut_checked(24) {
        header[8..12].copy_from_slice(&SnapshotFile::VERSION.to_le_bytes());
        header[12..20].copy_from_slice(&(rest.len() as u64).to_le_bytes());
        header[20..].copy_from_slice(&crc32fast::hash(rest).to_le_bytes());
    }
    bytes
}
