//! Pictures drawn by the CPU, for machines without a graphics adapter.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::{fs, io};

use bevy::asset::RenderAssetUsages;
use bevy::camera::{CameraUpdateSystems, RenderTarget, ScalingMode};
use bevy::prelude::*;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy_blob_fluid::blob_fluid::{Container, FluidBounds, FluidRegion, FluidWorld};
use bevy_blob_fluid::render::FluidDots;
use bevy_blob_fluid::{Fluid, FluidSettings, FluidSimulation, FluidSolidStyle};

use crate::native::arguments::{PictureSize, PictureView, Progress};
use crate::run::{hide_hud, stop_time, wait_for_assets};

/// The background of the examples.
const BACKGROUND: Color = Color::srgb(0.035, 0.043, 0.086);

/// Margin around the scene, as a fraction of the picture's size.
const MARGIN: f32 = 0.04;

/// A picture in linear light.
#[derive(Clone, Debug)]
pub struct Picture {
    width: u32,
    height: u32,
    pixels: Vec<Vec3>,
    /// Pixels per world unit, and the world position at the middle of the picture.
    scale: f32,
    centre: Vec2,
}

impl Picture {
    /// Draws the containers, colliders and particles of a world, scaled to fit. `width` and
    /// `height` are at least 1 pixel.
    pub fn of(world: &FluidWorld, width: u32, height: u32) -> Self {
        let (low, high) = bounds(world);
        let size = (high - low).max(Vec2::splat(world.parameters().particle_spacing));
        let room = Vec2::new(width as f32, height as f32) * (1.0 - 2.0 * MARGIN);
        let mut picture = Self {
            width: width.max(1),
            height: height.max(1),
            pixels: vec![linear(BACKGROUND); (width.max(1) * height.max(1)) as usize],
            scale: (room / size).min_element(),
            centre: 0.5 * (low + high),
        };
        let FluidSolidStyle { interior, wall, thickness, .. } = FluidSolidStyle::default();
        let (interior, wall) = (interior.map(linear), linear(wall));
        for (_, container) in world.containers() {
            if let Some(interior) = interior {
                picture.fill(interior, |point| container.depth(point));
            }
        }
        picture.draw_particles(world, &FluidDots::default());
        for (_, container) in world.containers() {
            let within = |depth: f32| (-depth).min(depth + thickness);
            picture.fill(wall, |point| within(container.depth(point)));
        }
        for (_, collider) in world.colliders() {
            picture.fill(wall, |point| -collider.distance(point));
        }
        picture
    }

