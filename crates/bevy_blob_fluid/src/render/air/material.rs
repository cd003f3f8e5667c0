//! The material of air, and the systems that keep it up to date.

use bevy::asset::embedded_path;
use bevy::camera::visibility::RenderLayers;
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, BlendComponent, BlendFactor, BlendOperation, BlendState, RenderPipelineDescriptor,
    ShaderType, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey};

use super::texture;
use crate::air::{FluidAir, FluidAirState};
use crate::render::look::air::{FluidAirLook, FluidAirShow};
use crate::simulation::FluidSimulation;

/// How air is drawn, in the shader.
#[derive(ShaderType, Clone, Copy, Debug, Default)]
struct AirUniform {
    light_color: Vec4,
    ambient: Vec4,
    /// Towards the light, in texture coordinates, a step of the search for shadows.
    to_light: Vec2,
    /// Size of a texel in texture coordinates.
    texel: Vec2,
    thickness: f32,
    shadow: f32,
    fire: f32,
    /// 0 smoke, 1 from blue to red, 2 from dark to bright.
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
}

impl Material2d for AirMaterial {
    fn fragment_shader() -> ShaderRef {
        ShaderRef::Path(
            bevy::asset::AssetPath::from_path_buf(embedded_path!("air.wgsl"))
                .with_source("embedded"),
        )
    }

    fn alpha_mode(&self) -> AlphaMode2d {
        AlphaMode2d::Blend
    }

    /// At the same depth, liquid is in front: it hides smoke, and smoke would wash it out.
    fn depth_bias(&self) -> f32 {
        -1e-3
    }

    fn specialize(
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: Material2dKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Fire adds light, and smoke takes some: colours come multiplied by their opacity.
        let over = BlendComponent {
            src_factor: BlendFactor::One,
            dst_factor: BlendFactor::OneMinusSrcAlpha,
            operation: BlendOperation::Add,
        };
        for target in
            descriptor.fragment.iter_mut().flat_map(|stage| stage.targets.iter_mut().flatten())
        {
            target.blend = Some(BlendState { color: over, alpha: over });
        }
        Ok(())
    }
}

/// The picture of air: a child of its entity.
#[derive(Component)]
pub(super) struct AirPicture {
    /// Number of columns and rows, and the time that it shows.
    size: (usize, usize),
    time: Option<f64>,
}

/// Length of a step towards the light, in cells.
const STEP: f32 = 2.5;

/// Draws all air, and removes the pictures of air that has gone.
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
        // The grid is a whole number of cells, from the lower left corner.
        let grown = air.bounds().half_size() * 2.0 / state.size;
        // It is not mirrored where the entity is.
        let side = Vec2::new(1.0_f32.copysign(global.affine().x_axis.x), 1.0);
        let place = Transform {
            translation: (side * component.size * 0.5 * (grown - 1.0)).extend(0.0),
            scale: (side * component.size * grown).extend(1.0),
            ..Transform::IDENTITY
        };
        let Some((picture, _, mut shown, material, mut transform, shown_on)) = present else {
            let smoke = images.add(texture::image(size.0, size.1));
            let heat = images.add(texture::image(size.0, size.1));
            let (columns, rows) = texture::glow_size(size.0, size.1);
            let glow = images.add(texture::image(columns, rows));
            let look = uniform(&look, size);
            let material = materials.add(AirMaterial { look, smoke, heat, glow });
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
        material.look = uniform(&look, size);
        let color = look.smoke.to_linear();
        let color = [color.red, color.green, color.blue];
        let texels = texture::texels(air, &look, color);
        let lists = [
            (&material.smoke, texels.smoke),
            (&material.heat, texels.heat),
            (&material.glow, texture::glow(air)),
        ];
        for (handle, data) in lists {
            if let Some(mut image) = images.get_mut(handle) {
                image.data = Some(data);
            }
        }
    }
}

/// Gives a part of the air's drawing the layers of the air.
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

fn uniform(look: &FluidAirLook, (columns, rows): (usize, usize)) -> AirUniform {
    let color = |color: Color| color.to_linear().to_vec4();
    let texel = Vec2::new(1.0 / columns as f32, 1.0 / rows as f32);
    // Texture coordinates go down.
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
