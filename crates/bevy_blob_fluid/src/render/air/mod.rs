//! Drawing of air: smoke with light and shadows, fire, colours of pressure, speed and vorticity,
//! and streamlines.
//!
//! The grid is uploaded as textures of half floats, which WebGL2 supports as well. The material
//! draws a rectangle, so cameras, render layers and depth among sprites work as for any Bevy mesh.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::RenderLayers;
use bevy::image::{Image, ImageSampler};
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, BlendComponent, BlendFactor, BlendOperation, BlendState, Extent3d,
    RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError, TextureDimension,
    TextureFormat,
};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy::shader::ShaderDefVal;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};
use bevy::transform::helper::TransformHelper;
use blob_fluid::air::{Air, AirChannel};
use half::f16;

use crate::air::{FluidAir, FluidAirState};
use crate::render::look::{FluidAirLook, FluidAirShow, FluidStreamlines};
use crate::render::shader::{ShaderPlugin, ShaderSource, ShaderVariants, handle_of};
use crate::render::view::{ViewParts, view_flags};
use crate::simulation::FluidSimulation;

// The systems that draw air.

/// Draws every [`FluidAir`] by its [`FluidAirLook`]. Air without a look gets the default look.
///
/// In an app without a renderer, it only registers the type of the looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct FluidAirRenderPlugin;

impl Plugin for FluidAirRenderPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FluidAirLook>();
        if !app.is_plugin_added::<ShaderPlugin>() {
            app.add_plugins(ShaderPlugin);
        }
    }

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if app.get_sub_app(RenderApp).is_none() {
            return;
        }
        app.add_plugins(Material2dPlugin::<AirMaterial>::default()).add_systems(
            PostUpdate,
            ((add_looks, draw_air, draw_streamlines).chain().before(TransformSystems::Propagate),),
        );
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app.add_systems(Render, request_shaders.in_set(RenderSystems::Queue));
        }
    }
}

fn add_looks(mut commands: Commands, airs: Query<Entity, (With<FluidAir>, Without<FluidAirLook>)>) {
    for air in &airs {
        commands.entity(air).insert(FluidAirLook::default());
    }
}

// Streamlines: ribbons that taper towards their ends.

/// The streamlines of air: a child of its entity.
#[derive(Component, PartialEq)]
pub(super) struct Streamlines {
    /// The inputs of the mesh: the air's time, its pose, and the settings.
    time: f64,
    place: GlobalTransform,
    settings: FluidStreamlines,
}

/// Limit of the number of streamlines.
const MOST_LINES: usize = 4000;

/// Depth that puts streamlines in front of the picture of the air.
const DEPTH: f32 = 0.01;

/// Draws the streamlines of all air whose look has them.
pub(super) fn draw_streamlines(
    mut commands: Commands,
    airs: Query<(Entity, &FluidAirLook, &FluidAirState, Option<&RenderLayers>), With<FluidAir>>,
    mut lines: Query<(Entity, &ChildOf, &Mesh2d, &mut Streamlines, Option<&RenderLayers>)>,
    transforms: TransformHelper,
    fluid: Res<FluidSimulation>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    for (line, parent, ..) in &lines {
        if !airs.get(parent.parent()).is_ok_and(|(_, look, ..)| look.streamlines.is_some()) {
            commands.entity(line).try_despawn();
        }
    }
    for (entity, look, state, layers) in &airs {
        let Some(settings) = look.streamlines else { continue };
        let Some(air) = state.id.and_then(|id| fluid.air(id)) else { continue };
        let Ok(place) = transforms.compute_global_transform(entity) else { continue };
        let present = lines.iter_mut().find(|(_, parent, ..)| parent.parent() == entity);
        let drawn = Streamlines { time: air.time(), place, settings };
        if present.as_ref().is_some_and(|(_, _, _, before, on)| **before == drawn && *on == layers)
        {
            continue;
        }
        let to_local = place.affine().inverse();
        let mesh =
            ribbons(air, settings, |point| to_local.transform_point3(point.extend(0.0)).truncate());
        match present {
            Some((line, _, handle, mut before, on)) => {
                *before = drawn;
                _ = meshes.insert(&handle.0, mesh);
                show_on(layers, on, &mut commands.entity(line));
            }
            None => {
                let mut line = commands.spawn((
                    drawn,
                    Mesh2d(meshes.add(mesh)),
                    MeshMaterial2d(materials.add(ColorMaterial {
                        alpha_mode: AlphaMode2d::Blend,
                        ..ColorMaterial::default()
                    })),
                    Transform::from_xyz(0.0, 0.0, DEPTH),
                    ChildOf(entity),
                ));
                show_on(layers, None, &mut line);
            }
        }
    }
}

