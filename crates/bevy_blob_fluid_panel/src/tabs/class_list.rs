//! Adding, removing and renaming classes, with all references to them.

use bevy_blob_fluid::FluidClasses;
use bevy_blob_fluid::blob_fluid::{DensityClass, FluidTransition};

use crate::state::ClassesState;

/// Relation of a class to material files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Files {
    /// It is the class of a material from a file.
    pub is_asset: bool,
    /// The material of a file turns into it.
    pub is_product: bool,
}

/// Why the last class cannot be removed; `None` if it can.
pub(crate) fn why_it_stays(
    classes: &FluidClasses,
    counts: &[usize],
    files: impl Fn(&str) -> Files,
) -> Option<&'static str> {
    let last = classes.classes.last()?;
    let Files { is_asset, is_product } = files(&last.name);
    if classes.len() == 1 {
        Some("There must be one class.")
    } else if is_asset {
        Some("It is that of a file, which others may refer to.")
    } else if is_product {
        Some("The material of a file turns into it.")
    } else if counts.get(classes.len() - 1).is_some_and(|count| *count > 0) {
        Some("There are particles of it.")
    } else {
        None
    }
}

/// Adds a class like the chosen one, and chooses it.
pub(crate) fn add_copy(classes: &mut FluidClasses, state: &mut ClassesState) {
    let Some(like) = classes.classes.get(state.chosen).cloned() else { return };
    let taken = |name: &str| classes.find(name).is_some();
    let mut number = 2;
    let name = loop {
        let name = format!("{} {number}", like.name);
        if !taken(&name) {
            break name;
        }
        number += 1;
    };
    classes.classes.push(DensityClass { name, ..like });
    *state = ClassesState { chosen: classes.len() - 1, ..ClassesState::default() };
}

/// Removes the last class, and the references to it.
pub(crate) fn remove_last(classes: &mut FluidClasses, state: &mut ClassesState) {
    let Some(removed) = classes.classes.pop() else { return };
    // Another class may have the same name.
    if classes.find(&removed.name).is_none() {
        let name = &removed.name;
        classes.pairs.retain(|pair| !pair.classes.contains(name));
        for pair in &mut classes.pairs {
            if let Some(reaction) = &mut pair.reaction {
                let gone = |becomes: &&mut Option<String>| becomes.as_ref() == Some(name);
                reaction.becomes.iter_mut().filter(gone).for_each(|becomes| *becomes = None);
            }
        }
        for class in &mut classes.classes {
            for transition in transitions(class) {
                if transition.as_ref().is_some_and(|transition| transition.becomes == *name) {
                    *transition = None;
                }
            }
        }
    }
    *state = ClassesState { chosen: classes.len() - 1, ..ClassesState::default() };
}

/// Renames a class, including all references to it.
pub(crate) fn rename(classes: &mut FluidClasses, chosen: usize, new: &str) {
    let old = std::mem::replace(&mut classes.classes[chosen].name, new.to_owned());
    let update = |name: &mut String| {
        if *name == old {
            *name = new.to_owned();
        }
    };
    for pair in &mut classes.pairs {
        pair.classes.iter_mut().for_each(update);
        if let Some(reaction) = &mut pair.reaction {
            reaction.becomes.iter_mut().flatten().for_each(update);
        }
    }
    for class in &mut classes.classes {
        transitions(class)
            .into_iter()
            .flatten()
            .for_each(|transition| update(&mut transition.becomes));
    }
}

/// All places of a class where it may say what it becomes at a temperature. Without the last there is
/// no air to turn into.
fn transitions(class: &mut DensityClass) -> Vec<&mut Option<FluidTransition>> {
    let thermal = &mut class.thermal;
    let rains = thermal.into_air.as_mut().map(|into_air| &mut into_air.rains);
    [&mut thermal.above, &mut thermal.below].into_iter().chain(rains).collect()
}
