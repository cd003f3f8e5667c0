//! The lab: runs a scene without drawing, prints measures of liquid and air, and writes them as JSON. It
//! saves and loads worlds, records runs and plays them again, and bakes them.
//!
//! `cargo run --release -p blob_fluid --example lab -- stratification --every 5 --json out.json`

use std::error::Error;
use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use blob_fluid::measure::{measure, measure_airs};
use blob_fluid::scene::Scene;
use blob_fluid::{
    BakeSettings, BakedFluid, BakedPlayer, Executor, FluidBaker, FluidPass, FluidRecorder,
    FluidWorld, RayonExecutor, Recording, SerialExecutor, SnapshotFile, StepError,
};
use clap::Parser;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lab: {error}");
            ExitCode::FAILURE
        }
    }
}

// The arguments, and the run of a scene.

/// Runs a scene without drawing, prints what liquid and air are like, and writes it as JSON.
#[derive(Parser)]
pub struct Arguments {
    /// A name in assets/scenes, or the path of a scene file. A loaded world needs none.
    #[arg(required_unless_present_any = ["load", "replay", "show"])]
    scene: Option<String>,
    /// Simulated time in seconds, instead of the scene's own.
    #[arg(long)]
    seconds: Option<f64>,
    /// Simulated time between two samples; only the beginning and the end without it.
    #[arg(long)]
    every: Option<f64>,
    /// Threads; 0 means one per core.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// About how many particles fill the scene's space, instead of the scene's own number.
    #[arg(long, conflicts_with = "load")]
    particles: Option<usize>,
    /// Ticks per second, instead of the scene's own.
    #[arg(long)]
    tick_rate: Option<f64>,
    /// Changes a field of the scene, such as `parameters.viscosity.linear=2` or
    /// `blocks.0.class="heavy"`.
    #[arg(long, value_name = "PATH=VALUE", conflicts_with = "load")]
    set: Vec<String>,
    /// Writes the samples to a file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Writes the world at the end to a file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Begins with the world of a file that `--save` or a game wrote, instead of the scene's.
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Records the run to a file, also if it panics.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Records only about so many seconds before the end.
    #[arg(long, value_name = "SECONDS", requires = "record")]
    last: Option<f64>,
    /// Plays a recording, and compares each tick. Only `--threads` goes with it.
    #[arg(long, value_name = "FILE", conflicts_with_all = [
        "scene", "seconds", "every", "particles", "tick_rate", "set", "json", "save", "load", "record", "last", "bake",
    ])]
    replay: Option<PathBuf>,
    /// Bakes the run to a file, 60 frames a second: a game shows it without simulating it.
    #[arg(long, value_name = "FILE")]
    bake: Option<PathBuf>,
    /// Shows each frame of a baked run, and prints what it holds.
    #[arg(long, value_name = "FILE", exclusive = true)]
    show: Option<PathBuf>,
}

/// Does what the arguments say.
pub fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if arguments.threads == 1 {
        run_on(arguments, &SerialExecutor)
    } else {
        run_on(arguments, &RayonExecutor::new(arguments.threads)?)
    }
}

fn run_on(arguments: &Arguments, executor: &dyn Executor) -> Result<(), Box<dyn Error>> {
    if let Some(path) = &arguments.replay {
        return replay(path, executor);
    }
    if let Some(path) = &arguments.show {
        return show(path);
    }
    let (mut world, scene) = begin(arguments, executor)?;
    // A file that cannot be written is reported before the run, not after it.
    let Arguments { json, save, record, bake, .. } = arguments;
    for path in [json, save, record, bake].into_iter().flatten() {
        if arguments.load.as_ref() != Some(path) {
            fs::write(path, "[]").map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    let samples = simulate(&mut world, &scene, arguments, executor)?;
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string_pretty(&samples)?)?;
    }
    if let Some(path) = &arguments.save {
        save_world(path, &world, &scene)?;
    }
    Ok(())
}

/// The world at the beginning, and its scene.
fn begin(
    arguments: &Arguments,
    executor: &dyn Executor,
) -> Result<(FluidWorld, Scene), Box<dyn Error>> {
    let scene = arguments.scene.as_ref().map(|name| read_scene(name, arguments)).transpose()?;
    let Some(path) = &arguments.load else {
        let scene = scene.ok_or("a scene is needed")?;
        return Ok((scene.start(executor)?, scene));
    };
    let (world, saved) = load_world(path)?;
    let mut scene = scene.or(saved).unwrap_or_default();
    set_times(&mut scene, arguments);
    Ok((world, scene))
}