/// Ribbons along streamlines that start on a lattice.
fn ribbons(air: &Air, settings: FluidStreamlines, to_local: impl Fn(Vec2) -> Vec2) -> Mesh {
    let bounds = air.bounds();
    let size = bounds.high - bounds.low;
    let area = size.x * size.y;
    let least = (area / MOST_LINES as f32).sqrt();
    let spacing = settings.spacing.max(least);
    let step = (0.5 * air.cell_size()).max(settings.length / 200.0);
    let points = (settings.length / step) as usize;
    let color = settings.color.to_linear();
    let mut positions: Vec<[f32; 3]> = Vec::new();
    let mut colors: Vec<[f32; 4]> = Vec::new();
    let mut indices: Vec<u32> = Vec::new();
    let fastest = (0..air.columns() * air.rows())
        .map(|index| air.velocity_in_cell(index).length())
        .fold(f32::MIN_POSITIVE, f32::max);
    let counts = (size / spacing).max(Vec2::ONE);
    for row in 0..counts.y as usize {
        for column in 0..counts.x as usize {
            // Every second row is shifted by half a spacing.
            let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
            let start = bounds.low + Vec2::new(column as f32 + shift, row as f32 + 0.5) * spacing;
            let Some(speed) = air.velocity_at(start).map(Vec2::length) else { continue };
            let line = air.streamline(start, step, points);
            if line.len() < 4 {
                continue;
            }
            let strength = (4.0 * speed / fastest).min(1.0);
            let first = positions.len() as u32;
            for (number, point) in line.iter().enumerate() {
                let before = line[number.saturating_sub(1)];
                let after = line[(number + 1).min(line.len() - 1)];
                let across = (after - before).normalize_or_zero().perp();
                let along = number as f32 / (line.len() - 1) as f32;
                let width = (0.15 + 0.25 * along) * air.cell_size().min(0.08 * spacing);
                for side in [-width, width] {
                    positions.push(to_local(*point + across * side).extend(0.0).to_array());
                    let alpha = color.alpha * along * strength;
                    colors.push([color.red, color.green, color.blue, alpha]);
                }
            }
            for number in 0..line.len() as u32 - 1 {
                let corner = first + 2 * number;
                indices.extend([
                    corner,
                    corner + 1,
                    corner + 2,
                    corner + 2,
                    corner + 1,
                    corner + 3,
                ]);
            }
        }
    }
    let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
    mesh.insert_attribute(Mesh::ATTRIBUTE_COLOR, colors);
    mesh.insert_indices(Indices::U32(indices));
    mesh
}

// The material of air, and the systems that keep it up to date.

/// The uniform of the look of air.
#[derive(ShaderType, Clone, Copy, Debug, Default)]
struct AirUniform {
    light_color: Vec4,
    ambient: Vec4,
    /// A step towards the light, in texture coordinates, for the search for shadows.
    to_light: Vec2,
    /// Size of a texel in texture coordinates.
    texel: Vec2,
    thickness: f32,
    shadow: f32,
    fire: f32,
    /// 0 for smoke, 1 for colours from blue to red, 2 for colours from dark to bright.
    shown: f32,
}

