//! Times our step beside other solvers of particle liquids, on the same scenes in one run.
//!
//! `cargo run --release -p peer_bench --features peers -- --particles 3000,10000 --markdown peers.md`

mod air;
mod measure;
mod mixed;
mod peer;
mod report;
mod salva;

use std::collections::BTreeSet;
use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use lexopt::ValueExt;
use on_every_target::scene::{Kind, Scene, Setting};

use crate::peer::{Ours, Peer, Result, Solver};
use crate::report::{LEGEND, REFERENCE, Row, median, page, table};
use crate::salva::Salva;

const USAGE: &str = "\
Times our step beside other solvers of particle liquids, on the same scenes in one run.

  --particles N,..    sizes of the scenes (3000,10000,30000,100000)
  --scenes NAME,..    pool, dam (both)
  --peers NAME,..     ours, ours-wasm, javascript, javascript-tuned, liquidfun, salva,
                      salva-capped, salva-tolerance (all)
  --liquidfun PATH    LiquidFun in C++ as well, compiled (with $CXX or c++) from a checkout of
                      its sources, or of a Box2D that has it
  --mixed             only mixed matter and depths, ours beside LiquidFun
  --air ROWS,..       only air, ours beside JavaScript, on grids of so many rows
  --threads N         rows of ours on N threads as well
  --rounds N          how often the peers take turns (9)
  --warm-seconds N    longest time a peer warms up before its turns (30)
  --json FILE         writes all that was measured
  --markdown FILE     writes a table for each scene, with a column for each size
";

/// Particles times frames of a round: a tenth of a second of the fastest peer, and many seconds of
/// the slowest.
const PARTICLE_FRAMES: usize = 1_000_000;

/// How often the rounds are repeated at most where other load disturbed them.
const REPETITIONS: usize = 3;

/// Smallest number of frames of a round: after the turns of the other peers, the first frame finds
/// nothing in the caches.
const MIN_FRAMES: usize = 20;

/// How many seconds a round of a slow peer should last at most, and its fewest frames.
const LONGEST_ROUND: f64 = 3.0;
const FEWEST_FRAMES: u32 = 3;

/// A solver in one of its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Contender {
    Ours {
        setting: Setting,
        threads: usize,
    },
    Node(Solver),
    /// LiquidFun in C++: the program.
    LiquidFun(PathBuf),
    Salva(salva::Setting),
}

impl Contender {
    /// The contenders for a name on the command line.
    fn named(name: &str, threads: usize) -> std::result::Result<Vec<Self>, String> {
        let ours = |threads| Setting::ALL.map(|setting| Self::Ours { setting, threads });
        match name {
            "ours" => Ok(BTreeSet::from([1, threads]).into_iter().flat_map(ours).collect()),
            "ours-wasm" => Ok(Setting::ALL.map(|own| Self::Node(Solver::Ours(own))).into()),
            "javascript" => Ok(vec![Self::Node(Solver::Clavet { cells_per_radius: 1 })]),
            // Three cells per radius were the fastest.
            "javascript-tuned" => Ok(vec![Self::Node(Solver::Clavet { cells_per_radius: 3 })]),
            "liquidfun" => Ok(vec![Self::Node(Solver::LiquidFun)]),
            "salva" => Ok(vec![Self::Salva(salva::Setting::Default)]),
            "salva-capped" => Ok(vec![Self::Salva(salva::Setting::Capped)]),
            "salva-tolerance" => Ok(vec![Self::Salva(salva::Setting::EqualTolerance)]),
            _ => Err(format!("no peer is called {name}")),
        }
    }

    /// Its name in the table.
    fn name(&self) -> String {
        match self {
            Self::Ours { setting, threads: 1 } => name_of(*setting).into(),
            Self::Ours { setting, threads } => format!("{}, {threads} threads", name_of(*setting)),
            Self::Node(Solver::Ours(setting)) => format!("{}, WebAssembly", name_of(*setting)),
            Self::Node(Solver::Clavet { cells_per_radius: 1 }) => "javascript".into(),
            Self::Node(Solver::Clavet { .. }) => "javascript, tuned".into(),
            Self::Node(Solver::LiquidFun) => "liquidfun".into(),
            Self::LiquidFun(_) => "liquidfun in C++".into(),
            Self::Salva(salva::Setting::Default) => "salva".into(),
            Self::Salva(salva::Setting::Capped) => "salva, capped".into(),
            Self::Salva(salva::Setting::EqualTolerance) => "salva, our tolerance".into(),
        }
    }

