//! The workspace has no circles of imports and no path out of a package, and both are found where they
//! are.

use std::path::{Path, PathBuf};

use structure_check::{Crate, circles, paths_outside, paths_outside_of, workspace};

#[test]
fn no_file_imports_another_in_a_circle() {
    let all = Crate::all_of(&workspace()).expect("sources of Rust");
    assert!(all.iter().map(|sources| sources.files().len()).sum::<usize>() > 200);
    let found: Vec<String> =
        all.iter().flat_map(circles).map(|circle| circle.to_string()).collect();
    assert!(found.is_empty(), "move what both sides need below them:\n{}", found.join("\n"));
}

#[test]
fn no_package_reaches_outside_of_itself() {
    let found: Vec<String> =
        paths_outside(&workspace()).expect("Rust").iter().map(ToString::to_string).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn paths_out_of_a_package_are_found_wherever_they_stand() {
    let text = r#"
        //! See ../../docs.
        const A: &str = include_str!("../../../README.md");
        fn b() { let _ = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets"); }
        const C: &str = include_str!("../look.wgsl");
    "#;
    let found = paths_outside_of(Path::new("a.rs"), text).expect("Rust");
    let paths: Vec<&str> = found.iter().map(|outside| outside.path.as_str()).collect();
    assert_eq!(paths, [r#""../../../README.md""#, r#""../../assets""#]);
}

/// The files of the circles of a crate with these files.
fn found(files: &[(&str, &str)]) -> Vec<Vec<PathBuf>> {
    let texts = files.iter().map(|(path, text)| (PathBuf::from(path), *text));
    let sources = Crate::parse(texts).expect("Rust");
    circles(&sources).into_iter().map(|circle| circle.files).collect()
}

#[test]
fn circles_are_found_however_a_name_is_written() {
    let ways = [
        "use crate::b::B;",
        "use super::b::B;",
        "use crate::{b::B as Other};",
        "use crate::b::*;",
        "use crate::b; fn f(_: b::B) {}",
        "fn f(_: crate::b::B) {}",
        "fn f() { let _ = vec![crate::b::B]; }",
        "#[component(on_add = crate::b::B)]",
        "crate::b::m! {}",
        "use crate::B;",
        "use crate::hands_on::B;",
        "use crate::hands_on::everything::B;",
    ];
    for way in ways {
        let a = format!("{way} pub struct A;");
        let files = [
            ("lib.rs", "mod a; mod b; mod hands_on; pub use b::B;"),
            ("a.rs", a.as_str()),
            (
                "b.rs",
                "use crate::a::A; pub struct B; macro_rules! m { () => {} } pub(crate) use m;",
            ),
            ("hands_on.rs", "pub use crate::b::B; pub mod everything { pub use crate::b::*; }"),
        ];
        assert_eq!(found(&files), [["a.rs", "b.rs"].map(PathBuf::from)], "{way}");
    }
}

#[test]
fn types_that_a_macro_declares_are_found() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        ("b.rs", "declare! { #[derive(Debug)] pub(crate) struct B { a: Option<crate::a::A> } }"),
    ];
    assert_eq!(found(&files), [["a.rs", "b.rs"].map(PathBuf::from)]);
}

#[test]
fn a_module_and_one_inside_it_may_be_a_circle() {
    let parent = "mod child; use child::Child; pub struct Parent(Child);";
    let files = [
        ("lib.rs", "mod parent;"),
        ("parent/mod.rs", parent),
        ("parent/child.rs", "use super::Parent; pub struct Child(Box<Parent>);"),
    ];
    assert_eq!(found(&files), [["parent/child.rs", "parent/mod.rs"].map(PathBuf::from)]);
}

#[test]
fn what_only_tests_import_and_what_comes_from_elsewhere_is_no_circle() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;"),
        ("a.rs", "use other::b::B; pub struct A; #[cfg(test)] mod tests { use crate::b::B; }"),
        ("b.rs", "use crate::A; pub struct B;"),
    ];
    assert_eq!(found(&files), Vec::<Vec<PathBuf>>::new());
}