    /// Saves the picture as a PNG file, and creates its folder if it is missing.
    ///
    /// # Errors
    ///
    /// Errors of the file system.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let rgb: Vec<u8> = self.pixels.iter().flat_map(|pixel| srgb_bytes(*pixel)).collect();
        save(path, self.width, self.height, &rgb)
    }

    /// Red, green and blue of a pixel, counted from the upper left corner.
    ///
    /// # Panics
    ///
    /// If the pixel is outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        srgb_bytes(self.pixels[(y * self.width + x) as usize])
    }

    fn to_pixel(&self, world: Vec2) -> Vec2 {
        let offset = (world - self.centre) * self.scale;
        Vec2::new(0.5 * self.width as f32 + offset.x, 0.5 * self.height as f32 - offset.y)
    }

    fn to_world(&self, pixel: Vec2) -> Vec2 {
        let offset = pixel - 0.5 * Vec2::new(self.width as f32, self.height as f32);
        self.centre + Vec2::new(offset.x, -offset.y) / self.scale
    }

    fn blend(&mut self, x: u32, y: u32, color: Vec3, alpha: f32) {
        let pixel = &mut self.pixels[(y * self.width + x) as usize];
        *pixel = pixel.lerp(color, alpha);
    }

    /// Fills the pixels at which `inside`, the distance to an edge, is positive, with a smooth
    /// edge.
    fn fill(&mut self, color: Vec3, inside: impl Fn(Vec2) -> f32) {
        for y in 0..self.height {
            for x in 0..self.width {
                let point = self.to_world(Vec2::new(x as f32 + 0.5, y as f32 + 0.5));
                let coverage = inside(point) * self.scale + 0.5;
                if coverage > 0.0 {
                    self.blend(x, y, color, coverage.min(1.0));
                }
            }
        }
    }

    /// Draws the same dots as the shader.
    fn draw_particles(&mut self, world: &FluidWorld, dots: &FluidDots) {
        let particles = world.particles();
        let radius = dots.radius * world.parameters().particle_spacing * self.scale;
        let fade = dots.softness.max(1.0 / radius.max(1.0));
        // A dot smaller than a pixel still covers its fraction of the pixel.
        let drawn_radius = radius.max(0.7);
        let share = (radius / drawn_radius).powi(2);
        for index in particles.indices_by_slot() {
            let class = &world.classes()[particles.classes()[index]];
            let [red, green, blue, alpha] = class.color;
            let color = linear(Color::srgb(red, green, blue));
            let centre = self.to_pixel(particles.positions()[index]);
            let low = (centre - drawn_radius).max(Vec2::ZERO);
            let high = (centre + drawn_radius + 1.0).max(Vec2::ZERO);
            for y in low.y as u32..(high.y as u32 + 1).min(self.height) {
                for x in low.x as u32..(high.x as u32 + 1).min(self.width) {
                    let offset = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - centre;
                    let corner = Vec2::new(offset.x, -offset.y) / drawn_radius;
                    let distance = corner.length();
                    let coverage = 1.0 - smoothstep(1.0 - fade, 1.0, distance);
                    if coverage <= 0.0 {
                        continue;
                    }
                    let light = (-4.5 * corner.distance_squared(Vec2::new(-0.25, 0.3))).exp();
                    let shade = 0.30 * light - 0.18 * distance * distance;
                    let lit = color * (1.0 + dots.shading * shade);
                    self.blend(x, y, lit, coverage * share * dots.opacity * alpha);
                }
            }
        }
    }
}

/// The box around all containers; without containers, around all particles.
fn bounds(world: &FluidWorld) -> (Vec2, Vec2) {
    let container_bounds = |container: &Container| {
        let (shape, centre) = (container.shape().clone(), container.centre());
        let bounds =
            FluidRegion::new(shape, centre, container.rotation()).map(|region| region.bounds());
        let thickness = FluidSolidStyle::default().thickness;
        let bounds = bounds.map_or(FluidBounds::NONE, |bounds| bounds.inflated(thickness));
        (bounds.low, bounds.high)
    };
    let join = |a: (Vec2, Vec2), b: (Vec2, Vec2)| (a.0.min(b.0), a.1.max(b.1));
    let particle_bounds =
        world.particles().positions().iter().map(|position| (*position, *position));
    world
        .containers()
        .map(|(_, container)| container_bounds(container))
        .reduce(join)
        .or_else(|| particle_bounds.reduce(join))
        .unwrap_or((Vec2::splat(-1.0), Vec2::ONE))
}

fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = ((x - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

fn linear(color: Color) -> Vec3 {
    color.to_linear().to_vec3()
}

fn srgb_bytes(linear: Vec3) -> [u8; 3] {
    let color = Srgba::from(LinearRgba::rgb(linear.x, linear.y, linear.z));
    [color.red, color.green, color.blue].map(|channel| (channel * 255.0).round() as u8)
}

// PNG files.

/// Saves red, green and blue bytes, row by row from the top, and creates the folder if it is
/// missing.
pub(crate) fn save(path: &Path, width: u32, height: u32, rgb: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder)?;
    }
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(io::Error::other)?;
    writer.write_image_data(rgb).map_err(io::Error::other)
}

