//! Composes a shader: resolves `#import` and `#ifdef` into plain WGSL, which each version of Bevy takes as it is.
//!
//! | directive | effect |
//! |---|---|
//! | `#import path::{a, b}`, `#import path::a` | adds the text of the module `path` here, once per shader; the module must declare the items |
//! | `#ifdef FLAG`, `#ifndef FLAG`, `#else`, `#endif` | keeps lines if the flag is set, or if it is not set |
//!
//! A directive begins its line. An import may continue on the next lines up to its closing brace. All modules share one
//! namespace: each name that is declared at module level in a composed shader is unique.

use std::fmt;

use thiserror::Error;

/// The modules and flags with which shaders are composed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Library<'a> {
    /// Import paths and texts.
    pub modules: &'a [(&'a str, &'a str)],
    /// All flags that a shader may name.
    pub flags: &'a [&'a str],
}

/// A line of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Name of the shader, or import path of the module.
    pub shader: String,
    /// Number of the line, from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{}, line {}", self.shader, self.line)
    }
}

/// Reasons for which a shader cannot be composed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum ComposeError {
    #[error("{at}: `{path}` is not a shader module of this crate")]
    UnknownModule { at: Place, path: String },
    #[error("{at}: the shader module `{module}` does not declare `{item}`")]
    UnknownItem { at: Place, module: String, item: String },
    #[error("{at}: `{flag}` is not a flag of this crate's shaders")]
    UnknownFlag { at: Place, flag: String },
    #[error("{at}: `{directive}` is not a directive")]
    UnknownDirective { at: Place, directive: String },
    #[error("{at}: a condition without `#endif`")]
    UnclosedCondition { at: Place },
    #[error("{at}: an `#import` without its closing brace")]
    UnclosedImport { at: Place },
    #[error("{at}: `{directive}` does not belong to a condition")]
    NoCondition { at: Place, directive: String },
}

/// The text of a shader with all it imports, for these set flags.
pub(super) fn compose(
    library: Library,
    name: &str,
    text: &str,
    set: &[&str],
) -> Result<String, ComposeError> {
    let mut composition =
        Composition { library, set, imported: Vec::new(), composed: String::new() };
    composition.add(name, text)?;
    Ok(composition.composed)
}

/// A shader while it is composed.
struct Composition<'a> {
    library: Library<'a>,
    set: &'a [&'a str],
    imported: Vec<&'a str>,
    composed: String,
}

/// A condition whose `#endif` is yet to come.
struct Condition {
    line: usize,
    /// Whether the current branch is kept.
    kept: bool,
    has_else: bool,
}

impl Composition<'_> {
    /// Adds the text of a shader or of a module.
    fn add(&mut self, shader: &str, text: &str) -> Result<(), ComposeError> {
        let place = |line| Place { shader: shader.to_owned(), line };
        let mut conditions: Vec<Condition> = Vec::new();
        let mut lines = text.lines().zip(1..);
        while let Some((line, number)) = lines.next() {
            let at = place(number);
            let kept = conditions.iter().all(|condition| condition.kept);
            let Some((directive, rest)) = directive(line) else {
                if kept {
                    self.composed.push_str(line);
                    self.composed.push('\n');
                }
                continue;
            };
            match directive {
                "#import" => {
                    let mut import = rest.to_owned();
                    while import.contains('{') && !import.contains('}') {
                        let Some((line, _)) = lines.next() else {
                            return Err(ComposeError::UnclosedImport { at });
                        };
                        import.push_str(without_comment(line));
                    }
                    if kept {
                        self.import(at, &import)?;
                    }
                }
                "#ifdef" | "#ifndef" => {
                    if !self.library.flags.contains(&rest) {
                        return Err(ComposeError::UnknownFlag { at, flag: rest.to_owned() });
                    }
                    let kept = self.set.contains(&rest) == (directive == "#ifdef");
                    conditions.push(Condition { line: number, kept, has_else: false });
                }
                "#else" if rest.is_empty() => match conditions.last_mut() {
                    Some(condition) if !condition.has_else => {
                        condition.kept = !condition.kept;
                        condition.has_else = true;
                    }
                    _ => return Err(ComposeError::NoCondition { at, directive: line.to_owned() }),
                },
                "#endif" => {
                    if conditions.pop().is_none() {
                        return Err(ComposeError::NoCondition { at, directive: line.to_owned() });
                    }
                }
                _ => return Err(ComposeError::UnknownDirective { at, directive: line.to_owned() }),
            }
        }
        match conditions.pop() {
            Some(condition) => Err(ComposeError::UnclosedCondition { at: place(condition.line) }),
            None => Ok(()),
        }
    }

    /// Adds the module of an import, unless it has been added.
    fn import(&mut self, at: Place, import: &str) -> Result<(), ComposeError> {
        let import = import.trim_end_matches(';');
        let (path, items) = match import.split_once("::{") {
            Some((path, items)) => (path, items.trim_end_matches('}')),
            None => import.rsplit_once("::").unwrap_or((import, "")),
        };
        let found = self.library.modules.iter().find(|(module, _)| *module == path);
        let Some((module, text)) = found.copied() else {
            return Err(ComposeError::UnknownModule { at, path: path.to_owned() });
        };
        for item in items.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            if !declares(text, item) {
                let (module, item) = (module.to_owned(), item.to_owned());
                return Err(ComposeError::UnknownItem { at, module, item });
            }
        }
        if !self.imported.contains(&module) {
            self.imported.push(module);
            self.add(module, text)?;
        }
        Ok(())
    }
}

