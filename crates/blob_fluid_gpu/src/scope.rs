//! Error scopes: errors of a device would end the program without them.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use wgpu::{
    Buffer, BufferDescriptor, BufferUsages, Device, Error, ErrorFilter, ErrorScopeGuard, PollType,
    Queue,
};

use crate::error::GpuError;

/// Runs work on a device that may be lost or out of memory. Objects created then are invalid, and
/// their use is an error. Writes to buffers created before a loss are ignored, so the device is
/// checked at the end. Browsers report errors later, elsewhere.
pub(crate) fn guarded<T>(
    on: (&Device, &Queue),
    work: impl FnOnce() -> Result<T, GpuError>,
) -> Result<T, GpuError> {
    match scoped(on.0, work) {
        Err(full @ GpuError::OutOfMemory(_)) => Err(full),
        done => check_there(on).and(done),
    }
}

/// Runs work in error scopes of a device.
fn scoped<T>(device: &Device, work: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
    let full = device.push_error_scope(ErrorFilter::OutOfMemory);
    let invalid = device.push_error_scope(ErrorFilter::Validation);
    let done = work();
    let (invalid, full) = (popped(invalid), popped(full));
    match (full, invalid) {
        (Some(error), _) => Err(GpuError::OutOfMemory(error.to_string())),
        (None, Some(error)) => Err(no_answer(error)),
        (None, None) => done,
    }
}

/// Creates a buffer, if the device has memory for it. It is not mapped at creation, because that
/// panics on a lost device.
pub(crate) fn buffer(
    device: &Device,
    label: &str,
    size: u64,
    usage: BufferUsages,
) -> Result<Buffer, GpuError> {
    let create = || {
        #[cfg(test)]
        tests::take_room()?;
        Ok(create(device, label, size, usage))
    };
    scoped(device, create).map_err(|error| match error {
        GpuError::OutOfMemory(_) => {
            GpuError::OutOfMemory(format!("it has no {size} bytes for `{label}`"))
        }
        error => error,
    })
}

