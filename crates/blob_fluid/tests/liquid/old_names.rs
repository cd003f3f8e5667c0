//! Fields of scene and material files that were renamed can still be written with their old names.

use blob_fluid::material::Material;
use blob_fluid::scene::Scene;

#[test]
fn scenes_with_old_names_are_read() {
    let old = Scene::from_ron(
        "(
            containers: [(shape: Circle(radius: 90), surface: (friction: 0.5))],
            obstacles: [(
                shape: Circle(radius: 9),
                surface: (stickiness: 2),
                kind: (
                    feels: true,
                    body: (mass: 2, moment_of_inertia: 3, upright: true, ghostly: true),
                ),
            )],
        )",
    );
    let present = Scene::from_ron(
        "(
            containers: [(shape: Circle(radius: 90), wall: (friction: 0.5))],
            colliders: [(
                shape: Circle(radius: 9),
                wall: (stickiness: 2),
                options: (
                    reports_load: true,
                    body: (mass: 2, moment_of_inertia: 3, lock_rotation: true, ignore_contacts: true),
                ),
            )],
        )",
    );
    assert_eq!(old.expect("old names"), present.expect("present names"));
}

#[test]
fn materials_with_old_names_are_read() {
    let read = |field: &str| {
        Material::from_ron(&format!("(class: (name: \"jelly\", elasticity: ({field}: 0.2)))"))
    };
    assert_eq!(
        read("least_rest_length").expect("an old name"),
        read("min_rest_length").expect("a present name")
    );
}
