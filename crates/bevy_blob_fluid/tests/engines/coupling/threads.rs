//! Threads change nothing. Bevy's pools are made once per process, so that each number of threads gets
//! a process of its own.

use std::process::Command;

use bevy::app::TaskPoolThreadAssignmentPolicy;
use bevy::prelude::*;
use bevy_blob_fluid::prelude::*;

use super::{Kind, TestEngine, fluid, position_of, run, tank};

/// The environment variable with the number of threads of a child.
const VARIABLE: &str = "COUPLING_THREADS";

/// The hash of the liquid, and the bits of all bodies.
fn bits<E: TestEngine>() -> String {
    let mut app = tank::<E>(1200.0, FluidClass::MEDIUM);
    let bodies: Vec<Entity> = (0..12)
        .map(|index| {
            let at = Transform::from_xyz(90.0 * index as f32 - 495.0, 40.0, 0.0)
                .with_rotation(Quat::from_rotation_z(0.4 * index as f32));
            let density = 0.3 + 0.1 * index as f32;
            let shape = E::rectangle(Vec2::new(50.0, 30.0));
            let body = E::spawn(app.world_mut(), Kind::Dynamic, shape, density, at);
            app.world_mut().entity_mut(body).insert(FluidCoupled::default());
            body
        })
        .collect();
    run(&mut app, 5.0);
    let of_body = |body: &Entity| {
        let (at, (velocity, spin)) = (position_of(&app, *body), E::motion(app.world(), *body));
        let rotation = app.world().get::<Transform>(*body).expect("it has one").rotation;
        [at.x, at.y, rotation.z, velocity.x, velocity.y, spin].map(f32::to_bits)
    };
    let bodies: Vec<_> = bodies.iter().map(of_body).collect();
    let moved = bodies.iter().any(|own| own[3] != 0);
    assert!(moved && fluid(&app).particles().len() > 2100, "many chunks, and all moves");
    format!("{:016x} {bodies:08x?}", fluid(&app).state_hash())
}

/// The pools that a child has, with so many compute threads beside the main one.
pub fn pools() -> Option<TaskPoolPlugin> {
    let threads: usize = std::env::var(VARIABLE).ok()?.parse().ok()?;
    let only = |threads| TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions {
        min_total_threads: threads + 2,
        max_total_threads: threads + 2,
        io: only(1),
        async_compute: only(1),
        compute: only(threads),
    };
    Some(TaskPoolPlugin { task_pool_options })
}

/// The bits with 1, 2 and 4 compute threads are the same. `name` is that of the test, which calls itself.
pub fn same_bits<E: TestEngine>(name: &str) {
    if std::env::var(VARIABLE).is_ok() {
        println!("\nbits {}", bits::<E>());
        let threads = bevy::tasks::ComputeTaskPool::get().thread_num();
        println!("threads {threads}");
        return;
    }
    let program = std::env::current_exe().expect("it runs");
    let outputs = [1, 2, 4].map(|threads| {
        let mut child = Command::new(&program);
        child.args(["--exact", name, "--nocapture"]).env(VARIABLE, threads.to_string());
        let output = child.output().expect("it starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}");
        assert!(text.contains(&format!("threads {threads}\n")), "{text}");
        let bits = text.lines().find(|line| line.starts_with("bits "));
        bits.unwrap_or_else(|| panic!("no bits in {text}")).to_owned()
    });
    println!("{}", outputs[0]);
    assert_eq!(outputs[0], outputs[1], "2 threads");
    assert_eq!(outputs[0], outputs[2], "4 threads");
}
