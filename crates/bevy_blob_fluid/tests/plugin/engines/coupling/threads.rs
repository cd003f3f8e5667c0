//! Threads change nothing. Bevy's pools are made once per process, so that each number of threads gets
//! a process of its own.

use std::process::Command;

use super::engine::{Kind, TestEngine};
use super::tank::{THREADS, position_of, run, spawn_coupled, tank};
use crate::app::*;

/// The hash of the liquid, and the bits of all bodies.
fn bits<E: TestEngine>() -> String {
    let mut app = tank::<E>(1200.0, FluidClass::MEDIUM);
    let bodies: Vec<Entity> = (0..12)
        .map(|index| {
            let at = xy(90.0 * index as f32 - 495.0, 40.0)
                .with_rotation(Quat::from_rotation_z(0.4 * index as f32));
            let density = 0.3 + 0.1 * index as f32;
            let shape = E::rectangle(Vec2::new(50.0, 30.0));
            spawn_coupled::<E>(&mut app, Kind::Dynamic, shape, density, at)
        })
        .collect();
    run(&mut app, 5.0);
    let numbers = |body: &Entity| {
        let (at, (velocity, spin)) = (position_of(&app, *body), E::motion(app.world(), *body));
        let rotation = app.component::<Transform>(*body).rotation;
        [at.x, at.y, rotation.z, velocity.x, velocity.y, spin].map(f32::to_bits)
    };
    let bodies: Vec<_> = bodies.iter().map(numbers).collect();
    let moved = bodies.iter().any(|numbers| numbers[3] != 0);
    assert!(moved && app.particles() > 2100, "many chunks, and all moves");
    format!("{:016x} {bodies:08x?}", app.fluid().state_hash())
}

/// The bits with 1, 2 and 4 compute threads are the same: the test calls itself.
pub fn any_number_gives_the_same_bits<E: TestEngine>() {
    if std::env::var(THREADS).is_ok() {
        println!("\nbits {}", bits::<E>());
        let threads = bevy::tasks::ComputeTaskPool::get().thread_num();
        println!("threads {threads}");
        return;
    }
    let name = format!("engines::{}::any_number_of_threads_gives_the_same_bits", E::NAME);
    let program = std::env::current_exe().expect("it runs");
    let outputs = [1, 2, 4].map(|threads| {
        let mut child = Command::new(&program);
        child.args(["--exact", &name, "--nocapture"]).env(THREADS, threads.to_string());
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
