//! The modules of a crate: what each defines, and what it hands on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, File, Item, UseTree, Visibility};
use thiserror::Error;

/// Why sources could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// A file that could not be opened, or is not text.
    #[error("{path}: {error}")]
    File {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        error: std::io::Error,
    },
    /// A folder that could not be listed.
    #[error(transparent)]
    Folder(#[from] walkdir::Error),
    /// A file that is not Rust.
    #[error("{path}: {error}")]
    Syntax {
        /// Its path.
        path: PathBuf,
        /// What went wrong.
        error: syn::Error,
    },
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, ReadError> {
    fs::read_to_string(path).map_err(|error| ReadError::File { path: path.into(), error })
}

/// The folders of all crates of a workspace.
pub(crate) fn crates(workspace: &Path) -> Result<Vec<PathBuf>, ReadError> {
    let folder = workspace.join("crates");
    let list = fs::read_dir(&folder).map_err(|error| ReadError::File { path: folder, error })?;
    let mut folders: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("Cargo.toml").is_file());
    folders.sort();
    Ok(folders)
}

/// A source file.
pub struct SourceFile {
    /// Its path.
    pub path: PathBuf,
    /// Path of the module that it holds, from the root of the crate.
    pub(crate) module: Vec<String>,
    pub(crate) syntax: File,
}

/// A module: where it stands, and the names in it.
#[derive(Default)]
pub(crate) struct Module {
    pub file: usize,
    defined: BTreeSet<String>,
    /// Names that it imports or hands on, with their paths from the root of the crate.
    pub imported: BTreeMap<String, Vec<String>>,
    /// Modules of which it hands on everything.
    globs: Vec<Vec<String>>,
}

/// The sources of a crate.
pub struct Crate {
    files: Vec<SourceFile>,
    modules: BTreeMap<Vec<String>, Module>,
}

impl Crate {
    /// Every crate in the folder `crates` of a workspace.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when a file cannot be read or is not Rust.
    pub fn all_of(workspace: &Path) -> Result<Vec<Self>, ReadError> {
        let folders = crates(workspace)?.into_iter().map(|folder| folder.join("src"));
        folders.filter(|folder| folder.is_dir()).map(|folder| Self::read(&folder)).collect()
    }

    /// The crate whose sources lie in a folder.
    ///
    /// # Errors
    ///
    /// [`ReadError`] when a file cannot be read or is not Rust.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let mut files = Vec::new();
        for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
            let path = entry?.into_path();
            if path.extension().is_some_and(|extension| extension == "rs") {
                files.push((path.clone(), read(&path)?));
            }
        }
        let inside = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_path_buf();
        let texts = files.iter().map(|(path, text)| (inside(path), text.as_str()));
        let mut sources = Self::parse(texts)?;
        sources.files.iter_mut().zip(files).for_each(|(file, (path, _))| file.path = path);
        Ok(sources)
    }

    /// The crate with these files: the path of each within `src`, and its text.
    ///
    /// # Errors
    ///
    /// [`ReadError::Syntax`] when a text is not Rust.
    pub fn parse<'a>(
        texts: impl IntoIterator<Item = (PathBuf, &'a str)>,
    ) -> Result<Self, ReadError> {
        let mut sources = Self { files: Vec::new(), modules: BTreeMap::new() };
        for (path, text) in texts {
            let syntax = syn::parse_file(text)
                .map_err(|error| ReadError::Syntax { path: path.clone(), error })?;
            let module = module_of(&path);
            sources.files.push(SourceFile { path, module, syntax });
        }
        for file in 0..sources.files.len() {
            let SourceFile { module, syntax, .. } = &sources.files[file];
            enter(&mut sources.modules, file, module, &syntax.items);
        }
        Ok(sources)
    }

    /// Its files.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    pub(crate) fn module(&self, path: &[String]) -> Option<&Module> {
        self.modules.get(path)
    }

    /// The file that defines what a path from the root of the crate names, `*` being everything in a
    /// module; `None` for a module as such and for names that come from elsewhere.
    pub(crate) fn definer(&self, path: &[String]) -> Option<usize> {
        self.definer_within(path, 16)
    }

    /// The same, following the names that modules hand on at most `depth` times.
    fn definer_within(&self, path: &[String], depth: u32) -> Option<usize> {
        let known =
            (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
        let (module, rest) = (&self.modules[&path[..known]], &path[known..]);
        let name = rest.first()?;
        let everything = name == "*" && !module.defined.is_empty();
        if everything || module.defined.contains(name) || depth == 0 {
            return Some(module.file);
        }
        let follow = |start: &Vec<String>, rest: &[String]| {
            self.definer_within(&[start, rest].concat(), depth - 1)
        };
        if let Some(target) = module.imported.get(name) {
            return follow(target, &rest[1..]);
        }
        module.globs.iter().find_map(|target| follow(target, rest))
    }
}