/// The directive of a line, and the rest of the line.
fn directive(line: &str) -> Option<(&str, &str)> {
    let line = without_comment(line);
    let end = line.find(char::is_whitespace).unwrap_or(line.len());
    line.starts_with('#').then(|| (&line[..end], line[end..].trim()))
}

fn without_comment(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

/// Whether a text declares an item at module level, that is on a line without indentation.
fn declares(text: &str, item: &str) -> bool {
    const KEYWORDS: [&str; 6] = ["alias", "const", "fn", "struct", "uniform", "var"];
    text.lines().filter(|line| !line.starts_with([' ', '/'])).any(|line| {
        let words: Vec<&str> = line
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
            .filter(|word| !word.is_empty())
            .collect();
        words.windows(2).any(|pair| KEYWORDS.contains(&pair[0]) && pair[1] == item)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: Library = Library {
        modules: &[
            ("test::one", "#import test::two::{B, b}\nconst A: i32 = 1;\n"),
            ("test::two", "@group(0) @binding(0) var<uniform> b: B;\nstruct B {\n    a: f32,\n}\n"),
            ("test::circle", "#import test::circle::c\nfn c() {}\n"),
            ("test::open", "const C: i32 = 1;\n#ifdef WALLS\n"),
        ],
        flags: &["HAZE", "WALLS"],
    };

    fn composed(text: &str, set: &[&str]) -> Result<String, ComposeError> {
        compose(LIBRARY, "shader", text, set)
    }

    fn at(shader: &str, line: usize) -> Place {
        Place { shader: shader.into(), line }
    }

    #[test]
    fn a_module_is_imported_once_and_before_its_importer() {
        let text = "#import test::two::b\n#import test::one::A // a comment\n#import test::one::{\n    A,\n}\nfn f() {}\n";
        let two = LIBRARY.modules[1].1;
        assert_eq!(composed(text, &[]), Ok(format!("{two}const A: i32 = 1;\nfn f() {{}}\n")));
        assert_eq!(composed("#import test::circle::c", &[]), Ok("fn c() {}\n".into()));
    }

    #[test]
    fn conditions_keep_one_branch() {
        let text =
            "#ifdef WALLS\nwalls\n#ifndef HAZE\nclear\n#else\nhaze\n#endif\n#else\nopen\n#endif\n";
        for (set, expected) in [
            (&[][..], "open\n"),
            (&["HAZE"], "open\n"),
            (&["WALLS"], "walls\nclear\n"),
            (&["HAZE", "WALLS"], "walls\nhaze\n"),
        ] {
            assert_eq!(composed(text, set).as_deref(), Ok(expected), "{set:?}");
        }
    }

    #[test]
    fn imports_of_dropped_branches_are_not_resolved() {
        let text = "#ifdef WALLS\n#import test::three::{\n    a,\n}\n#endif\nend\n";
        assert_eq!(composed(text, &[]).as_deref(), Ok("end\n"));
    }

    #[test]
    fn errors_name_shader_and_line() {
        let module = |path: &str, line| ComposeError::UnknownModule {
            at: at("shader", line),
            path: path.into(),
        };
        let no_condition = |directive: &str, line| ComposeError::NoCondition {
            at: at("shader", line),
            directive: directive.into(),
        };
        let unknown = |directive: &str| ComposeError::UnknownDirective {
            at: at("shader", 1),
            directive: directive.into(),
        };
        let item = |item: &str| ComposeError::UnknownItem {
            at: at("shader", 1),
            module: "test::two".into(),
            item: item.into(),
        };
        for (text, expected) in [
            ("\n#import test::three::a", module("test::three", 2)),
            ("#import bevy_render::globals::{Globals}", module("bevy_render::globals", 1)),
            ("#import test::two::{b, c}", item("c")),
            ("#import test::two::a", item("a")),
            ("#import test::two::{b,", ComposeError::UnclosedImport { at: at("shader", 1) }),
            (
                "#ifdef WALL\n#endif",
                ComposeError::UnknownFlag { at: at("shader", 1), flag: "WALL".into() },
            ),
            ("a\n#ifdef WALLS\n#else", ComposeError::UnclosedCondition { at: at("shader", 2) }),
            ("#import test::open::C", ComposeError::UnclosedCondition { at: at("test::open", 2) }),
            ("#ifdef WALLS\n#else\n#else\n#endif", no_condition("#else", 3)),
            ("#else", no_condition("#else", 1)),
            ("#endif", no_condition("#endif", 1)),
            ("#if WALLS", unknown("#if WALLS")),
            ("#else ifdef WALLS", unknown("#else ifdef WALLS")),
            ("#define_import_path a::b", unknown("#define_import_path a::b")),
        ] {
            assert_eq!(composed(text, &[]), Err(expected.clone()), "{text}");
            assert!(expected.to_string().contains(", line "), "{expected}");
        }
    }
}