    /// What it needs that is missing, and how to install it.
    fn missing(&self) -> Option<String> {
        match self {
            Self::Node(solver) => solver.missing(),
            Self::Ours { .. } | Self::LiquidFun(_) | Self::Salva(_) => None,
        }
    }

    /// Loads a scene.
    fn start(&self, scene: &Scene) -> Result<Box<dyn Peer>> {
        Ok(match self {
            Self::Ours { setting, threads } => Box::new(Ours::new(*setting, scene, *threads)?),
            Self::Node(solver) => Box::new(peer::start_node(*solver, scene)?),
            Self::LiquidFun(program) => Box::new(peer::start_liquidfun(program, scene)?),
            Self::Salva(setting) => Box::new(Salva::new(*setting, scene)),
        })
    }
}

/// The name of one of our settings in the table.
fn name_of(setting: Setting) -> &'static str {
    match setting {
        Setting::Fast => REFERENCE,
        Setting::Calm => "ours, 37 neighbours",
        Setting::Default => "ours, default",
        Setting::Sph => "ours, sph",
        Setting::SharedPressure => "ours, shared pressure",
        Setting::Incompressible => "ours, incompressible",
    }
}

/// The command line.
struct Arguments {
    particles: Vec<usize>,
    scenes: Vec<Kind>,
    contenders: Vec<Contender>,
    /// A checkout of LiquidFun in C++.
    liquidfun: Option<PathBuf>,
    /// Only mixed matter.
    mixed: bool,
    /// Rows of the grids of air; empty for liquids.
    air: Vec<usize>,
    rounds: usize,
    warm_limit: Duration,
    json: Option<PathBuf>,
    markdown: Option<PathBuf>,
}