/// Ends the program with an error, because `App::run` in an example's `main` would ignore it.
pub(crate) fn exit_with(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1);
}

// The image into which all cameras draw without a window.

/// Lets all cameras draw into an image. Simulates a tick per frame, without drawing until
/// [`open_eyes`](Target::open_eyes) is called.
pub(crate) struct TargetPlugin(pub Frame);

/// Size of a picture, the part of the world in it, and the factor of the particle spacing.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    pub size: PictureSize,
    pub view: Option<PictureView>,
    pub fine: f32,
}

#[derive(Resource)]
pub(crate) struct Target {
    pub image: Handle<Image>,
    frame: Frame,
    drawing: bool,
}

impl Plugin for TargetPlugin {
    fn build(&self, app: &mut App) {
        let PictureSize { width, height } = self.0.size;
        let mut image =
            Image::new_target_texture(width, height, TextureFormat::Rgba8UnormSrgb, None);
        image.asset_usage = RenderAssetUsages::all();
        let image = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
            .insert_resource(Target { image, frame: self.0, drawing: false })
            .add_observer(redirect)
            .add_systems(PostStartup, refine)
            .add_systems(Update, (wait_for_assets, hide_hud))
            .add_systems(
                PostUpdate,
                crop.before(CameraUpdateSystems).before(TransformSystems::Propagate),
            );
    }
}

impl Target {
    /// Whether cameras draw.
    pub(crate) fn drawing(&self) -> bool {
        self.drawing
    }

    /// Lets all cameras draw from the next frame.
    pub(crate) fn open_eyes(&mut self, cameras: &mut Query<&mut Camera>) {
        self.drawing = true;
        cameras.iter_mut().for_each(|mut camera| camera.is_active = true);
    }

    /// Saves the image of a screenshot, or ends the program with an error.
    pub(crate) fn save(&self, captured: &Image, file: &Path) {
        let pixels = captured.data.as_deref().unwrap_or_default();
        let rgb: Vec<u8> =
            pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
        if let Err(error) = save(file, self.frame.size.width, self.frame.size.height, &rgb) {
            exit_with(&format!("{}: {error}", file.display()));
        }
    }
}

/// Makes the particles of the example finer.
fn refine(target: Res<Target>, mut settings: ResMut<FluidSettings>) {
    settings.parameters.particle_spacing *= target.frame.fine;
}

/// Lets all cameras show the view of the picture.
fn crop(target: Res<Target>, mut cameras: Query<(&mut Transform, &mut Projection), With<Camera>>) {
    let Some(PictureView { middle, width }) = target.frame.view else { return };
    for (mut transform, mut projection) in &mut cameras {
        transform.translation = middle.extend(transform.translation.z);
        if let Projection::Orthographic(flat) = &mut *projection {
            flat.scaling_mode = ScalingMode::FixedHorizontal { viewport_width: width };
        }
    }
}

/// Lets a camera draw into the image, and disables it until pictures are due.
fn redirect(
    added: On<Add, Camera>,
    target: Res<Target>,
    mut cameras: Query<&mut Camera>,
    mut commands: Commands,
) {
    commands.entity(added.entity).insert(RenderTarget::Image(target.image.clone().into()));
    if let Ok(mut camera) = cameras.get_mut(added.entity) {
        camera.is_active = target.drawing;
    }
}

/// Ends the program with an error if a picture cannot be saved to this file. The check precedes a long simulation.
pub(crate) fn ensure_writable(file: &Path) {
    if let Err(error) = save(file, 1, 1, &[0, 0, 0]) {
        exit_with(&format!("{}: {error}", file.display()));
    }
}

// Pictures drawn offscreen by the real renderer.

/// Frames that are drawn before the picture is taken, so that text is laid out and assets are
/// loaded.
const FRAMES_TO_SETTLE: u32 = 8;

/// Simulates, lets all cameras draw into an image, and saves the image.
pub(crate) struct ShotPlugin {
    pub file: PathBuf,
    pub at: f64,
    pub frame: Frame,
}