/// The material of air.
#[derive(AsBindGroup, Asset, TypePath, Clone, Debug)]
pub(super) struct AirMaterial {
    #[uniform(0)]
    look: AirUniform,
    #[texture(1)]
    #[sampler(2)]
    smoke: Handle<Image>,
    #[texture(3)]
    #[sampler(4)]
    heat: Handle<Image>,
    #[texture(5)]
    #[sampler(6)]
    glow: Handle<Image>,
    #[texture(7)]
    walls: Handle<Image>,
}

/// The flag of a 2D mesh's view.
const MESH_VIEW: &str = "MESH_VIEW";

/// Requests the shader of air for each view. The material cannot do that when it chooses the shader.
fn request_shaders(views: Query<ViewParts>, shaders: Res<ShaderVariants>) {
    for parts in &views {
        let mut flags = view_flags(parts.key());
        flags.push(MESH_VIEW);
        shaders.request(ShaderSource::Air, &flags);
    }
}

impl Material2d for AirMaterial {
    fn alpha_mode(&self) -> AlphaMode2d {
        AlphaMode2d::Blend
    }

    /// Puts the air behind liquid of the same depth: liquid hides smoke, and smoke in front would
    /// make it pale.
    fn depth_bias(&self) -> f32 {
        -1e-3
    }

    fn specialize(
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: Material2dKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Fire adds light and smoke absorbs light, so the shader returns colours multiplied by
        // their opacity.
        let over = BlendComponent {
            src_factor: BlendFactor::One,
            dst_factor: BlendFactor::OneMinusSrcAlpha,
            operation: BlendOperation::Add,
        };
        let Some(fragment) = &mut descriptor.fragment else { return Ok(()) };
        for target in fragment.targets.iter_mut().flatten() {
            target.blend = Some(BlendState { color: over, alpha: over });
        }
        // The names of Bevy's definitions are those of this crate's flags.
        let definitions = fragment.shader_defs.iter().filter_map(|definition| match definition {
            ShaderDefVal::Bool(name, true) => Some(&**name),
            _ => None,
        });
        let flags: Vec<&str> = definitions.chain([MESH_VIEW]).collect();
        fragment.shader = handle_of(ShaderSource::Air, &flags);
        fragment.shader_defs.clear();
        Ok(())
    }
}

/// The picture of air: a child of its entity.
#[derive(Component)]
pub(super) struct AirPicture {
    /// Number of columns and rows, and the time of the uploaded state.
    size: (usize, usize),
    time: Option<f64>,
}

/// Length of a step towards the light, in cells.
const STEP: f32 = 2.5;