fn create(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Buffer {
    let label = Some(label);
    device.create_buffer(&BufferDescriptor { label, size, usage, mapped_at_creation: false })
}

/// Returns an error for a lost device. Only the use of objects created after the loss shows the loss.
pub(crate) fn check_there(on: (&Device, &Queue)) -> Result<(), GpuError> {
    let probe = || {
        // An empty write takes no memory, and is an error if the buffer is invalid.
        on.1.write_buffer(&create(on.0, "check_there", 4, BufferUsages::COPY_DST), 0, &[]);
        Ok(())
    };
    match scoped(on.0, probe) {
        Err(GpuError::NoAnswer(_)) => Err(GpuError::Lost),
        // A device whose memory is full is not lost.
        _ => Ok(()),
    }
}

/// Polls the device. A lost device is not polled, because that may panic.
pub(crate) fn poll(on: (&Device, &Queue), how: PollType) -> Result<(), GpuError> {
    check_there(on)?;
    on.0.poll(how).map(|_| ()).map_err(no_answer)
}

/// Reads the first bytes of a mapped buffer, and unmaps it. A lost device has no mapped memory.
pub(crate) fn read_mapped<T>(
    on: (&Device, &Queue),
    buffer: &Buffer,
    bytes: u64,
    read: impl FnOnce(&[u8]) -> T,
) -> Result<T, GpuError> {
    check_there(on)?;
    let done = read(&buffer.get_mapped_range(..bytes));
    buffer.unmap();
    Ok(done)
}

pub(crate) fn no_answer(error: impl std::fmt::Display) -> GpuError {
    GpuError::NoAnswer(error.to_string())
}

/// The error of a scope, if it is already known. Native devices know it at once.
fn popped(scope: ErrorScopeGuard) -> Option<Error> {
    let mut popped = pin!(scope.pop());
    match popped.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use blob_fluid::{
        ClassFilter, ClassTable, Collider, Container, DensityClass, FluidRegion, FluidThermal,
        FluidWorld, Force, ParticleSpawn, SplashDetection,
    };
    use futures_lite::future::block_on;
    use glam::Vec2;
    use wgpu::{DeviceDescriptor, Instance, RequestAdapterOptions};

    use super::*;
    use crate::{GpuDrain, GpuInstances, GpuLiquid, GpuParticle, GpuSensor, Shaders};

    const TICK: f32 = 1.0 / 60.0;

    thread_local! {
        /// Number of buffers that this thread can create before the memory counts as full.
        static ROOM: Cell<u32> = const { Cell::new(u32::MAX) };
    }

    pub(super) fn take_room() -> Result<(), GpuError> {
        let full = || GpuError::OutOfMemory(String::new());
        ROOM.set(ROOM.get().checked_sub(1).ok_or_else(full)?);
        Ok(())
    }

    struct Scene {
        world: FluidWorld,
        liquid: GpuLiquid,
    }

    impl Scene {
        fn step(&mut self) -> Result<(), GpuError> {
            self.liquid.step(self.world.liquid_mut(), TICK).map(|_| ())
        }

        fn spawn(&mut self, count: u16) {
            for number in 0..count {
                let place = Vec2::new(f32::from(number % 50), f32::from(number / 50));
                let spawn = ParticleSpawn { position: 8.0 * place, ..Default::default() };
                self.world.spawn(spawn).expect("valid");
            }
        }

        /// Numbers of particles on the GPU and in the core.
        fn counts(&self) -> [usize; 2] {
            let there = self.liquid.read_particles().expect("read").len();
            [there, self.world.particles().len()]
        }
    }

    fn far_away() -> FluidRegion {
        FluidRegion::circle(Vec2::splat(3000.0), 10.0).expect("valid")
    }

    /// A name, a preparation, and a call that is repeated until the memory suffices.
    type Demand = (&'static str, fn(&mut Scene), fn(&mut Scene) -> Result<(), GpuError>);

    const DEMANDS: [Demand; 11] = [
        ("room", |_| {}, |scene| scene.liquid.reserve(3000)),
        (
            "particles",
            |_| {},
            |scene| scene.liquid.append(&vec![GpuParticle::default(); 3000]).map(|_| ()),
        ),
        (
            "particles of the core with another class",
            |scene| {
                scene.spawn(2500);
                let mut classes: Vec<_> = scene.world.classes().iter().cloned().collect();
                let thermal = FluidThermal { conductivity: 1.0, ..FluidThermal::default() };
                classes.push(DensityClass { thermal, name: "x".into(), ..Default::default() });
                let table = ClassTable::new(classes).expect("valid");
                scene.world.set_classes(table).expect("kept");
            },
            |scene| scene.liquid.take_from(scene.world.liquid_mut()).map(|_| ()),
        ),
        (
            "sensors",
            |scene| {
                let sensor = GpuSensor { region: far_away(), classes: ClassFilter::ALL };
                scene.liquid.insert_sensor(sensor);
            },
            Scene::step,
        ),
        (
            "impacts",
            |scene| scene.liquid.watch_impacts(Some(SplashDetection::default())),
            Scene::step,
        ),
        (
            "drains",
            |_| {},
            |scene| {
                let (region, classes) = (far_away(), ClassFilter::ALL);
                scene.liquid.drain(GpuDrain { region, classes, most: 1, channel: 0 })?;
                scene.step()
            },
        ),
        (
            "colliders",
            |scene| {
                for number in 0..250_u8 {
                    let centre = Vec2::new(40.0 * f32::from(number), -500.0);
                    scene.world.insert_collider(Collider::circle(centre, 10.0).expect("valid"));
                }
            },
            Scene::step,
        ),
        (
            "forces",
            |scene| {
                let force = Force { region: Some(far_away()), drag: 1.0, ..Force::default() };
                scene.world.set_forces(&vec![force; 50]).expect("valid");
            },
            Scene::step,
        ),
        ("an impulse", |_| {}, |scene| scene.liquid.apply_impulse(&Force::default())),
        ("a copy", |_| {}, |scene| scene.liquid.request_particles().map(|_| ())),
        (
            "drawing",
            |_| {},
            |scene| {
                let mut instances = GpuInstances::new(&scene.liquid)?;
                instances.write(&scene.liquid, TICK, 0.9, None).map(|_| ())
            },
        ),
    ];

    #[test]
    fn whichever_buffer_finds_no_room_nothing_is_lost_and_the_liquid_goes_on() {
        let instance = Instance::default();
        let adapter = block_on(instance.request_adapter(&RequestAdapterOptions::default()));
        let required = std::env::var("BLOB_FLUID_REQUIRE_GPU").is_ok_and(|value| value == "1");
        assert!(adapter.is_ok() || !required, "there is no adapter");
        let Ok(adapter) = adapter else { return };
        let (device, queue) =
            block_on(adapter.request_device(&DeviceDescriptor::default())).expect("a device");
        let mut world = FluidWorld::default();
        let container = Container::rectangle(Vec2::ZERO, Vec2::splat(420.0)).expect("valid");
        world.insert_container(container);
        let shaders = Shaders::default();
        let made =
            |world: &FluidWorld| GpuLiquid::with_shaders(&device, &queue, world.liquid(), &shaders);
        for room in 0..20 {
            ROOM.set(room);
            assert!(matches!(made(&world), Err(GpuError::OutOfMemory(_))), "{room}");
        }
        ROOM.set(u32::MAX);
        let liquid = made(&world).expect("there is room");
        let mut scene = Scene { world, liquid };
        scene.spawn(500);
        scene.liquid.take_from(scene.world.liquid_mut()).expect("moved");
        for (name, prepare, call) in DEMANDS {
            prepare(&mut scene);
            let before = scene.counts();
            let refused = (0..60).take_while(|room| {
                ROOM.set(*room);
                let done = call(&mut scene);
                ROOM.set(u32::MAX);
                if let Err(error) = &done {
                    assert!(matches!(error, GpuError::OutOfMemory(_)), "{name}, {room}: {error}");
                    assert_eq!(scene.counts(), before, "{name}, {room}");
                }
                done.is_err()
            });
            println!("{name}: {} buffers", refused.count());
            scene.step().expect("goes on");
            let report = scene.liquid.wait_for_report().expect("works").expect("there");
            assert_eq!((report.in_play(), report.removed()), (scene.liquid.len(), 0), "{name}");
        }
        assert_eq!(scene.counts(), [500 + 3000 + 2500, 0]);
    }
}