#[derive(Resource)]
struct Shot {
    file: PathBuf,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Simulating,
    Settling(u32),
    Captured,
}

impl Plugin for ShotPlugin {
    fn build(&self, app: &mut App) {
        ensure_writable(&self.file);
        app.add_plugins(TargetPlugin(self.frame))
            .insert_resource(Progress::until(self.at))
            .insert_resource(Shot { file: self.file.clone(), stage: Stage::Simulating })
            .add_systems(Last, advance);
    }
}

fn advance(
    mut commands: Commands,
    fluid: Res<FluidSimulation>,
    progress: Res<Progress>,
    mut time: ResMut<Time<Fluid>>,
    mut strategy: ResMut<TimeUpdateStrategy>,
    mut shot: ResMut<Shot>,
    mut target: ResMut<Target>,
    mut cameras: Query<&mut Camera>,
) {
    match shot.stage {
        Stage::Simulating if progress.follow(&fluid) => {
            stop_time(&mut time, &mut strategy);
            target.open_eyes(&mut cameras);
            shot.stage = Stage::Settling(FRAMES_TO_SETTLE);
        }
        Stage::Settling(0) => {
            commands.spawn(Screenshot::image(target.image.clone())).observe(save_picture);
            shot.stage = Stage::Captured;
        }
        Stage::Settling(frames) => shot.stage = Stage::Settling(frames - 1),
        Stage::Simulating | Stage::Captured => {}
    }
}

fn save_picture(
    captured: On<ScreenshotCaptured>,
    shot: Res<Shot>,
    target: Res<Target>,
    mut exit: MessageWriter<AppExit>,
) {
    target.save(&captured.image, &shot.file);
    exit.write(AppExit::Success);
}

#[cfg(test)]
mod tests {
    use bevy_blob_fluid::blob_fluid::{ClassId, ParticleSpawn};

    use super::*;

    fn world_with(particles: &[(Vec2, ClassId)]) -> FluidWorld {
        let mut world = FluidWorld::default();
        world.insert_container(Container::circle(Vec2::ZERO, 100.0).expect("valid"));
        for (position, class) in particles {
            let spawn = ParticleSpawn { position: *position, class: *class, ..default() };
            world.spawn(spawn).expect("valid");
        }
        world
    }

    fn bytes(color: Color) -> [u8; 3] {
        srgb_bytes(linear(color))
    }

    #[test]
    fn up_is_up_and_inside_is_inside() {
        let picture = Picture::of(&world_with(&[(Vec2::new(0.0, 60.0), ClassId::HEAVY)]), 200, 200);
        let above = picture.to_pixel(Vec2::new(0.0, 60.0)).as_uvec2();
        let [red, _, blue] = picture.pixel(above.x, above.y);
        assert!(above.y < 100 && red > 180 && blue < 120, "the heavy class is coral");
        let FluidSolidStyle { interior, wall, .. } = FluidSolidStyle::default();
        assert_eq!(Some(picture.pixel(100, 140)), interior.map(bytes));
        assert_eq!(picture.pixel(1, 1), bytes(BACKGROUND));
        let right = picture.to_pixel(Vec2::new(105.0, 0.0)).as_uvec2();
        assert_eq!(picture.pixel(right.x, right.y), bytes(wall));
    }

    #[test]
    fn nothing_and_next_to_nothing_can_be_drawn() {
        let empty = Picture::of(&FluidWorld::default(), 10, 10);
        assert_eq!(empty.pixel(5, 5), bytes(BACKGROUND));
        Picture::of(&world_with(&[(Vec2::ZERO, ClassId::LIGHT)]), 1, 1);
        let mut free = world_with(&[(Vec2::splat(3.0), ClassId::LIGHT)]);
        free.clear_containers();
        Picture::of(&free, 16, 9);
    }
}
