//! The shaders of liquid and air, composed into plain WGSL: one text for each shader and set of flags that a pipeline
//! asks for.
//!
//! | file | contents |
//! |---|---|
//! | `compose.rs` | resolves `#import` and `#ifdef` |
//! | `mod.rs` | shaders, modules and flags; requested variants |
//! | `modules.wgsl` | modules for all shaders: the input of particles, the output of colours, tone mapping, the uniform of a view |
//! | `reads.rs` | test: how often a pixel reads textures |
//!
//! A pipeline gets the handle of a variant at once. [`add_variants`] composes new variants before the pipelines of the
//! frame are created. A game's own shader is composed in the same way, so its import paths do not depend on Bevy.

mod compose;
#[cfg(test)]
mod reads;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use bevy::asset::uuid::Uuid;
use bevy::prelude::*;
use bevy::render::render_resource::PipelineCache;
use bevy::render::{Render, RenderApp, RenderStartup, RenderSystems};
use bevy::shader::Shader;

use self::compose::{Library, compose};

/// The files of modules that shaders import. Each module begins at a line `//# path` with its import path. Games import
/// them too: their paths are part of the public interface.
const FILES: [&str; 5] = [
    include_str!("../surface/shaders/fields.wgsl"),
    include_str!("../surface/shaders/gas.wgsl"),
    include_str!("../surface/shaders/surface.wgsl"),
    include_str!("../surface/shaders/walls.wgsl"),
    include_str!("modules.wgsl"),
];

/// Import paths and texts of the modules, by path.
static MODULES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let mut modules: Vec<_> = FILES.into_iter().flat_map(parts).collect();
    modules.sort_unstable();
    modules
});

/// Names and texts of the parts of a file. A part begins at a line `//# name` and ends at the next one.
fn parts(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.split("\n//# ").skip(1).filter_map(|part| part.split_once('\n'))
}

/// All flags.
const FLAGS: &[&str] = &[
    // The channels of the field of liquids.
    "NO_LIQUID",
    "ONE_LIQUID",
    "FOUR_LIQUIDS",
    "TILES",
    // Textures and effects of a surface.
    "DETAILS",
    "FROM_FIELD",
    "FROM_GASES",
    "GASES",
    "WALLS",
    "CAUSTICS",
    "CRUST",
    "GLOW",
    "GRAIN",
    "HAZE",
    "REFRACTION",
    // Properties of a view.
    "MESH_VIEW",
    "OKLAB_OUTPUT",
    "SRGB_OUTPUT",
    "TONEMAP_IN_SHADER",
    "TONEMAP_METHOD_ACES_FITTED",
    "TONEMAP_METHOD_AGX",
    "TONEMAP_METHOD_BLENDER_FILMIC",
    "TONEMAP_METHOD_PBR_NEUTRAL",
    "TONEMAP_METHOD_REINHARD",
    "TONEMAP_METHOD_REINHARD_LUMINANCE",
    "TONEMAP_METHOD_SOMEWHAT_BORING_DISPLAY_TRANSFORM",
    "TONEMAP_METHOD_TONY_MC_MAPFACE",
];

fn library() -> Library<'static> {
    Library { modules: &MODULES, flags: FLAGS }
}

/// A shader with entry points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::render) enum ShaderSource {
    Air,
    Coarser,
    Dots,
    Draw,
    Field,
    Haze,
    NearestWall,
    Shape,
    Solid,
    /// A game's own shader.
    Look(AssetId<Shader>),
}

impl ShaderSource {
    /// Its name and text, if it belongs to this crate.
    fn built_in(self) -> Option<(&'static str, &'static str)> {
        let of_surface = |name| {
            let passes = parts(include_str!("../surface/passes.wgsl"));
            passes.into_iter().find(|(part, _)| *part == name)
        };
        match self {
            Self::Air => Some(("air.wgsl", include_str!("../air/air.wgsl"))),
            Self::Dots => Some(("dots.wgsl", include_str!("../dots/dots.wgsl"))),
            Self::Coarser => of_surface("coarser"),
            Self::Draw => of_surface("draw"),
            Self::Field => of_surface("field"),
            Self::Haze => of_surface("haze"),
            Self::NearestWall => of_surface("nearest_wall"),
            Self::Shape => of_surface("shape"),
            Self::Solid => of_surface("solid"),
            Self::Look(_) => None,
        }
    }
}

