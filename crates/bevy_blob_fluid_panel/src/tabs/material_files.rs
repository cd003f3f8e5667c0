//! Classes from material files, and classes saved as files.

use std::path::{Path, PathBuf};

use bevy::asset::io::AssetSourceId;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::ClassTable;
use bevy_blob_fluid::blob_fluid::material::{Material, MaterialPair};

use bevy_blob_fluid::{FluidClasses, FluidMaterialAsset, FluidMaterials};

/// Whether a class belongs to a material from a file.
pub(crate) fn is_asset(world: &World, class: &str) -> bool {
    let materials = world.get_resource::<FluidMaterials>();
    materials.is_some_and(|materials| materials.assets_of(class).next().is_some())
}

/// Whether a material from a file turns into a class, by temperature or on contact.
pub(crate) fn is_product(world: &World, class: &str) -> bool {
    let Some(materials) = world.get_resource::<FluidMaterials>() else { return false };
    let Some(assets) = world.get_resource::<Assets<FluidMaterialAsset>>() else { return false };
    let classes = world.resource::<FluidClasses>();
    let ids = classes.classes.iter().flat_map(|class| materials.assets_of(&class.name));
    let known: Vec<&Material> = ids.filter_map(|id| Some(&assets.get(id)?.0)).collect();
    known
        .iter()
        .any(|material| material.products(known.iter().copied()).any(|product| product == class))
}

/// Applies edited classes. The assets of materials from files are changed as well, in memory;
/// otherwise they would overwrite the classes at once. A later change of the file overrides both.
pub(crate) fn take_over(world: &mut World, edited: FluidClasses) {
    if *world.resource::<FluidClasses>() == edited {
        return;
    }
    if ClassTable::with_pairs(edited.classes.clone(), edited.pairs.clone()).is_ok() {
        edit_assets(world, &edited);
    }
    *world.resource_mut::<FluidClasses>() = edited;
}

fn edit_assets(world: &mut World, edited: &FluidClasses) {
    let Some(materials) = world.get_resource::<FluidMaterials>() else { return };
    let asset_classes: Vec<_> = edited
        .classes
        .iter()
        .flat_map(|class| materials.assets_of(&class.name).map(|id| (id, class.name.clone())))
        .collect();
    let Some(mut assets) = world.get_resource_mut::<Assets<FluidMaterialAsset>>() else { return };
    for (id, name) in asset_classes {
        let Some(FluidMaterialAsset(before)) = assets.get(id) else { continue };
        let Some(mut wanted) = Material::of_class(&name, &edited.classes, &edited.pairs) else {
            continue;
        };
        wanted.description.clone_from(&before.description);
        wanted.look = before.look;
        // Pairs with materials that are not in use stay unchanged, and no pair is added.
        wanted.pairs = before
            .pairs
            .iter()
            .filter_map(|pair| {
                if edited.find(&pair.with).is_none() {
                    return Some(pair.clone());
                }
                wanted.pairs.iter().find(|now| now.with == pair.with).cloned()
            })
            .collect();
        if *before != wanted
            && let Some(mut asset) = assets.get_mut(id)
        {
            asset.0 = wanted;
        }
    }
}

/// Adds the parts of a material that only its asset contains: the description, the look, and pairs
/// with materials that are not in use.
pub(crate) fn complete(world: &World, material: &mut Material, classes: &FluidClasses) {
    let asset = || {
        let id = world.get_resource::<FluidMaterials>()?.assets_of(&material.class.name).next()?;
        world.get_resource::<Assets<FluidMaterialAsset>>()?.get(id)
    };
    if let Some(FluidMaterialAsset(before)) = asset() {
        let before = before.clone();
        take_from(material, before, classes);
    }
}

fn take_from(material: &mut Material, before: Material, classes: &FluidClasses) {
    material.description = before.description;
    material.look = before.look;
    for pair in before.pairs {
        let same = |kept: &MaterialPair| kept.with == pair.with;
        if classes.find(&pair.with).is_none() && !material.pairs.iter().any(same) {
            material.pairs.push(pair);
        }
    }
}

/// Files that the panel wrote, and their contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written(HashMap<PathBuf, String>);

/// The error of saving a material.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SaveError {
    /// A file with that name exists, and the class did not come from it.
    Foreign,
    /// Any other error.
    Refused(String),
}

fn file_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.fluid.ron"))
}