/// The scene with the changes of the command line.
fn read_scene(name: &str, arguments: &Arguments) -> Result<Scene, Box<dyn Error>> {
    let path = find(name)?;
    let mut scene = Scene::read(&path)?;
    if !arguments.set.is_empty() {
        let mut value = serde_json::to_value(&scene)?;
        for assignment in &arguments.set {
            set(&mut value, assignment)?;
        }
        scene = serde_json::from_value(value).map_err(|e| format!("--set: {e}"))?;
        scene.read_materials(&path)?;
    }
    set_times(&mut scene, arguments);
    if let Some(count) = arguments.particles {
        scene = scene.with_particles(count)?;
    }
    Ok(scene)
}

fn set_times(scene: &mut Scene, arguments: &Arguments) {
    scene.duration = arguments.seconds.unwrap_or(scene.duration);
    if let (Some(seconds), Some(settling)) = (arguments.seconds, &mut scene.settling) {
        settling.duration = settling.duration.min(seconds);
    }
    scene.tick_rate = arguments.tick_rate.unwrap_or(scene.tick_rate);
}

fn find(name: &str) -> Result<PathBuf, String> {
    if Path::new(name).is_file() {
        return Ok(name.into());
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/scenes");
    let path = folder.join(format!("{name}.scene.ron"));
    if path.is_file() {
        return Ok(path);
    }
    let mut known: Vec<String> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            Some(name.strip_suffix(".scene.ron")?.to_owned())
        })
        .collect();
    known.sort();
    Err(format!("there is no scene `{name}`; there are {}", known.join(", ")))
}

/// Applies `path=value` to a scene. The value is JSON, or else a string.
fn set(scene: &mut Value, assignment: &str) -> Result<(), String> {
    let (path, text) = assignment
        .split_once('=')
        .ok_or_else(|| format!("--set {assignment}: expected PATH=VALUE"))?;
    let mut target = scene;
    for part in path.split('.') {
        target = match target {
            Value::Object(fields) => fields.get_mut(part),
            Value::Array(items) => part.parse::<usize>().ok().and_then(|i| items.get_mut(i)),
            _ => None,
        }
        .ok_or_else(|| format!("--set {path}: the scene has no `{part}` there"))?;
    }
    *target = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
    Ok(())
}

