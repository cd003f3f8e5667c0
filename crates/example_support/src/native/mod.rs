//! Examples outside a browser: a command line, pictures, and runs without drawing.

mod arguments;
mod picture;

use std::path::PathBuf;

use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin};
use bevy::input::InputSystems;
use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::{ExitCondition, WindowResolution};
use bevy::winit::WinitPlugin;
use bevy_blob_fluid::FluidSimulation;
use bevy_blob_fluid::blob_fluid::measure::measure;
use clap::Parser;

use crate::run::{GpuPlugin, has_come_to, wait_for_assets};

pub use arguments::{Arguments, PictureSize};
use arguments::{Progress, example_name};
pub use picture::Picture;
use picture::{Frame, ShotPlugin, Target, TargetPlugin, ensure_writable, exit_with};

// Modes of an example with a command line: a window, a picture, or a run without drawing.

/// The plugins for the program's command line, and the scene in it.
pub(crate) fn chosen_plugins() -> (PluginGroupBuilder, Option<String>) {
    let arguments = Arguments::parse();
    let held = HeldKeysPlugin(arguments.hold.clone());
    let (scene, gpu) = (arguments.scene.clone(), arguments.gpu);
    let group = match Mode::choose(arguments) {
        Mode::Window { size } => window(size),
        Mode::Shot { file, at, frame, backends } => {
            offscreen(Some(backends)).add(ShotPlugin { file, at, frame }).add(held)
        }
        Mode::Film { film, backends } => offscreen(Some(backends)).add(film).add(held),
        Mode::Headless { seconds, picture } => {
            offscreen(None).add(HeadlessPlugin { seconds, picture }).add(held)
        }
    };
    (if gpu { group.add(GpuPlugin) } else { group }, scene)
}

/// Message if nothing can be drawn.
const NO_ADAPTER: &str =
    "No graphics adapter (`apt-get install mesa-vulkan-drivers` brings a software one)";

/// The mode of an example.
enum Mode {
    Window {
        size: PictureSize,
    },
    Shot {
        file: PathBuf,
        at: f64,
        frame: Frame,
        backends: Backends,
    },
    Film {
        film: FilmPlugin,
        backends: Backends,
    },
    /// No drawing, except for a picture by the CPU at the end if a file is named.
    Headless {
        seconds: f64,
        picture: Option<(PathBuf, PictureSize)>,
    },
}

impl Mode {
    fn choose(arguments: Arguments) -> Self {
        let Arguments {
            shot,
            film,
            at,
            size,
            view,
            fine,
            headless,
            seconds,
            hold: _,
            scene: _,
            gpu: _,
            words: _,
        } = arguments;
        let frame = Frame { size, view, fine };
        if headless {
            return Self::Headless { seconds, picture: None };
        }
        if let Some(folder) = film {
            let film = FilmPlugin { folder, begin: at, end: at + seconds, frame };
            return match find_adapter() {
                Some(backends) => Self::Film { film, backends },
                None => exit_with(NO_ADAPTER),
            };
        }
        let Some(file) = shot else {
            return Self::window_or_else(seconds, size);
        };
        match find_adapter() {
            Some(backends) => Self::Shot { file, at, frame, backends },
            None => {
                eprintln!("{NO_ADAPTER}: the CPU draws the picture.");
                Self::Headless { seconds: at, picture: Some((file, size)) }
            }
        }
    }

    fn window_or_else(seconds: f64, size: PictureSize) -> Self {
        let missing = if !has_display() {
            "No X11 display (`apt-get install xvfb`, then `xvfb-run -a`, brings a virtual one)"
        } else if find_adapter().is_none() {
            NO_ADAPTER
        } else {
            return Self::Window { size };
        };
        eprintln!("{missing}: simulating {seconds} s without a window.");
        let file = PathBuf::from(format!("{}.png", example_name()));
        Self::Headless { seconds, picture: Some((file, size)) }
    }
}

fn window(size: PictureSize) -> PluginGroupBuilder {
    let window = Window {
        title: format!("bevy_blob_fluid: {}", example_name()),
        resolution: WindowResolution::new(size.width, size.height),
        ..default()
    };
    DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() })
}

