//! The sources of the shaders.

use crate::pass::GpuPass;
use crate::programs::Programs;

/// The sources of the shaders, in WGSL. Clones, and those [with a change](Self::with_change), share what was
/// compiled of them: a host that makes several liquids, or one again and again, keeps one and clones it.
///
/// ```
/// use blob_fluid_gpu::{GpuPass, Shaders};
/// assert!(Shaders::default().source(GpuPass::Order).contains("fn order("));
/// ```
#[derive(Clone, Debug)]
pub struct Shaders {
    files: Vec<(&'static str, String)>,
    pub(crate) programs: Programs,
}

impl Default for Shaders {
    fn default() -> Self {
        macro_rules! files {
            ($($name:ident)*) => {
                vec![$((
                    stringify!($name),
                    include_str!(concat!("shaders/", stringify!($name), ".wgsl")).to_owned(),
                )),*]
            };
        }
        let files = files![
            common tables walls solids near_walls gravity damping wall_friction containment predict
            scan scatter sort_crowded order spans ghost_walls pressures segregation viscosity
            separation displacements finite spread tallies summarise conclude region forces impulse
            find_drained remove_drained recycle sense wall_pressure bearers loads no_loads
            bear_loads yield sums impacts thermal warm exchange_heat react tiles unrest choose_tiles
            mark_tiles doze columns depth beds seams added_mass
        ];
        Self { files, programs: Programs::default() }
    }
}

impl Shaders {
    /// The source of a pass.
    pub fn source(&self, pass: GpuPass) -> String {
        self.joined(&pass.files())
    }

    /// The texts of these files, one after the other.
    pub(crate) fn joined(&self, files: &[&'static str]) -> String {
        let text = |name: &&str| self.files.iter().find(|(file, _)| file == name);
        let texts = files.iter().filter_map(text);
        texts.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n")
    }

    /// The sources with a change in a file, for tests that a fault is found. Returns `None` if the file
    /// does not hold the text.
    pub fn with_change(mut self, file: &str, text: &str, instead: &str) -> Option<Self> {
        let (_, source) = self.files.iter_mut().find(|(name, _)| *name == file)?;
        if !source.contains(text) {
            return None;
        }
        *source = source.replace(text, instead);
        Some(self)
    }
}