fn simulate(
    world: &mut FluidWorld,
    scene: &Scene,
    arguments: &Arguments,
    executor: &dyn Executor,
) -> Result<Vec<Value>, Box<dyn Error>> {
    let name = arguments.scene.as_deref().unwrap_or("loaded");
    println!("{name}: {}", scene.description);
    for ignored in world.ignored_settings() {
        println!("note: {ignored}");
    }
    let ticks = (scene.duration * scene.tick_rate).round() as u64;
    let every = arguments.every.map(|s| ((s * scene.tick_rate).round() as u64).max(1));
    let recorder =
        arguments.record.as_ref().map(|path| Recorder::new(path, world, scene, arguments.last));
    let mut recorder = recorder.transpose()?;
    let baker = arguments.bake.as_ref().map(|_| FluidBaker::new(world, BakeSettings::default()));
    let mut baker = baker.transpose()?;
    let progress = progress_bar(ticks);
    let mut samples = Vec::new();
    let mut times = Times::default();
    for tick in 0..=ticks {
        if tick == 0 || tick == ticks || every.is_some_and(|every| tick % every == 0) {
            progress.suspend(|| print_sample(world, &times));
            samples.push(sample(world, scene, &times)?);
            times = Times::default();
        }
        if tick < ticks {
            if let Some(recorder) = &mut recorder {
                recorder.before_tick(world, scene.time_step())?;
            }
            times.add(run_tick(world, scene.time_step(), executor)?);
            if let Some(recorder) = &mut recorder {
                recorder.after_tick(world)?;
            }
            if let Some(baker) = &mut baker {
                baker.after_tick(world);
            }
            for quarantined in world.just_quarantined() {
                progress.suspend(|| println!("tick {}: {quarantined}", tick + 1));
            }
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    if let Some(recorder) = &mut recorder {
        recorder.write()?;
    }
    if let (Some(path), Some(baker)) = (&arguments.bake, baker) {
        fs::write(path, baker.finish().to_bytes())?;
    }
    Ok(samples)
}

/// Real time of ticks.
#[derive(Default)]
struct Times {
    whole: Duration,
    /// The part of it in which air was stepped.
    air: Duration,
    ticks: u32,
}

impl Times {
    fn add(&mut self, [whole, air]: [Duration; 2]) {
        self.whole += whole;
        self.air += air;
        self.ticks += 1;
    }

    /// Means per tick, of all and of the air, in milliseconds.
    fn per_tick(&self) -> [f64; 2] {
        [self.whole, self.air].map(|time| 1e3 * time.as_secs_f64() / f64::from(self.ticks.max(1)))
    }
}

/// Runs a tick like [`FluidWorld::step`], and returns the time that it took, and its air alone.
fn run_tick(
    world: &mut FluidWorld,
    time_step: f32,
    executor: &dyn Executor,
) -> Result<[Duration; 2], StepError> {
    executor.run(|| {
        let begin = Instant::now();
        let report = world.begin_tick(time_step, executor)?;
        for pass in (0..report.substeps).flat_map(|_| FluidPass::ALL) {
            world.run_pass(pass, executor);
        }
        let report = world.end_tick(report, executor);
        let liquid = begin.elapsed();
        world.step_air(report.time_step, executor);
        let whole = begin.elapsed();
        Ok([whole, whole - liquid])
    })
}

fn print_sample(world: &FluidWorld, times: &Times) {
    let [whole, air] = times.per_tick();
    println!("{}, {whole:.2} ms per tick", measure(world));
    let airs = measure_airs(world);
    for air_measures in &airs {
        println!("{air_measures}");
    }
    if !airs.is_empty() {
        println!("    {air:.2} ms per tick for air, state {:016x} with liquid", world.state_hash());
    }
}

/// Measures as JSON, with additional values from the scene and the clock.
fn sample(world: &FluidWorld, scene: &Scene, times: &Times) -> Result<Value, Box<dyn Error>> {
    let mut value = serde_json::to_value(measure(world))?;
    if let Value::Object(fields) = &mut value {
        // A frame is 1/60 s of simulated time, whatever the tick rate.
        let [whole, air] = times.per_tick().map(|per_tick| per_tick * scene.tick_rate / 60.0);
        fields.insert("milliseconds_per_frame".into(), whole.into());
        fields.insert("air_milliseconds_per_frame".into(), air.into());
        fields.insert("airs".into(), serde_json::to_value(measure_airs(world))?);
        fields.insert("state_hash".into(), format!("{:016x}", world.state_hash()).into());
        if let Some(width) = scene.column_width {
            fields.insert("column_width".into(), f64::from(width).into());
        }
    }
    Ok(value)
}

fn progress_bar(ticks: u64) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr()
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} ticks, {eta} left")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(ticks), target).with_style(style)
}

// Files.

/// Names of the entries of a file.
const WORLD: &str = "world";
const SCENE: &str = "scene";
const RECORDING: &str = "recording";

/// Writes a world, with the scene that it comes from.
fn save_world(path: &Path, world: &FluidWorld, scene: &Scene) -> Result<(), Box<dyn Error>> {
    let mut file = of_scene(scene)?;
    file.insert(WORLD, world)?;
    write(path, &file)
}

/// The world of a file, and the scene that it comes from. A game's file may have no scene.
fn load_world(path: &Path) -> Result<(FluidWorld, Option<Scene>), Box<dyn Error>> {
    let file = read(path)?;
    let world = file.get(WORLD).map_err(|error| format!("{}: {error}", path.display()))?;
    let scene = file.bytes(SCENE).ok().map(serde_json::from_slice).transpose()?;
    Ok((world, scene))
}

/// A recorder, and where its file goes. The file is written even if a tick panics.
struct Recorder {
    recorder: FluidRecorder,
    path: PathBuf,
    file: SnapshotFile,
}

impl Recorder {
    /// Begins to record a world: all of it, or so many seconds.
    fn new(
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

    fn before_tick(&mut self, world: &FluidWorld, time_step: f32) -> Result<(), Box<dyn Error>> {
        Ok(self.recorder.before_tick(world, time_step)?)
    }

    fn after_tick(&mut self, world: &FluidWorld) -> Result<(), Box<dyn Error>> {
        Ok(self.recorder.after_tick(world)?)
    }

    fn write(&mut self) -> Result<(), Box<dyn Error>> {
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
fn replay(path: &Path, executor: &dyn Executor) -> Result<(), Box<dyn Error>> {
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
fn show(path: &Path) -> Result<(), Box<dyn Error>> {
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
