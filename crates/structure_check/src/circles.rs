//! Circles of imports.

use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::imports::imports;
use crate::modules::Crate;

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
