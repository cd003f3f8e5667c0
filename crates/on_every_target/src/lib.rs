//! What is run natively and in WebAssembly, to compare times and bits.
//!
//! Natively it is a library of the bench of peers, and the program `state_hashes`. For `wasm32` it
//! exports functions that need no glue.

pub mod hashes;
pub mod scene;

#[cfg(target_arch = "wasm32")]
mod exports {
    //! What a page or Node.js calls: numbers in, numbers out, so that no glue is needed.
    //!
    //! One liquid at a time. Vectors are pairs of `f32` in the module's memory; their addresses hold
    //! until the next call.

    #![allow(unsafe_code, reason = "a name that is exported as it is written")]

    use std::cell::RefCell;

    use blob_fluid::{FluidWorld, SerialExecutor};

    use crate::hashes::{self, SCENES};
    use crate::scene::{FRAME, Kind, Scene, Setting};

    thread_local! {
        static WORLD: RefCell<FluidWorld> = RefCell::default();
    }

    /// Loads a scene of so many columns: a dam if `dam` is not 0, otherwise a pool. `setting` is an
    /// index into [`Setting::ALL`].
    // SAFETY: no other function of the program has this name.
    #[unsafe(no_mangle)]
    pub extern "C" fn start(setting: usize, dam: u32, columns: usize) {
        let kind = if dam == 0 { Kind::Pool } else { Kind::Dam };
        let world = Setting::ALL[setting].world(&Scene { kind, columns }).expect("a valid scene");
        WORLD.set(world);
    }

    /// Simulates a number of frames.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn frames(count: u32) {
        WORLD.with_borrow_mut(|world| {
            for _ in 0..count {
                world.step(FRAME, &SerialExecutor).expect("a valid time step");
            }
        });
    }

    /// Number of particles.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn particles() -> usize {
        WORLD.with_borrow(|world| world.particles().len())
    }

    /// Address of the positions.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn positions() -> *const f32 {
        WORLD.with_borrow(|world| world.particles().positions().as_ptr().cast())
    }

    /// Address of the velocities.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn velocities() -> *const f32 {
        WORLD.with_borrow(|world| world.particles().velocities().as_ptr().cast())
    }

    /// The interaction radius, in spacings.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn interaction_radius() -> f32 {
        WORLD.with_borrow(|world| world.parameters().interaction_radius())
    }

    /// Address of a scene's name.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn name(scene: usize) -> *const u8 {
        SCENES[scene].0.as_ptr()
    }

    /// Length of a scene's name, in bytes.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn name_length(scene: usize) -> usize {
        SCENES[scene].0.len()
    }

    /// Number of scenes that have a [`hash`].
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn scenes() -> usize {
        SCENES.len()
    }

    /// The hash of a scene.
    // SAFETY: as above.
    #[unsafe(no_mangle)]
    pub extern "C" fn hash(scene: usize) -> u64 {
        let (_, text, hashed) = SCENES[scene];
        hashes::hash(text, hashed)
    }
}
