//! A device whose memory is full gives errors, and goes on when some is free again.
//!
//! The test takes all memory of the device. On a processor that draws it takes what the shell allows:
//! `(ulimit -v 4000000; cargo test -p blob_fluid_gpu --test on_device full:: -- --ignored)`.

use blob_fluid::{ClassId, FluidParameters};
use blob_fluid_gpu::{GpuError, GpuParticle, Shaders};
use glam::Vec2;
use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, ErrorFilter, PollType};

use crate::adapter::{device, new_device, on_with};
use crate::liquids::{TICK, block, run, tank, world};

/// Takes memory of a device in pieces of 64 MiB until there is no more, but for one piece, which compilers and queues need.
fn fill(device: &Device) -> Vec<Buffer> {
    let mut taken = Vec::new();
    while taken.len() < 4096 {
        let scope = device.push_error_scope(ErrorFilter::OutOfMemory);
        taken.push(device.create_buffer(&BufferDescriptor {
            label: Some("ballast"),
            size: 64 << 20,
            usage: BufferUsages::COPY_DST,
            mapped_at_creation: false,
        }));
        if futures_lite::future::block_on(scope.pop()).is_some() {
            taken.truncate(taken.len().saturating_sub(2));
            device.poll(PollType::wait_indefinitely()).expect("works");
            return taken;
        }
    }
    panic!("256 GiB do not fill the device");
}

fn assert_full<T>(result: Result<T, GpuError>) {
    match result {
        Err(GpuError::OutOfMemory(why)) => println!("{why}"),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("there was room"),
    }
}

#[test]
#[ignore = "takes all memory of the device"]
fn growth_on_a_full_device_is_an_error_and_changes_nothing() {
    if device().is_none() {
        return;
    }
    let both = new_device().expect("another one");
    let shaders = Shaders::default();
    let mut world = world(FluidParameters::default());
    tank(&mut world, 30.0, 30.0);
    block(&mut world, Vec2::ZERO, (20, 20), ClassId::MEDIUM);
    let mut liquid = on_with(&both, &world, &shaders);
    world.clear();
    run(&mut liquid, world.liquid_mut(), 3);
    let many = vec![GpuParticle::default(); 2_000_000];
    let ballast = fill(&both.0);
    println!("{} times 64 MiB", ballast.len());
    let before = (liquid.len(), liquid.capacity(), liquid.device_bytes());
    assert_full(liquid.reserve(2_000_000));
    assert_full(liquid.append(&many));
    assert_eq!((liquid.len(), liquid.capacity(), liquid.device_bytes()), before);
    // A tick needs no more room.
    run(&mut liquid, world.liquid_mut(), 2);
    assert_eq!(liquid.append(&[GpuParticle::default()]).expect("there is room"), 400..401);
    assert_eq!(liquid.read_particles().expect("read").len(), 401);

    drop(ballast);
    both.0.poll(PollType::wait_indefinitely()).expect("works");
    liquid.reserve(2_000_000).expect("there is room again");
    liquid.step(world.liquid_mut(), TICK).expect("works");
    assert_eq!(liquid.read_particles().expect("read").len(), 401);
}