/// Plugins without a window. Without `backends`, they have no renderer either.
fn offscreen(backends: Option<Backends>) -> PluginGroupBuilder {
    let settings = WgpuSettings { backends, ..default() };
    DefaultPlugins
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(RenderPlugin {
            render_creation: RenderCreation::Automatic(Box::new(settings)),
            synchronous_pipeline_compilation: true,
            ..default()
        })
        .set(LogPlugin {
            level: Level::WARN,
            // A missing or software renderer has already been reported.
            filter: "bevy_render=error,bevy_render::extract_resource=off".into(),
            ..default()
        })
        .disable::<WinitPlugin>()
        .add(ScheduleRunnerPlugin::default())
        // Without pipelined rendering, because the picture must be of the frame that requested it.
        .disable::<PipelinedRenderingPlugin>()
}

// Detection of a display and a graphics adapter.

/// Whether a window can be opened.
#[cfg(all(unix, not(target_os = "macos")))]
fn has_display() -> bool {
    std::env::var("DISPLAY").is_ok_and(|display| display_answers(&display))
}

/// Whether a window can be opened. On this platform it always can.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn has_display() -> bool {
    true
}

/// Whether an X server listens, on this machine or on another one. Without a server, winit would
/// panic.
#[cfg(all(unix, not(target_os = "macos")))]
fn display_answers(display: &str) -> bool {
    use std::os::unix::net::UnixStream;

    let Some((host, numbers)) = display.rsplit_once(':') else {
        return false;
    };
    let number = numbers.split('.').next().unwrap_or_default();
    if !host.is_empty() && host != "unix" {
        return remote_answers(host, number);
    }
    let path = format!("/tmp/.X11-unix/X{number}");
    UnixStream::connect(&path).is_ok() || abstract_socket_answers(&path)
}

/// Whether a server listens on the port of display `number` of another machine, or on a port
/// forwarded by SSH. A stale forward of a closed session refuses the connection.
#[cfg(all(unix, not(target_os = "macos")))]
fn remote_answers(host: &str, number: &str) -> bool {
    use std::net::{TcpStream, ToSocketAddrs};
    use std::time::Duration;

    // Display 0 has port 6000.
    let port = number.parse::<u16>().ok().and_then(|number| number.checked_add(6000));
    let Some(addresses) = port.and_then(|port| (host, port).to_socket_addrs().ok()) else {
        return false;
    };
    let patience = Duration::from_secs(2);
    addresses.into_iter().any(|address| TcpStream::connect_timeout(&address, patience).is_ok())
}

/// Whether a server listens on an abstract socket. Some servers listen only there.
#[cfg(target_os = "linux")]
fn abstract_socket_answers(name: &str) -> bool {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};

    let address = SocketAddr::from_abstract_name(name);
    address.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
}

#[cfg(all(unix, not(target_os = "macos"), not(target_os = "linux")))]
fn abstract_socket_answers(_name: &str) -> bool {
    false
}

/// The graphics backends that have an adapter.
///
/// Without a display only Vulkan is tried. The others need a display, and print errors on the
/// terminal.
fn find_adapter() -> Option<Backends> {
    let others = if has_display() { Backends::all() } else { Backends::empty() };
    [Backends::VULKAN, others].into_iter().find(|backends| {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = *backends;
        let request = wgpu::RequestAdapterOptions::default();
        let instance = wgpu::Instance::new(descriptor);
        bevy::tasks::block_on(instance.request_adapter(&request)).is_ok()
    })
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    #[test]
    fn displays_that_nobody_serves_are_none() {
        for display in ["", ":", ":4711", "unix:4711.0", "nonsense"] {
            assert!(!display_answers(display), "{display}");
        }
        // No server listens on port 64000, and 76000 is not a valid port.
        assert!(!display_answers("localhost:58000"));
        assert!(!display_answers("localhost:70000"));
    }

    #[test]
    fn a_display_over_the_network_is_found_where_somebody_listens() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        assert!(port > 6000, "{port}");
        assert!(display_answers(&format!("127.0.0.1:{}.0", port - 6000)));
    }
}