/// Whether a class came from a file: it was loaded from there, or the panel wrote the file, which has not changed
/// since.
pub(crate) fn came_from(world: &World, written: &Written, folder: &Path, class: &str) -> bool {
    let file = file_of(folder, class);
    let ours = || {
        let text = std::fs::read_to_string(&file).ok();
        text.is_some() && text.as_ref() == written.0.get(&file)
    };
    let loaded = || {
        let server = world.get_resource::<AssetServer>()?;
        let materials = world.get_resource::<FluidMaterials>()?;
        let mut paths = materials.assets_of(class).filter_map(|id| server.get_path(id));
        // The folder of the assets is known only to the asset source, so the ends of the paths are compared.
        let is_from_there = paths
            .any(|path| *path.source() == AssetSourceId::Default && file.ends_with(path.path()));
        Some(is_from_there)
    };
    ours() || loaded().unwrap_or(false)
}

/// Writes a class as a material into a folder, which is created if it is missing. Returns a message
/// with the path, or the error. An existing file must be the class's own (`is_its_own`), unless
/// `overwrite` is true.
///
/// Pairs in its own file with materials that are not in use stay. A pair in the other material's file
/// is not written.
pub(crate) fn save(
    folder: &Path,
    mut material: Material,
    classes: &FluidClasses,
    written: &mut Written,
    is_its_own: bool,
    overwrite: bool,
) -> Result<String, SaveError> {
    let refused = |message: String| Err(SaveError::Refused(message));
    let name = material.class.name.clone();
    let plain = |character: char| character.is_alphanumeric() || " _-".contains(character);
    if name.trim().is_empty() || !name.chars().all(plain) {
        return refused(format!("`{name}` cannot name a file: use letters, digits, - and _."));
    }
    let file = file_of(folder, &name);
    match file.try_exists() {
        Ok(false) => {}
        Ok(true) => match Material::read(&file) {
            Err(error) => return refused(format!("Not saved, the file there is wrong: {error}")),
            Ok(_) if !is_its_own && !overwrite => return Err(SaveError::Foreign),
            Ok(before) if is_its_own => take_from(&mut material, before, classes),
            Ok(_) => {}
        },
        Err(error) => return refused(format!("{}: {error}", file.display())),
    }
    let mut left = Vec::new();
    material.pairs.retain(|pair| {
        let Ok(other) = Material::read(&file_of(folder, &pair.with)) else { return true };
        let Some(theirs) = other.class_pairs().find(|theirs| theirs.classes[1] == name) else {
            return true;
        };
        // Otherwise both files would contain the pair.
        let seen = Material::of_class(&name, &classes.classes, &[theirs]);
        if seen.is_some_and(|seen| seen.pairs.first() != Some(pair)) {
            left.push(pair.with.clone());
        }
        false
    });
    let text = material.to_ron();
    // Only a text that can be read back is written.
    if let Err(error) = Material::from_ron(&text) {
        return refused(format!("Not saved: {error}"));
    }
    if let Err(error) = write(folder, &file, &text) {
        return refused(format!("{}: {error}", file.display()));
    }
    let mut message = format!("Saved {}.", file.display());
    written.0.insert(file, text);
    for other in left {
        message += &format!(" Save {other} as well: its file holds how they meet.");
    }
    Ok(message)
}

/// Writes a file atomically: a reader finds either the old contents or the new ones.
fn write(folder: &Path, file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.join(format!(".{name}.{}", std::process::id()));
    let written = std::fs::write(&draft, text).and_then(|()| std::fs::rename(&draft, file));
    if written.is_err() {
        // The file may not have been created.
        let _ = std::fs::remove_file(&draft);
    }
    written
}

/// Copies a text to the browser's clipboard; returns a message or an error.
#[cfg(target_arch = "wasm32")]
pub(crate) fn copy(text: &str) -> Result<String, String> {
    let window = web_sys::window().ok_or("There is no page to copy from.")?;
    // Insecure pages have no clipboard.
    if !window.is_secure_context() {
        return Err("Not copied: browsers let only pages from https or localhost do so.".into());
    }
    // The browser may ask the user later, so the result is not awaited.
    let _ = window.navigator().clipboard().write_text(text);
    Ok("Handed to the browser for the clipboard.".into())
}

/// Only browsers have this clipboard.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn copy(_: &str) -> Result<String, String> {
    Err("There is no browser to hand it to.".into())
}
