//! Building blocks of the scenes.

use bevy::camera::ScalingMode;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_blob_fluid::FluidGlow;
use bevy_blob_fluid::prelude::*;

use super::super::Painter;

/// Size of the camera's view, in world units.
pub const VIEW: Vec2 = Vec2::new(1280.0, 720.0);

/// Marks entities that are removed with the scene.
#[derive(Component)]
pub struct OnStage;

/// Access to the world for a scene of the gallery.
#[derive(SystemParam)]
pub struct Stage<'w, 's> {
    commands: Commands<'w, 's>,
    /// Paints the scenery.
    pub painter: Painter<'w, 's>,
    settings: ResMut<'w, FluidSettings>,
    classes: ResMut<'w, FluidClasses>,
    materials: ResMut<'w, FluidMaterials>,
    solids: ResMut<'w, FluidSolidStyle>,
    ground: ResMut<'w, ClearColor>,
    glow: ResMut<'w, FluidGlow>,
}

impl Stage<'_, '_> {
    /// Removes everything of the scene before.
    pub fn clear(&mut self) {
        self.painter.begin();
        *self.settings = FluidSettings::default();
        // Otherwise materials of the scene before would add their classes again.
        *self.materials = FluidMaterials::default();
        *self.classes = FluidClasses::default();
        *self.glow = FluidGlow::default();
    }

    /// Sets the temperatures at which liquid begins to glow and glows most.
    pub fn glow(&mut self, begins: f32, full: f32) {
        *self.glow = FluidGlow { begins, full };
    }

    /// Spawns an entity that is removed with the scene.
    pub fn spawn(&mut self, bundle: impl Bundle) -> EntityCommands<'_> {
        self.commands.spawn((OnStage, bundle))
    }

    /// Spawns the camera.
    pub fn camera(&mut self) -> EntityCommands<'_> {
        let scaling_mode = ScalingMode::AutoMin { min_width: VIEW.x, min_height: VIEW.y };
        let projection =
            OrthographicProjection { scaling_mode, ..OrthographicProjection::default_2d() };
        self.spawn((Camera2d, Projection::Orthographic(projection)))
    }

    /// Sets the colours of the background, and of containers and colliders.
    pub fn colors(&mut self, ground: Color, walls: Color) {
        self.ground.0 = ground;
        *self.solids = FluidSolidStyle { interior: None, wall: walls, body: walls, ..default() };
    }

    /// The settings of the liquid.
    pub fn settings(&mut self) -> &mut FluidSettings {
        &mut self.settings
    }

    /// Sets the scene's own classes.
    pub fn classes(&mut self, classes: impl Into<FluidClasses>) {
        *self.classes = classes.into();
    }

    /// Draws the liquid, with looks for the classes of these names. Materials have no looks of their own here.
    pub fn look(
        &mut self,
        surface: impl Into<FluidSurface>,
        class_looks: &[(&str, FluidSurfaceLook)],
    ) {
        let plain = surface.into().without_material_looks();
        let looks = class_looks.iter();
        self.spawn(looks.fold(plain, |surface, (name, look)| surface.with_look(*name, *look)));
    }

    /// Paints bands across the view, of this width and at this distance from each other, turned by an angle in radians.
    pub fn bands(&mut self, width: f32, distance: f32, angle: f32, color: Color) {
        let reach = 0.5 * VIEW.length();
        let count = (2.0 * reach / distance).ceil() as usize;
        for number in 0..=count {
            let middle = number as f32 * distance - reach;
            let corner = |x: f32, y: f32| {
                let at = Vec2::from_angle(angle).rotate(Vec2::new(x * reach, middle + y * width));
                (at.x, at.y)
            };
            let ring = [corner(-1.0, -0.5), corner(1.0, -0.5), corner(1.0, 0.5), corner(-1.0, 0.5)];
            self.painter.shape(&ring, 0.0, [color; 2]);
        }
    }

    /// Paints tiles across the view, with grout between them; their shades vary by as much as `uneven`.
    pub fn tiles(&mut self, size: Vec2, color: Color, uneven: f32) {
        let half = (0.5 * VIEW / size).ceil().as_ivec2();
        for row in -half.y..=half.y {
            for column in -half.x..=half.x {
                // A fixed hash of the position varies their shades.
                let number =
                    (row * 31 + column * 17).unsigned_abs().wrapping_mul(0x9e37_79b9) >> 28;
                let shade = color.darker(uneven * number as f32 / 15.0);
                let shift = 0.5 * size.x * (row & 1) as f32;
                let at = Vec2::new(column as f32 * size.x + shift, row as f32 * size.y);
                self.painter.board(at, size - 4.0, shade);
            }
        }
    }
}

/// An opaque colour, in sRGB.
pub fn rgb(red: f32, green: f32, blue: f32) -> Color {
    Color::srgb(red, green, blue)
}

/// A colour that lets light through, in sRGB.
pub fn rgba(red: f32, green: f32, blue: f32, alpha: f32) -> Color {
    Color::srgba(red, green, blue, alpha)
}

/// A transform at a position.
pub fn at(x: f32, y: f32) -> Transform {
    Transform::from_xyz(x, y, 0.0)
}

/// A transform at a position, turned by an angle in radians, counter-clockwise.
pub fn turned(x: f32, y: f32, angle: f32) -> Transform {
    at(x, y).with_rotation(Quat::from_rotation_z(angle))
}

/// A class with a mass and a colour (red, green and blue in sRGB).
pub fn class(name: &str, mass: f32, [red, green, blue]: [f32; 3]) -> DensityClass {
    DensityClass { name: name.into(), mass, color: [red, green, blue, 1.0], ..default() }
}