/// A shader with a set of flags.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Variant {
    source: ShaderSource,
    /// In the order of [`FLAGS`].
    flags: Vec<&'static str>,
}

impl Variant {
    fn new(source: ShaderSource, flags: &[&str]) -> Self {
        let flags = FLAGS.iter().filter(|flag| flags.contains(flag)).copied().collect();
        Self { source, flags }
    }

    /// The handle of its composed text, which depends only on the variant.
    fn handle(&self) -> Handle<Shader> {
        let half = |salt: u8| {
            let mut hasher = DefaultHasher::new();
            (salt, self).hash(&mut hasher);
            hasher.finish()
        };
        Handle::Uuid(Uuid::from_u64_pair(half(0), half(1)), PhantomData)
    }
}

/// The handle of a shader with these flags; others than [`FLAGS`] are ignored. This function does not
/// [request](ShaderVariants::request) it.
pub(in crate::render) fn handle_of(source: ShaderSource, flags: &[&str]) -> Handle<Shader> {
    Variant::new(source, flags).handle()
}

/// The variants of shaders that pipelines have requested; a resource of the render world, shared by its clones.
#[derive(Resource, Clone, Default)]
pub(in crate::render) struct ShaderVariants(Arc<Mutex<Requests>>);

#[derive(Default)]
struct Requests {
    requested: Vec<Variant>,
    /// Variants that the pipeline cache does not have.
    missing: Vec<Variant>,
    /// Paths and texts of games' own shaders.
    looks: HashMap<AssetId<Shader>, (String, String)>,
}

impl ShaderVariants {
    fn lock(&self) -> MutexGuard<'_, Requests> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the variant composed in this frame, and returns its handle.
    pub(in crate::render) fn request(
        &self,
        source: ShaderSource,
        flags: &[&str],
    ) -> Handle<Shader> {
        debug_assert!(flags.iter().all(|flag| FLAGS.contains(flag)), "{flags:?}");
        let variant = Variant::new(source, flags);
        let handle = variant.handle();
        let mut requests = self.lock();
        if !requests.requested.contains(&variant) {
            requests.requested.push(variant.clone());
            requests.missing.push(variant);
        }
        handle
    }

    /// Sets the text of a game's own shader. If it differs, its variants are composed again.
    pub(in crate::render) fn set_look(&self, id: AssetId<Shader>, path: &str, text: &str) {
        let requests = &mut *self.lock();
        if requests.looks.get(&id).is_some_and(|(_, known)| known == text) {
            return;
        }
        requests.looks.insert(id, (path.to_owned(), text.to_owned()));
        let of_look = requests.requested.iter().filter(|one| one.source == ShaderSource::Look(id));
        requests.missing.extend(of_look.cloned());
    }
}

/// Composes the missing variants, and passes them to the pipeline cache. Variants of a game's shader wait for its text.
fn add_variants(variants: Res<ShaderVariants>, mut pipeline_cache: ResMut<PipelineCache>) {
    let requests = &mut *variants.lock();
    for variant in std::mem::take(&mut requests.missing) {
        let found = match variant.source {
            ShaderSource::Look(id) => {
                requests.looks.get(&id).map(|(path, text)| (&**path, &**text))
            }
            source => source.built_in(),
        };
        let Some((name, text)) = found else { continue };
        match compose(library(), name, text, &variant.flags) {
            Ok(composed) => {
                let path = format!("{name} with {:?}", variant.flags);
                let shader = Shader::from_wgsl(composed, path);
                pipeline_cache.set_shader(variant.handle().id(), shader);
            }
            Err(error) => error!("{error}"),
        }
    }
}

/// A new device has a new pipeline cache, which misses all variants.
fn miss_all_variants(variants: Res<ShaderVariants>) {
    let requests = &mut *variants.lock();
    requests.missing.clone_from(&requests.requested);
}

/// Composes shaders, if the app has a renderer.
pub(in crate::render) struct ShaderPlugin;

impl Plugin for ShaderPlugin {
    fn build(&self, _: &mut App) {}

    /// Runs in `finish`, after all plugins are added.
    fn finish(&self, app: &mut App) {
        if let Some(render_app) = app.get_sub_app_mut(RenderApp) {
            render_app
                .init_resource::<ShaderVariants>()
                .add_systems(RenderStartup, miss_all_variants)
                .add_systems(
                    Render,
                    add_variants
                        .after(RenderSystems::PrepareBindGroups)
                        .before(RenderSystems::Render),
                );
        }
    }
}
