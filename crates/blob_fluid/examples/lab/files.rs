//! Saved worlds and recordings, and their replay; and baked runs.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use blob_fluid::scene::Scene;
use blob_fluid::{
    BakedFluid, BakedPlayer, Executor, FluidRecorder, FluidWorld, Recording, SnapshotFile,
};

/// Names of the entries of a file.
const WORLD: &str = "world";
const SCENE: &str = "scene";
const RECORDING: &str = "recording";

/// Writes a world, with the scene that it comes from.
pub fn save(path: &Path, world: &FluidWorld, scene: &Scene) -> Result<(), Box<dyn Error>> {
    let mut file = of_scene(scene)?;
    file.insert(WORLD, world)?;
    write(path, &file)
}

/// The world of a file, and the scene that it comes from. A game's file may have no scene.
pub fn load(path: &Path) -> Result<(FluidWorld, Option<Scene>), Box<dyn Error>> {
    let file = read(path)?;
    let world = file.get(WORLD).map_err(|error| format!("{}: {error}", path.display()))?;
    let scene = file.bytes(SCENE).ok().map(serde_json::from_slice).transpose()?;
    Ok((world, scene))
}

/// A recorder, and where its file goes. The file is written even if a tick panics.
pub struct Recorder {
    recorder: FluidRecorder,
    path: PathBuf,
    file: SnapshotFile,
}

impl Recorder {
    /// Begins to record a world: all of it, or so many seconds.
    pub fn new(
        path: &Path,
        world: &FluidWorld,
        scene: &Scene,
        last: Option<f64>,
    ) -> Result<Self, Box<dyn Error>> {
        let recorder = match last {
            Some(seconds) => FluidRecorder::of_last(world, seconds)?,
            None => FluidRecorder::new(world)?,
        };
        Ok(Self { recorder, path: path.to_owned(), file: of_scene(scene)? })
    }

    pub fn before_tick(
        &mut self,
        world: &FluidWorld,
        time_step: f32,
    ) -> Result<(), Box<dyn Error>> {
        Ok(self.recorder.before_tick(world, time_step)?)
    }

    pub fn after_tick(&mut self, world: &FluidWorld) -> Result<(), Box<dyn Error>> {
        Ok(self.recorder.after_tick(world)?)
    }

    pub fn write(&mut self) -> Result<(), Box<dyn Error>> {
        let mut file = self.file.clone();
        file.insert(RECORDING, &self.recorder.recording())?;
        write(&self.path, &file)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if std::thread::panicking() {
            match self.write() {
                Ok(()) => eprintln!("lab: recorded to {}", self.path.display()),
                Err(error) => eprintln!("lab: {error}"),
            }
        }
    }
}

/// Plays a recording. The error names the first tick, part and particle that differ.
pub fn replay(path: &Path, executor: &dyn Executor) -> Result<(), Box<dyn Error>> {
    let in_file = |error: &dyn Error| format!("{}: {error}", path.display());
    let recording: Recording = read(path)?.get(RECORDING).map_err(|error| in_file(&error))?;
    if recording.force_fields() > 0 {
        println!("note: the recorded world had force fields, which are code and not recorded");
    }
    let mut replay = recording.replay().map_err(|error| in_file(&error))?;
    while replay.step(executor).map_err(|error| in_file(&error))?.is_some() {
        for quarantined in replay.world().just_quarantined() {
            println!("tick {}: {quarantined}", replay.played());
        }
    }
    println!(
        "{} ticks, {:.2} s: all as recorded, hash {:016x}",
        replay.played(),
        recording.seconds(),
        replay.world().deep_hash().all()
    );
    Ok(())
}

/// Shows each frame of a baked run, and prints what it holds.
pub fn show(path: &Path) -> Result<(), Box<dyn Error>> {
    let in_file = |error: &dyn Error| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| in_file(&error))?;
    let baked = BakedFluid::from_bytes(&bytes).map_err(|error| in_file(&error))?;
    let (frames, seconds) = (baked.frames(), baked.seconds());
    let classes: Vec<&str> = baked.class_names().collect();
    println!("{frames} frames, {seconds:.2} s, classes {}", classes.join(", "));
    let mut player = BakedPlayer::new(baked);
    let (mut shown, mut most) = (0, 0);
    for frame in 0..frames {
        let time = seconds * frame as f64 / (frames - 1).max(1) as f64;
        let count = player.show(time).map_err(|error| in_file(&error))?.len();
        shown += count;
        most = most.max(count);
    }
    let each = bytes.len() as f64 / shown.max(1) as f64;
    println!("up to {most} particles, {} bytes, {each:.2} for each and frame", bytes.len());
    Ok(())
}

fn of_scene(scene: &Scene) -> Result<SnapshotFile, Box<dyn Error>> {
    let mut file = SnapshotFile::default();
    file.insert_bytes(SCENE, &serde_json::to_vec(scene)?)?;
    Ok(file)
}

fn read(path: &Path) -> Result<SnapshotFile, String> {
    let in_file = |error: &dyn Error| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(|error| in_file(&error))?;
    SnapshotFile::from_bytes(&bytes).map_err(|error| in_file(&error))
}

fn write(path: &Path, file: &SnapshotFile) -> Result<(), Box<dyn Error>> {
    fs::write(path, file.to_bytes()).map_err(|error| format!("{}: {error}", path.display()).into())
}