// Runs without drawing.

/// Simulates as fast as possible, prints a report, and draws a picture on the CPU if one is
/// requested.
struct HeadlessPlugin {
    pub seconds: f64,
    pub picture: Option<(PathBuf, PictureSize)>,
}

#[derive(Resource)]
struct Wanted(Option<(PathBuf, PictureSize)>);

impl Plugin for HeadlessPlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Progress::until(self.seconds))
            .insert_resource(Wanted(self.picture.clone()))
            .add_systems(Update, wait_for_assets)
            .add_systems(Last, finish_in_time);
    }
}

fn finish_in_time(
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    wanted: Res<Wanted>,
    mut exit: MessageWriter<AppExit>,
) {
    if !progress.follow(&fluid) {
        return;
    }
    println!("{}", measure(&fluid));
    if let Some((file, size)) = &wanted.0 {
        let picture = Picture::of(&fluid, size.width, size.height);
        if let Err(error) = picture.save(file) {
            exit_with(&format!("{}: {error}", file.display()));
        }
        println!("drawn by the CPU: {}", file.display());
    }
    exit.write(AppExit::Success);
}

// Pictures of a span of simulated time, drawn offscreen by the real renderer, from which other programs make films.

/// Pictures in a second of simulated time: one after every second tick of the default clock.
const PICTURES_PER_SECOND: f64 = 32.0;

/// Saves 32 pictures in each simulated second, as `0000.png`, `0001.png`, ...
struct FilmPlugin {
    pub folder: PathBuf,
    /// Simulated times of the first picture and of the end, in seconds.
    pub begin: f64,
    pub end: f64,
    pub frame: Frame,
}

#[derive(Resource)]
struct Film {
    folder: PathBuf,
    begin: f64,
    end: f64,
    /// Number of requested pictures, and of saved ones.
    taken: u32,
    saved: u32,
}

impl Film {
    fn file(&self, number: u32) -> PathBuf {
        self.folder.join(format!("{number:04}.png"))
    }

    /// The simulated time at which the next picture is due.
    fn due(&self) -> f64 {
        self.begin + f64::from(self.taken) / PICTURES_PER_SECOND
    }
}

impl Plugin for FilmPlugin {
    fn build(&self, app: &mut App) {
        let film = Film {
            folder: self.folder.clone(),
            begin: self.begin,
            end: self.end,
            taken: 0,
            saved: 0,
        };
        ensure_writable(&film.file(0));
        app.add_plugins(TargetPlugin(self.frame))
            .insert_resource(Progress::until(self.end))
            .insert_resource(film)
            .add_systems(Last, advance);
    }
}

fn advance(
    mut commands: Commands,
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    mut film: ResMut<Film>,
    mut target: ResMut<Target>,
    mut cameras: Query<&mut Camera>,
    mut exit: MessageWriter<AppExit>,
) {
    let over = progress.follow(&fluid);
    if !target.drawing() {
        // The first picture is requested only after a frame has been drawn.
        if has_come_to(&fluid, film.begin) {
            target.open_eyes(&mut cameras);
        }
    } else if has_come_to(&fluid, film.due()) && film.due() < film.end {
        let number = film.taken;
        let image = target.image.clone();
        commands.spawn(Screenshot::image(image)).observe(
            move |captured: On<ScreenshotCaptured>, target: Res<Target>, mut film: ResMut<Film>| {
                target.save(&captured.image, &film.file(number));
                film.saved += 1;
            },
        );
        film.taken += 1;
    } else if over && film.saved == film.taken {
        exit.write(AppExit::Success);
    }
}

// Held keys without a window, so that pictures show games in play.

/// Holds these keys down in every frame.
struct HeldKeysPlugin(pub Vec<KeyCode>);

impl Plugin for HeldKeysPlugin {
    fn build(&self, app: &mut App) {
        let held = self.0.clone();
        let hold = move |mut keys: ResMut<ButtonInput<KeyCode>>| {
            held.iter().for_each(|key| keys.press(*key));
        };
        app.add_systems(PreUpdate, hold.after(InputSystems));
    }
}
