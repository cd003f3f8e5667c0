//! Circles of imports, and which file imports what of which.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, Macro, Meta};

use crate::modules::{Crate, absolute, is_for_tests, names};

/// Files that import each other, directly or through one another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// Its files, in alphabetical order.
    pub files: Vec<PathBuf>,
    /// The imports between them: from, to, and the names, in alphabetical order.
    pub imports: Vec<(PathBuf, PathBuf, Vec<String>)>,
}

impl Display for Circle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "a circle of {} files", self.files.len())?;
        self.imports.iter().try_for_each(|(from, to, names)| {
            write!(f, "\n  {} imports {} of {}", from.display(), names.join(", "), to.display())
        })
    }
}

/// All circles of a crate.
pub fn circles(sources: &Crate) -> Vec<Circle> {
    let imports = imports(sources);
    let mut graph = DiGraph::<usize, ()>::new();
    let nodes: Vec<NodeIndex> =
        (0..sources.files().len()).map(|file| graph.add_node(file)).collect();
    for (from, to) in imports.keys() {
        graph.add_edge(nodes[*from], nodes[*to], ());
    }
    let mut found: Vec<Circle> = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1)
        .map(|component| {
            let holds = |file: &usize| component.contains(&nodes[*file]);
            let path = |file: usize| sources.files()[file].path.clone();
            let mut files: Vec<PathBuf> = component.iter().map(|node| path(graph[*node])).collect();
            files.sort();
            let mut between: Vec<_> = imports
                .iter()
                .filter(|((from, to), _)| holds(from) && holds(to))
                .map(|((from, to), names)| {
                    (path(*from), path(*to), names.iter().cloned().collect())
                })
                .collect();
            between.sort();
            Circle { files, imports: between }
        })
        .collect();
    found.sort_by(|a, b| a.files.cmp(&b.files));
    found
}

// Imports.

/// The names that one file imports of another, by the numbers of both.
pub(crate) fn imports(sources: &Crate) -> BTreeMap<(usize, usize), BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for (file, source) in sources.files().iter().enumerate() {
        let mut visitor = Visitor { sources, file, module: source.module.clone(), all: &mut all };
        visitor.visit_file(&source.syntax);
    }
    all
}

/// Finds the names in one file.
struct Visitor<'a> {
    sources: &'a Crate,
    file: usize,
    /// Path of the module that is being read.
    module: Vec<String>,
    all: &'a mut BTreeMap<(usize, usize), BTreeSet<String>>,
}

impl Visitor<'_> {
    /// Notes what a path names, if it names something of this crate.
    fn note(&mut self, path: &[String]) {
        let Some(first) = path.first() else { return };
        let found = absolute(&self.module, path).or_else(|| {
            let here = [&self.module[..], path].concat();
            let child = self.sources.module(&here[..=self.module.len()]).is_some();
            // A path may begin with the name of a module that was imported.
            let imported = || {
                let start = self.sources.module(&self.module)?.imported.get(first)?;
                Some([start, &path[1..]].concat())
            };
            if child { Some(here) } else { imported() }
        });
        let definer = found.as_ref().and_then(|path| self.sources.definer(path));
        if let (Some(to), Some(name)) = (definer, path.last())
            && to != self.file
        {
            self.all.entry((self.file, to)).or_default().insert(name.clone());
        }
    }

    /// Notes the paths in what a macro is given.
    fn note_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                    colons += 1
                }
                TokenTree::Ident(name) if colons == 2 => {
                    path.push(name.to_string());
                    colons = 0;
                }
                other => {
                    self.note(&path);
                    path.clear();
                    colons = 0;
                    match other {
                        TokenTree::Ident(name) => path.push(name.to_string()),
                        TokenTree::Group(group) => self.note_tokens(group.stream()),
                        _ => {}
                    }
                }
            }
        }
        self.note(&path);
    }
}

impl<'a> Visit<'a> for Visitor<'_> {
    fn visit_item(&mut self, item: &'a Item) {
        let attributes = match item {
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_for_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        for (path, name) in names(&item.tree) {
            match name {
                Some(_) => self.note(&path),
                None => self.note(&[&path[..], &["*".into()]].concat()),
            }
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> =
            path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.note(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'a Macro) {
        self.visit_path(&item.path);
        self.note_tokens(item.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        if let Meta::List(list) = &attribute.meta {
            self.note_tokens(list.tokens.clone());
        }
    }
}
