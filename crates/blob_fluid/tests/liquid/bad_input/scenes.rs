//! Scenes that make no sense, or cannot be read.

use blob_fluid::scene::{Scene, SceneError};

#[test]
fn scenes_that_make_no_sense_say_where() {
    for (text, expected) in [
        ("(duration: 10", "1:"),
        ("(\n  durations: 10,\n)", "2:"),
        ("(blocks: [(fill: Spiral(radius: 1, count: 2), class: \"honey\")])", "honey"),
        ("(duration: -1)", "duration"),
        ("(tick_rate: 0)", "tick_rate"),
        ("(parameters: (particle_spacing: -1))", "particle_spacing"),
        ("(containers: [(shape: Circle(radius: 0))])", "radius"),
        ("(containers: [(shape: Triangle(radius: 0))])", "Triangle"),
        ("", "1:"),
    ] {
        let error: SceneError =
            Scene::from_ron(text).and_then(|scene| scene.build()).expect_err("refused");
        assert!(error.to_string().contains(expected), "{text}: {error}");
    }
}

/// Line and column in an error message.
fn place_of(error: &SceneError) -> Option<(usize, usize)> {
    let text = error.to_string();
    let mut numbers = text.strip_prefix("scene: ")?.split(|c: char| !c.is_ascii_digit());
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

// Row 26 of docs/reliability.md.
#[test]
fn scenes_that_cannot_be_read_say_line_and_column() {
    for (text, point) in [
        ("(\n  durations: 10,\n)", (2, 3)),
        ("(\n  duration: 10,\n  tick_rate: fast,\n)", (3, 13)),
        ("(\n  containers: [\n    (shape: Triangle(radius: 1)),\n  ],\n)", (3, 13)),
        ("(\n  airs: [\n    (cell: 5),\n  ],\n)", (3, 6)),
        // A file of a later version of the format.
        ("(\n  parameters: (\n    surface_tension: 3,\n  ),\n)", (3, 5)),
    ] {
        let error = Scene::from_ron(text).expect_err("refused");
        assert_eq!(place_of(&error), Some(point), "{error}");
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn scenes_cut_short_anywhere_are_refused_where_they_end() {
    let text = include_str!("../../../../../assets/scenes/legacy.scene.ron").trim_end();
    assert!(Scene::from_ron(text).is_ok());
    for length in (0..text.len()).filter(|length| text.is_char_boundary(*length)) {
        let error = Scene::from_ron(&text[..length]).expect_err("refused");
        let (line, column) = place_of(&error).unwrap_or_else(|| panic!("no place: {error}"));
        let lines = text[..length].split('\n').count();
        assert!((1..=lines).contains(&line) && column > 0, "{length}: {error}");
    }
}

// Row 26 of docs/reliability.md.
#[test]
fn scenes_with_a_corrupt_byte_never_panic() {
    let text = include_str!("../../../../../assets/scenes/dam_break.scene.ron");
    let mut refused = 0;
    for index in 0..text.len() {
        for corrupt in [b'\0', b'9', b'-', b'(', b'"', b'e'] {
            let mut bytes = text.as_bytes().to_vec();
            bytes[index] = corrupt;
            // The scene is only read and not built, because a larger number may make a scene very
            // large.
            let read = String::from_utf8(bytes).ok().map(|text| Scene::from_ron(&text));
            refused += usize::from(matches!(read, Some(Err(_))));
        }
    }
    assert!(refused > text.len(), "{refused}");
}

#[test]
fn scenes_of_more_particles_than_there_can_be_are_refused() {
    for fill in [
        "Lattice(columns: 4294967296, rows: 4294967296)",
        "Lattice(columns: 18446744073709551615, rows: 1)",
        "Spiral(radius: 1, count: 18446744073709551615)",
    ] {
        let text = format!("(blocks: [(fill: {fill})])");
        let scene = Scene::from_ron(&text).expect("readable");
        assert!(scene.build().is_err(), "{fill}");
    }
}
