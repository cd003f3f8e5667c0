//! Classes that came from files, and classes that become files.

use std::path::Path;

use bevy::prelude::*;
use blob_fluid::ClassTable;
use blob_fluid::material::Material;

use crate::materials::{FluidMaterialAsset, FluidMaterials};
use crate::simulation::FluidClasses;

/// Whether a class is that of a material from a file.
pub(super) fn is_asset(world: &World, class: &str) -> bool {
    let materials = world.get_resource::<FluidMaterials>();
    materials.is_some_and(|materials| materials.assets_of(class).next().is_some())
}

/// Takes over edited classes. Those of materials from files are edited there as well, in memory:
/// the file would overwrite them at once otherwise. When the file changes it has the last word.
pub(super) fn take_over(world: &mut World, edited: FluidClasses) {
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
    let of_assets: Vec<_> = edited
        .classes
        .iter()
        .flat_map(|class| materials.assets_of(&class.name).map(|id| (id, class.name.clone())))
        .collect();
    let Some(mut assets) = world.get_resource_mut::<Assets<FluidMaterialAsset>>() else { return };
    for (id, name) in of_assets {
        let Some(FluidMaterialAsset(before)) = assets.get(id) else { continue };
        let Some(mut wanted) = Material::of_class(&name, &edited.classes, &edited.pairs) else {
            continue;
        };
        wanted.description.clone_from(&before.description);
        // Pairs with what is not in use stay as they are, and none is added.
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

/// Writes a class into a folder as a material, which is made if it is missing; says where, or why
/// not.
///
/// What the file already says of materials that are not in use stays, and a pair that the other
/// material's file holds is left to that.
pub(super) fn save(
    folder: &Path,
    mut material: Material,
    classes: &FluidClasses,
) -> Result<String, String> {
    let name = material.class.name.clone();
    let plain = |character: char| character.is_alphanumeric() || " _-".contains(character);
    if name.trim().is_empty() || !name.chars().all(plain) {
        return Err(format!("`{name}` cannot name a file: use letters, digits, - and _."));
    }
    let file_of = |name: &str| folder.join(format!("{name}.fluid.ron"));
    let mut left = Vec::new();
    material.pairs.retain(|pair| {
        let Ok(other) = Material::read(&file_of(&pair.with)) else { return true };
        let Some(theirs) = other.class_pairs().find(|theirs| theirs.classes[1] == name) else {
            return true;
        };
        // Both files would pair them twice.
        let seen = Material::of_class(&name, &classes.classes, &[theirs]);
        if seen.is_some_and(|seen| seen.pairs.first() != Some(pair)) {
            left.push(pair.with.clone());
        }
        false
    });
    if let Ok(before) = Material::read(&file_of(&name)) {
        material.description = before.description;
        let unused = |with: &str| classes.find(with).is_none();
        material.pairs.extend(before.pairs.into_iter().filter(|pair| unused(&pair.with)));
    }
    let text = material.to_ron();
    // What cannot be read back is not worth writing.
    if let Err(error) = Material::from_ron(&text) {
        return Err(format!("Not saved: {error}"));
    }
    let file = file_of(&name);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    let mut message = format!("Saved {}.", file.display());
    for other in left {
        message += &format!(" Save {other} as well: its file holds how they meet.");
    }
    Ok(message)
}
