//! Adds materials to the classes.

use bevy::asset::{AssetLoadFailedEvent, AssetPath};
use bevy::prelude::*;
use blob_fluid::material::Material;
use blob_fluid::{ClassPair, ClassTable, DensityClass};

use super::asset::FluidMaterialAsset;
use super::in_use::{Brought, FluidMaterials};
use super::made_of::FluidMadeOf;
use crate::simulation::FluidClasses;

/// Requests the material of an entity when the component is inserted.
pub(crate) fn request_material(
    made: On<Insert, FluidMadeOf>,
    entities: Query<&FluidMadeOf>,
    mut materials: ResMut<FluidMaterials>,
) {
    if let Ok(FluidMadeOf(material)) = entities.get(made.entity) {
        materials.request(material.clone());
    }
}

/// Brings the classes of all materials again, into the classes that the app began with.
pub(crate) fn start_over(world: &mut World) {
    if let Some(mut materials) = world.get_resource_mut::<FluidMaterials>() {
        materials.brought = Brought::default();
        // Without assets there are no materials.
        _ = world.run_system_cached(sync_materials);
    }
}

/// Adds materials that were loaded or changed, with all that they turn into, or refuses them with a
/// warning.
pub(crate) fn sync_materials(
    mut events: MessageReader<AssetEvent<FluidMaterialAsset>>,
    assets: Res<Assets<FluidMaterialAsset>>,
    server: Res<AssetServer>,
    mut materials: ResMut<FluidMaterials>,
    mut classes: ResMut<FluidClasses>,
    mut failures: MessageReader<AssetLoadFailedEvent<FluidMaterialAsset>>,
    mut warnings: Local<Vec<String>>,
) {
    let changed = events.read().count() + failures.read().count() > 0;
    // The app may have replaced the classes, including those of materials.
    if !changed && !materials.loading && !classes.is_changed() {
        return;
    }
    let materials = materials.bypass_change_detection();
    let mut loaded: Vec<(Handle<FluidMaterialAsset>, &Material)> = Vec::new();
    let mut index = 0;
    let mut complete = true;
    while let Some(handle) = materials.handles.get(index).cloned() {
        index += 1;
        let Some(FluidMaterialAsset(material)) = assets.get(&handle) else {
            // Assets that failed to load are not waited for.
            complete &= server.load_state(&handle).is_failed();
            continue;
        };
        for product in material.products(loaded.iter().map(|(_, other)| *other)) {
            let known = loaded.iter().any(|(_, other)| other.class.name == product)
                || material.class.name == product
                || classes.find(product).is_some();
            if FluidMadeOf::is_built_in(&handle)
                && !known
                && let Some(built_in) = FluidMadeOf::built_in(product)
            {
                materials.request(built_in.0);
            }
            let path = server.get_path(&handle);
            let beside =
                path.and_then(|path| path.resolve_embed_str(&format!("{product}.fluid.ron")).ok());
            // Requesting a failed asset again would reload it forever.
            let asked = |path: &AssetPath| {
                materials.handles.iter().any(|other| server.get_path(other).as_ref() == Some(path))
            };
            if let Some(path) = beside.filter(|path| !known && !asked(path)) {
                materials.request(server.load(path));
            }
        }
        loaded.push((handle, material));
    }
    materials.loading = !complete;
    if !complete {
        return;
    }
    let incomplete = drop_incomplete(&mut loaded, &classes);
    for warning in incomplete.iter().filter(|warning| !warnings.contains(warning)) {
        warn!("{warning}");
    }
    *warnings = incomplete;
    let plain: Vec<&Material> = loaded.iter().map(|(_, material)| *material).collect();
    let brings = brought_by(&classes, &plain);
    let wanted = with_new(&classes, &materials.brought, &brings);
    if let Err(error) = ClassTable::with_pairs(wanted.classes.clone(), wanted.pairs.clone()) {
        warn!("fluid materials refused, the last valid ones stay: {error}");
        return;
    }
    materials.brought = brings;
    for (handle, material) in loaded {
        materials.names.insert(handle.id(), material.class.name.clone());
    }
    classes.set_if_neq(wanted);
}

/// Leaves out materials that turn into one that could not be loaded, with a warning.
fn drop_incomplete(
    loaded: &mut Vec<(Handle<FluidMaterialAsset>, &Material)>,
    classes: &FluidClasses,
) -> Vec<String> {
    let mut warnings = Vec::new();
    loop {
        let known = |name: &str| {
            classes.find(name).is_some()
                || loaded.iter().any(|(_, material)| material.class.name == name)
        };
        let lacking = loaded.iter().enumerate().find_map(|(index, (_, material))| {
            let others = loaded.iter().map(|(_, other)| *other);
            let missing = material.products(others).find(|name| !known(name))?;
            Some((index, missing))
        });
        let Some((index, missing)) = lacking else { return warnings };
        let (_, material) = loaded.remove(index);
        let name = &material.class.name;
        warnings.push(format!(
            "fluid material `{name}` is left out: it turns into `{missing}`, which is missing"
        ));
    }
}

/// What materials bring. Of two with the same name the later one holds. Pairs with classes that are
/// not there are left out.
fn brought_by(classes: &FluidClasses, materials: &[&Material]) -> Brought {
    let mut brings = Brought::default();
    for Material { class, .. } in materials {
        put(&mut brings.classes, class.clone(), |other| other.name == class.name);
    }
    for pair in materials.iter().flat_map(|material| material.class_pairs()) {
        let [_, other] = &pair.classes;
        let known = brings.classes.iter().any(|class| class.name == *other);
        if known || classes.find(other).is_some() {
            let names = pair.classes.clone();
            put(&mut brings.pairs, pair, |other| is_between(other, &names));
        }
    }
    brings
}

/// The classes with what materials bring and had not brought `before`, and with classes of materials
/// that are gone: they replace what has the same names, or follow at the end.
fn with_new(classes: &FluidClasses, before: &Brought, brings: &Brought) -> FluidClasses {
    let mut wanted = classes.clone();
    let is_new = |class: &&DensityClass| {
        !before.classes.contains(class) || classes.find(&class.name).is_none()
    };
    for class in brings.classes.iter().filter(is_new) {
        put(&mut wanted.classes, class.clone(), |other| other.name == class.name);
    }
    for pair in &brings.pairs {
        let came_back = pair.classes.iter().any(|name| classes.find(name).is_none());
        if came_back || !before.pairs.contains(pair) {
            put(&mut wanted.pairs, pair.clone(), |other| is_between(other, &pair.classes));
        }
    }
    wanted
}

/// Whether a pair is of the classes of these names.
fn is_between(pair: &ClassPair, names: &[String; 2]) -> bool {
    names.iter().all(|name| pair.classes.contains(name))
}

/// Replaces the first item that is the `same`, or adds one at the end.
fn put<T>(items: &mut Vec<T>, item: T, same: impl Fn(&T) -> bool) {
    match items.iter_mut().find(|other| same(other)) {
        Some(other) => *other = item,
        None => items.push(item),
    }
}