/// Draws all air, and removes the pictures of removed air.
pub(super) fn draw_air(
    mut commands: Commands,
    airs: Query<(
        Entity,
        Ref<FluidAirLook>,
        &FluidAir,
        &FluidAirState,
        &GlobalTransform,
        Option<&RenderLayers>,
    )>,
    mut pictures: Query<(
        Entity,
        &ChildOf,
        &mut AirPicture,
        &MeshMaterial2d<AirMaterial>,
        &mut Transform,
        Option<&RenderLayers>,
    )>,
    fluid: Res<FluidSimulation>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<AirMaterial>>,
    mut images: ResMut<Assets<Image>>,
) {
    for (picture, parent, ..) in &pictures {
        if airs.get(parent.parent()).is_err() {
            commands.entity(picture).try_despawn();
        }
    }
    for (entity, look, component, state, global, layers) in &airs {
        let Some(air) = state.id.and_then(|id| fluid.air(id)) else { continue };
        let size = (air.columns(), air.rows());
        let present = pictures.iter_mut().find(|(_, parent, ..)| parent.parent() == entity);
        // The grid has a whole number of cells, so it can be larger than the component's size. Its
        // lower left corner is fixed.
        let grown = air.bounds().half_size() * 2.0 / state.size;
        // Cancels a mirroring of the entity, because the grid is in world directions.
        let side = Vec2::new(1.0_f32.copysign(global.affine().x_axis.x), 1.0);
        let place = Transform {
            translation: (side * component.size * 0.5 * (grown - 1.0)).extend(0.0),
            scale: (side * component.size * grown).extend(1.0),
            ..Transform::IDENTITY
        };
        let Some((picture, _, mut shown, material, mut transform, shown_on)) = present else {
            let smoke = images.add(image(size.0, size.1));
            let heat = images.add(image(size.0, size.1));
            let (columns, rows) = glow_size(size.0, size.1);
            let glow = images.add(image(columns, rows));
            let look = uniform(&look, size.0, size.1);
            let walls = images.add(image(size.0, size.1));
            let material = materials.add(AirMaterial { look, smoke, heat, glow, walls });
            commands.entity(entity).insert_if_new(Visibility::default());
            let mut picture = commands.spawn((
                AirPicture { size, time: None },
                Mesh2d(meshes.add(Rectangle::new(1.0, 1.0))),
                MeshMaterial2d(material),
                place,
                ChildOf(entity),
            ));
            show_on(layers, None, &mut picture);
            continue;
        };
        show_on(layers, shown_on, &mut commands.entity(picture));
        if shown.size != size {
            commands.entity(picture).try_despawn();
            continue;
        }
        transform.set_if_neq(place);
        if shown.time == Some(air.time()) && !look.is_changed() {
            continue;
        }
        shown.time = Some(air.time());
        let Some(mut material) = materials.get_mut(&material.0) else { continue };
        material.look = uniform(&look, size.0, size.1);
        let color = look.smoke.to_linear();
        let color = [color.red, color.green, color.blue];
        let texels = texels(air, &look, color);
        let lists = [
            (&material.smoke, texels.smoke),
            (&material.heat, texels.heat),
            (&material.glow, glow(air)),
            (&material.walls, walls(air)),
        ];
        for (handle, data) in lists {
            if let Some(mut image) = images.get_mut(handle) {
                image.data = Some(data);
            }
        }
    }
}

/// Copies the render layers of the air to a part of its drawing.
pub(super) fn show_on(
    layers: Option<&RenderLayers>,
    present: Option<&RenderLayers>,
    part: &mut EntityCommands,
) {
    match layers {
        _ if layers == present => {}
        Some(layers) => _ = part.insert(layers.clone()),
        None => _ = part.remove::<RenderLayers>(),
    }
}

fn uniform(look: &FluidAirLook, columns: usize, rows: usize) -> AirUniform {
    let color = |color: Color| color.to_linear().to_vec4();
    let texel = Vec2::new(1.0 / columns as f32, 1.0 / rows as f32);
    // Texture coordinates increase downwards.
    let to_light = -look.light.normalize_or(Vec2::NEG_Y) * Vec2::new(1.0, -1.0);
    AirUniform {
        light_color: color(look.light_color),
        ambient: color(look.ambient),
        to_light: to_light * texel * STEP,
        texel,
        thickness: look.thickness.max(0.0),
        shadow: look.shadow.clamp(0.0, 1.0),
        fire: look.fire.max(0.0),
        shown: match look.show {
            FluidAirShow::Smoke => 0.0,
            FluidAirShow::Pressure | FluidAirShow::Vorticity => 1.0,
            FluidAirShow::Speed => 2.0,
        },
    }
}

// The grid of air as textures of half floats, and the light of flames on their surroundings.

/// Two textures with a texel for each cell, rows from the top.
///
/// The first holds red, green and blue of the smoke times its concentration, and the concentration.
/// The second holds heat, fuel, the shown scalar (-1 to 1), and the fraction of air in the cell.
pub(super) struct Texels {
    pub smoke: Vec<u8>,
    pub heat: Vec<u8>,
}