impl Arguments {
    /// Reads the command line; `None` if it asks for help.
    fn read(mut parser: lexopt::Parser) -> std::result::Result<Option<Self>, lexopt::Error> {
        use lexopt::prelude::{Long, Short};
        let mut arguments = Self {
            particles: vec![3_000, 10_000, 30_000, 100_000],
            scenes: vec![Kind::Pool, Kind::Dam],
            contenders: Vec::new(),
            liquidfun: None,
            mixed: false,
            air: Vec::new(),
            rounds: 9,
            warm_limit: Duration::from_secs(30),
            json: None,
            markdown: None,
        };
        let mut threads = 1;
        let mut peers: Vec<String> = [
            "ours",
            "ours-wasm",
            "javascript",
            "javascript-tuned",
            "liquidfun",
            "salva",
            "salva-capped",
            "salva-tolerance",
        ]
        .map(String::from)
        .into();
        while let Some(argument) = parser.next()? {
            match argument {
                Long("particles") => arguments.particles = list(&mut parser)?,
                Long("scenes") => arguments.scenes = list(&mut parser)?,
                Long("mixed") => arguments.mixed = true,
                Long("air") => arguments.air = list(&mut parser)?,
                Long("peers") => peers = list(&mut parser)?,
                Long("liquidfun") => arguments.liquidfun = Some(parser.value()?.into()),
                Long("threads") => threads = parser.value()?.parse_with(positive)?,
                Long("rounds") => arguments.rounds = parser.value()?.parse_with(positive)?,
                Long("warm-seconds") => {
                    arguments.warm_limit = Duration::from_secs(parser.value()?.parse()?);
                }
                Long("json") => arguments.json = Some(parser.value()?.into()),
                Long("markdown") => arguments.markdown = Some(parser.value()?.into()),
                Long("help") | Short('h') => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        for peer in peers {
            arguments.contenders.extend(Contender::named(&peer, threads)?);
        }
        Ok(Some(arguments))
    }
}

/// Values between commas.
fn list<T: FromStr<Err: Display>>(
    parser: &mut lexopt::Parser,
) -> std::result::Result<Vec<T>, lexopt::Error> {
    let text = parser.value()?.string()?;
    let value = |part: &str| part.trim().parse().map_err(|error: T::Err| error.to_string());
    Ok(text.split(',').map(value).collect::<std::result::Result<_, String>>()?)
}

/// A number of at least 1.
fn positive(text: &str) -> std::result::Result<usize, String> {
    match text.parse() {
        Ok(number) if number > 0 => Ok(number),
        _ => Err("must be at least 1".into()),
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::read(lexopt::Parser::from_env()) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs every scene in every size, and writes the results after each.
fn run(mut arguments: Arguments) -> Result<()> {
    if !arguments.air.is_empty() {
        print!("{}", air::compare(&arguments.air, arguments.rounds)?);
        return Ok(());
    }
    if arguments.mixed {
        let table = mixed::compare(&arguments.particles, arguments.rounds)?;
        match &arguments.markdown {
            Some(file) => fs::write(file, table)?,
            None => print!("{table}"),
        }
        return Ok(());
    }
    arguments.contenders.retain(|contender| match contender.missing() {
        Some(remedy) => {
            eprintln!("skipping {}: {remedy}", contender.name());
            false
        }
        None => true,
    });
    if let Some(checkout) = &arguments.liquidfun {
        arguments.contenders.push(Contender::LiquidFun(peer::build_liquidfun(checkout)?));
    }
    let mut rows = Vec::new();
    for particles in &arguments.particles {
        for kind in &arguments.scenes {
            rows.extend(compare(&Scene::new(*kind, *particles), &arguments));
            if let Some(file) = &arguments.json {
                fs::write(file, serde_json::to_string_pretty(&rows)?)?;
            }
            if let Some(file) = &arguments.markdown {
                fs::write(file, page(&rows))?;
            }
        }
    }
    print!("{}\n{LEGEND}", table(&rows));
    Ok(())
}

/// A running contender.
struct Runner {
    name: String,
    peer: Box<dyn Peer>,
    warm_frames: u32,
    /// Number of frames in a round.
    frames: u32,
    /// Milliseconds per frame of every round.
    rounds: Vec<f64>,
}

impl Runner {
    /// Times one more round.
    fn take_turn(&mut self) -> Result<()> {
        let time = self.peer.frames(self.frames)?;
        self.rounds.push(1e3 * time.as_secs_f64() / f64::from(self.frames));
        Ok(())
    }
}

/// Times all contenders in one scene. They take turns, so that other load of the machine affects
/// all of them. Those that fail are left out, with a message.
fn compare(scene: &Scene, arguments: &Arguments) -> Vec<Row> {
    let or_say = |name: &str, result: Result<()>| match result {
        Ok(()) => true,
        Err(error) => {
            eprintln!("{name} fails: {error}");
            false
        }
    };
    let mut runners = Vec::new();
    for contender in &arguments.contenders {
        let name = contender.name();
        eprintln!("{}, {} particles: {name} warms up", scene.kind.name(), scene.particles());
        match warmed_up(contender, scene, arguments.warm_limit) {
            Ok(runner) => runners.push(runner),
            Err(error) => eprintln!("{name} fails: {error}"),
        }
    }
    let mut calmest = Vec::new();
    for repetition in 1.. {
        runners.iter_mut().for_each(|runner| runner.rounds.clear());
        for _ in 0..arguments.rounds {
            runners.retain_mut(|runner| {
                let turn = runner.take_turn();
                or_say(&runner.name, turn)
            });
        }
        let rounds: Vec<Vec<f64>> = runners.iter().map(|runner| runner.rounds.clone()).collect();
        let unrest = report::unrest(&rounds, scene.kind);
        // Where one has failed since, earlier rounds belong to others.
        let is_calmer = unrest < report::unrest(&calmest, scene.kind);
        if is_calmer || calmest.len() != rounds.len() {
            calmest = rounds;
        }
        if unrest <= report::MOST_UNREST {
            break;
        }
        eprintln!("rounds differ by {:.0} %: the machine has other load", 100.0 * unrest);
        if repetition == REPETITIONS {
            break;
        }
        eprintln!("measured again");
    }
    let unrest = report::unrest(&calmest, scene.kind);
    for (runner, rounds) in runners.iter_mut().zip(calmest) {
        runner.rounds = rounds;
    }
    let mut rows = Vec::new();
    for mut runner in runners {
        let state = runner.peer.state().map(|state| {
            rows.push(Row {
                scene: scene.kind.name(),
                particles: scene.particles(),
                peer: runner.name.clone(),
                warm_frames: runner.warm_frames,
                frames: runner.frames,
                unrest,
                milliseconds: median(&runner.rounds),
                best_milliseconds: runner.rounds.iter().copied().fold(f64::INFINITY, f64::min),
                rounds: runner.rounds.clone(),
                measures: measure::measure(&state, scene),
                own_density: state.own_density,
            });
        });
        or_say(&runner.name, state);
    }
    rows
}

/// Starts a contender and runs it until it has settled, or until the time is up.
fn warmed_up(contender: &Contender, scene: &Scene, limit: Duration) -> Result<Runner> {
    /// Number of frames between two readings of the clock.
    const STRIDE: u32 = 5;
    let mut peer = contender.start(scene)?;
    let start = Instant::now();
    let mut warm_frames = 0;
    while warm_frames < scene.kind.warm_frames() && start.elapsed() < limit {
        peer.frames(STRIDE)?;
        warm_frames += STRIDE;
    }
    // What is slow enough leaves nothing of others in the caches, in however few frames.
    let per_frame = start.elapsed().as_secs_f64() / f64::from(warm_frames.max(1));
    let in_time = (LONGEST_ROUND / per_frame).max(f64::from(FEWEST_FRAMES)) as u32;
    let frames =
        (PARTICLE_FRAMES / scene.particles()).clamp(MIN_FRAMES, scene.kind.most_frames()) as u32;
    Ok(Runner {
        name: contender.name(),
        peer,
        warm_frames,
        frames: frames.min(in_time),
        rounds: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use on_every_target::scene::{GRAVITY, ROWS};

    use super::*;

    #[test]
    fn ours_and_salva_run_a_small_pool() {
        let scene = Scene::new(Kind::Pool, 500);
        // The rows are closer than the default's rest density, so the pool may spring up, but not beyond its own height.
        let fastest = (2.0 * f64::from(GRAVITY) * ROWS as f64).sqrt();
        for name in ["ours", "salva", "salva-capped", "salva-tolerance"] {
            for contender in Contender::named(name, 2).expect("a name") {
                let mut peer = contender.start(&scene).expect("it starts");
                assert!(peer.frames(3).expect("it runs") > Duration::ZERO);
                let measures = measure::measure(&peer.state().expect("it is there"), &scene);
                assert_eq!(measures.lost, 0, "{}", contender.name());
                assert!(measures.max_speed > 0.0 && measures.max_speed < fastest, "{measures:?}");
            }
        }
    }

    #[test]
    fn the_command_line_is_read() {
        let read = |line: &str| Arguments::read(lexopt::Parser::from_args(line.split(' ')));
        let arguments = read("--particles 3000,500 --scenes dam --peers ours --threads 2");
        let arguments = arguments.expect("valid").expect("not help");
        assert_eq!(arguments.particles, [3000, 500]);
        assert_eq!(arguments.scenes, [Kind::Dam]);
        assert_eq!(
            arguments.contenders.len(),
            2 * Setting::ALL.len(),
            "each on one thread and two"
        );
        for wrong in ["--scenes lake", "--peers nobody", "--rounds 0", "--particles many", "--no"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read("--help").expect("valid").is_none());
        let arguments = read("--liquidfun ../box2d").expect("valid").expect("not help");
        let error = run(arguments).expect_err("there is none").to_string();
        assert!(error.contains("box2d.h"), "{error}");
    }
}
