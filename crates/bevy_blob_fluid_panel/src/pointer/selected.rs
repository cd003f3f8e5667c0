//! Keeps the selected classes when the class table changes.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::ClassId;

use crate::state::FluidPanel;
use crate::tools::FluidTools;
use bevy_blob_fluid::FluidClasses;

/// The selected classes, and the class names at that time.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Seen {
    names: Vec<String>,
    tool: ClassId,
    look: Option<ClassId>,
}

/// Keeps the selected classes of the tool and of the looks by name.
pub(crate) fn follow_classes(
    classes: Res<FluidClasses>,
    mut tools: ResMut<FluidTools>,
    mut panel: ResMut<FluidPanel>,
    mut seen: Local<Seen>,
) {
    let changed = classes.is_changed()
        && !seen.names.is_empty()
        && !seen.names.iter().eq(classes.iter().map(|class| &class.name));
    if changed {
        let names: Vec<&str> = classes.iter().map(|class| class.name.as_str()).collect();
        let follow = |class: ClassId| index_of(class.index(), &seen.names, &names);
        // A class that was selected in the same frame as the table changed is one of the new ones.
        if tools.class == seen.tool {
            tools.class = follow(seen.tool);
        }
        if panel.look_class == seen.look
            && let Some(class) = panel.look_class
        {
            panel.look_class = Some(follow(class));
        }
    }
    if seen.names.is_empty() || classes.is_changed() {
        seen.names = classes.iter().map(|class| class.name.clone()).collect();
    }
    (seen.tool, seen.look) = (tools.class, panel.look_class);
}

/// Present index of the class that had this index; 0 if it was removed.
fn index_of(index: usize, before: &[String], now: &[&str]) -> ClassId {
    let same = |name: &String| now.iter().position(|known| known == name);
    let found = before.get(index).and_then(same);
    let found = found.or_else(|| is_renamed(index, before, now).then_some(index));
    found.and_then(|index| u8::try_from(index).ok()).map_or(ClassId(0), ClassId)
}

/// Whether only the name of this class has changed.
fn is_renamed(index: usize, before: &[String], now: &[&str]) -> bool {
    let mut pairs = before.iter().zip(now).enumerate();
    before.len() == now.len()
        && index < now.len()
        && pairs.all(|(place, (before, now))| (before == now) != (place == index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_followed_by_its_name() {
        let before = ["heavy", "medium", "light"].map(String::from);
        let found = |index, now: &[&str]| index_of(index, &before, now).index();
        assert_eq!(found(2, &["light", "heavy"]), 0);
        assert_eq!(found(1, &["light", "heavy", "water", "medium"]), 3);
        // Renamed at the same index.
        assert_eq!(found(1, &["heavy", "m", "light"]), 1);
        // Removed.
        assert_eq!(found(2, &["tar", "water", "air"]), 0);
        assert_eq!(found(2, &["heavy", "medium"]), 0);
        assert_eq!(found(200, &["heavy", "m", "light"]), 0);
    }
}
