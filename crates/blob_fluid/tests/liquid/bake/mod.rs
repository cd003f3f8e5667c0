//! Baked liquid: it is shown as it was, within the stated error, from any moment on; it takes few bytes; and bytes
//! that are none do no harm.

mod hostile;
mod player;
mod shown;
mod size;

use blob_fluid::{
    BakeSettings, BakedFluid, ClassId, Drain, Emitter, EmitterSettings, FluidBaker, FluidLifetime,
    FluidParameters, FluidRegion, FluidSolver, FluidWorld, ParticleSpawn, shape::FluidShape,
};
use glam::Vec2;

use crate::pools::add_tank_from_origin;
use crate::snapshots::everything;
use crate::ticks::{TICK, run};

/// A block of so many columns and rows of liquid at the left wall of a tank, whose dam has just gone.
fn dam_break(columns: u32, rows: u32) -> FluidWorld {
    let parameters = FluidParameters::default();
    let mut world = FluidWorld::new(parameters).expect("valid");
    let spacing = parameters.particle_spacing * 1.007;
    let size = spacing * Vec2::new(columns as f32, rows as f32);
    add_tank_from_origin(&mut world, Vec2::new(1.5 * size.x, size.y));
    let block = FluidShape::Rectangle { half_size: 0.5 * size };
    for position in block.fill(0.5 * size, spacing) {
        world.spawn(ParticleSpawn { position, ..Default::default() }).expect("room");
    }
    world
}

/// Calls `visit` after each tick of a game in which liquid comes, goes, heats, changes its class and is moved.
fn play(ticks: u32, mut visit: impl FnMut(&FluidWorld)) {
    let mut world = everything(FluidSolver::DoubleDensity);
    let mut tap = Emitter::new(EmitterSettings::jet(20.0, 300.0)).expect("valid");
    let mut drain = Drain::new(FluidRegion::circle(Vec2::new(-60.0, -110.0), 15.0).expect("valid"));
    for tick in 0..ticks {
        let pose = (Vec2::new(-40.0, 100.0), Vec2::X);
        tap.emit(world.liquid_mut(), pose, pose, TICK).expect("valid");
        drain.drain(world.liquid_mut(), TICK).expect("valid");
        let id = world.particles().ids()[(7 * tick) as usize % world.particles().len()];
        match tick % 5 {
            0 => {
                let lifetime = Some(FluidLifetime::new(0.2).fading(0.1));
                let spawn = ParticleSpawn { lifetime, ..Default::default() };
                world.spawn(spawn).expect("room");
            }
            1 => {
                world.set_class(id, ClassId((tick % 2) as u8)).expect("known");
            }
            2 => {
                world.relocate(id, Vec2::new(-100.0, 100.0), Vec2::ZERO).expect("within");
            }
            3 => {
                world.despawn(id);
            }
            _ => world.particles_mut().temperatures_mut()[3] += 40.0,
        }
        run(&mut world, 1);
        visit(&world);
    }
}

/// That game, baked.
fn baked(ticks: u32, settings: BakeSettings) -> BakedFluid {
    let mut baker: Option<FluidBaker> = None;
    play(ticks + 1, |world| match &mut baker {
        Some(baker) => baker.after_tick(world),
        None => baker = Some(FluidBaker::new(world, settings).expect("valid")),
    });
    baker.expect("begun").finish()
}