/// Path of the module that a file holds.
fn module_of(path: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let root = module.len() == 1 && (module[0] == "lib" || module[0] == "main");
    if root || module.last().is_some_and(|name| name == "mod") {
        module.pop();
    }
    module
}

/// Whether an item is only compiled for tests.
pub(crate) fn is_for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// The path from the root of the crate of what `path` names within `module`; `None` if it begins with
/// neither `crate`, `self` nor `super`.
pub(crate) fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|name| *name == "super").count();
    match path.first()?.as_str() {
        "crate" => Some(path[1..].to_vec()),
        "self" => absolute_from(module, &path[1..]),
        "super" => Some([&module[..module.len().checked_sub(supers)?], &path[supers..]].concat()),
        _ => None,
    }
}

fn absolute_from(module: &[String], rest: &[String]) -> Option<Vec<String>> {
    absolute(module, rest).or_else(|| Some([module, rest].concat()))
}

/// All names of a `use`: the path, the name under which it is known, and whether it is everything.
pub(crate) fn names(tree: &UseTree) -> Vec<(Vec<String>, Option<String>)> {
    fn add(tree: &UseTree, before: &[String], all: &mut Vec<(Vec<String>, Option<String>)>) {
        let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => add(&path.tree, &with(&path.ident), all),
            UseTree::Name(name) if name.ident == "self" => {
                all.push((before.to_vec(), before.last().cloned()));
            }
            UseTree::Name(name) => all.push((with(&name.ident), Some(name.ident.to_string()))),
            UseTree::Rename(name) => all.push((with(&name.ident), Some(name.rename.to_string()))),
            UseTree::Glob(_) => all.push((before.to_vec(), None)),
            UseTree::Group(group) => group.items.iter().for_each(|item| add(item, before, all)),
        }
    }
    let mut all = Vec::new();
    add(tree, &[], &mut all);
    all
}

/// The names of types whose declarations a macro is given.
fn declared(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let names = tokens.windows(2).filter_map(|pair| match pair {
        [TokenTree::Ident(kind), TokenTree::Ident(name)] => {
            (kind == "struct" || kind == "enum").then(|| name.to_string())
        }
        _ => None,
    });
    names.collect()
}

/// Enters a module and those that stand in it.
fn enter(
    modules: &mut BTreeMap<Vec<String>, Module>,
    file: usize,
    path: &[String],
    items: &[Item],
) {
    let mut module = Module { file, ..Module::default() };
    // Names of modules in this one: a path may begin with them.
    let mut children = BTreeSet::new();
    for item in items {
        if let Item::Mod(item) = item
            && !is_for_tests(&item.attrs)
        {
            children.insert(item.ident.to_string());
            if let Some((_, inner)) = &item.content {
                enter(modules, file, &[path, &[item.ident.to_string()]].concat(), inner);
            }
        }
    }
    for item in items {
        let name = match item {
            Item::Const(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            Item::Fn(item) => item.sig.ident.to_string(),
            Item::Macro(item) => {
                module.defined.extend(declared(item.mac.tokens.clone()));
                item.ident.as_ref().map(ToString::to_string).unwrap_or_default()
            }
            Item::Static(item) => item.ident.to_string(),
            Item::Struct(item) => item.ident.to_string(),
            Item::Trait(item) => item.ident.to_string(),
            Item::Type(item) => item.ident.to_string(),
            Item::Union(item) => item.ident.to_string(),
            Item::Use(item) => {
                for (target, name) in names(&item.tree) {
                    let inside = target.first().is_some_and(|first| children.contains(first));
                    let found = absolute(path, &target)
                        .or_else(|| inside.then(|| [path, &target[..]].concat()));
                    match (found, name) {
                        (Some(target), Some(name))
                            if target != [path, std::slice::from_ref(&name)].concat() =>
                        {
                            module.imported.insert(name, target);
                        }
                        (Some(target), None) if !matches!(item.vis, Visibility::Inherited) => {
                            module.globs.push(target);
                        }
                        _ => {}
                    }
                }
                continue;
            }
            _ => continue,
        };
        module.defined.insert(name);
    }
    modules.insert(path.to_vec(), module);
}