/// A texture for a grid of this size.
pub(super) fn image(columns: usize, rows: usize) -> Image {
    let size = Extent3d { width: columns as u32, height: rows as u32, depth_or_array_layers: 1 };
    let mut image = Image::new_fill(
        size,
        TextureDimension::D2,
        &[0; 8],
        TextureFormat::Rgba16Float,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::linear();
    image
}

/// Side of a texel of the light of flames, in cells.
const GLOW_CELLS: usize = 4;

/// Radius of each of the three blurs of the light of flames, in texels.
const GLOW_REACH: usize = 2;

/// Columns and rows of the light of flames.
pub(super) fn glow_size(columns: usize, rows: usize) -> (usize, usize) {
    (columns.div_ceil(GLOW_CELLS), rows.div_ceil(GLOW_CELLS))
}

/// The light of flames on their surroundings: the heat above the threshold of shining, blurred.
/// Rows start at the top.
pub(super) fn glow(air: &Air) -> Vec<u8> {
    let heat = air.channel(AirChannel::Heat);
    let (columns, rows) = glow_size(air.columns(), air.rows());
    let mut light = vec![0.0; columns * rows];
    for (index, heat) in heat.iter().enumerate() {
        let (column, row) = (index % air.columns(), index / air.columns());
        let shines = ((heat - 0.25) * 1.5).clamp(0.0, 1.0);
        light[(rows - 1 - row / GLOW_CELLS) * columns + column / GLOW_CELLS] += shines;
    }
    let mut blurred = vec![0.0; columns * rows];
    for _ in 0..3 {
        blur(&light, &mut blurred, 1, columns, columns, rows);
        blur(&blurred, &mut light, columns, rows, 1, columns);
    }
    let cells = (GLOW_CELLS * GLOW_CELLS) as f32;
    let mut texels = Vec::with_capacity(8 * light.len());
    for value in light {
        for part in [value / cells, 0.0, 0.0, 1.0] {
            texels.extend_from_slice(&f16::from_f32(part.min(MOST)).to_le_bytes());
        }
    }
    texels
}

/// A box blur of `lines` lines with `length` numbers. `along` is the index distance of two neighbours in a line, and
/// `across` that of two lines.
fn blur(from: &[f32], into: &mut [f32], along: usize, length: usize, across: usize, lines: usize) {
    for line in 0..lines {
        for place in 0..length {
            let first = place.saturating_sub(GLOW_REACH);
            let last = (place + GLOW_REACH).min(length - 1);
            let sum: f32 = (first..=last).map(|at| from[line * across + at * along]).sum();
            into[line * across + place * along] = sum / (2 * GLOW_REACH + 1) as f32;
        }
    }
}

/// Cells around the cells of a thin wall whose drawing the wall changes: the reach of a cubic B-spline.
const WALL_REACH: usize = 2;

/// The walls thinner than a cell: the texel of a cell holds the wall to its left and the wall below. Rows start at the
/// top.
///
/// Of each wall there are the distance in cells along the line to the other cell's centre, and the direction of the
/// normal towards that cell, in texture coordinates. The distance is 0 without a wall, and -1 without a wall in cells near
/// one.
pub(super) fn walls(air: &Air) -> Vec<u8> {
    let (columns, rows) = (air.columns(), air.rows());
    let mut texels = vec![[0.0; 4]; columns * rows];
    let place_of = |cell: usize| (cell % columns, rows - 1 - cell / columns);
    for wall in air.thin_walls() {
        let (x, y) = place_of(wall.cells[0]);
        let around = |at: usize, count: usize| {
            at.saturating_sub(WALL_REACH + 1)..(at + WALL_REACH + 2).min(count)
        };
        for row in around(y, rows) {
            for texel in &mut texels[row * columns..][around(x, columns)] {
                texel[0] = -1.0;
            }
        }
    }
    for wall in air.thin_walls() {
        let (x, y) = place_of(wall.cells[0]);
        let [centre, other] = wall.cells.map(|cell| air.cell_centre(cell));
        // Where the wall crosses the line between the centres.
        let slope = (other - centre).dot(wall.normal);
        let distance = (wall.place - centre).dot(wall.normal) / slope;
        let distance = if slope > 0.0 { distance.clamp(0.01, 1.0) } else { 0.5 };
        let angle = (-wall.normal.y).atan2(wall.normal.x);
        let part = if wall.cells[0] == wall.cells[1] + 1 { 0 } else { 2 };
        texels[y * columns + x][part..part + 2].copy_from_slice(&[distance, angle]);
    }
    texels.iter().flatten().flat_map(|part| f16::from_f32(*part).to_le_bytes()).collect()
}

/// Limit of stored values. It is below the largest half float, which leaves room for sums.
const MOST: f32 = 1e4;

/// The texels of air. `smoke_color` is the colour of white smoke; vapour is drawn as white smoke too.
pub(super) fn texels(air: &Air, look: &FluidAirLook, smoke_color: [f32; 3]) -> Texels {
    let (columns, rows) = (air.columns(), air.rows());
    let scalar = scalars(air, look.show, look.range);
    let fog_per_vapour = look.vapour.max(0.0);
    let channel = |channel| air.channel(channel);
    let smoke = channel(AirChannel::Smoke);
    let [heat, fuel, vapour] =
        [AirChannel::Heat, AirChannel::Fuel, AirChannel::Vapour].map(channel);
    let colors = AirChannel::COLOUR.map(channel);
    let has_colors = !colors[0].is_empty();
    let shares = air.air_shares();
    let at = |list: &[f32], index: usize| list.get(index).copied().unwrap_or(0.0);
    let mut texels = Texels {
        smoke: Vec::with_capacity(8 * columns * rows),
        heat: Vec::with_capacity(8 * columns * rows),
    };
    let push = |into: &mut Vec<u8>, value: f32| {
        into.extend_from_slice(&f16::from_f32(value.clamp(-MOST, MOST)).to_le_bytes());
    };
    for row in (0..rows).rev() {
        let first = row * columns;
        for (index, share) in (first..).zip(&shares[first..first + columns]) {
            let amount = at(smoke, index).max(0.0);
            let fog = fog_per_vapour * at(vapour, index).max(0.0);
            let colors = colors.map(|color| at(color, index));
            for part in 0..3 {
                let color = if has_colors { colors[part] } else { amount };
                push(&mut texels.smoke, color.max(0.0) * smoke_color[part] + fog);
            }
            push(&mut texels.smoke, amount + fog);
            push(&mut texels.heat, at(heat, index));
            push(&mut texels.heat, at(fuel, index));
            push(&mut texels.heat, at(&scalar, index));
            push(&mut texels.heat, *share);
        }
    }
    texels
}

/// The shown scalar of each cell, -1 to 1; empty if smoke is shown.
fn scalars(air: &Air, show: FluidAirShow, range: Option<f32>) -> Vec<f32> {
    let mut values = Vec::new();
    match show {
        FluidAirShow::Smoke => return values,
        FluidAirShow::Pressure => values.extend_from_slice(air.pressures()),
        FluidAirShow::Speed => {
            let cells = 0..air.columns() * air.rows();
            values.extend(cells.map(|index| air.velocity_in_cell(index).length()));
        }
        FluidAirShow::Vorticity => air.vorticities(&mut values),
    }
    // The range without a setting is the 99th percentile.
    let found = || {
        let mut sizes: Vec<f32> = values.iter().map(|value| value.abs()).collect();
        let index = sizes.len() * 99 / 100;
        sizes.get(index)?;
        let (_, size, _) = sizes.select_nth_unstable_by(index, f32::total_cmp);
        Some(*size)
    };
    let range = range.or_else(found).unwrap_or(1.0).max(f32::MIN_POSITIVE);
    values.iter_mut().for_each(|value| *value = (*value / range).clamp(-1.0, 1.0));
    values
}
