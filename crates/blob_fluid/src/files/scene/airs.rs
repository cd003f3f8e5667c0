//! Air of scenes.

use glam::Vec2;
use serde::{Deserialize, Serialize};

use super::error::SceneError;
use crate::air::grid::Grid;
use crate::air::{Air, AirSettings, AirSides, AirSource, MAX_CELLS};
use crate::geometry::bounds::FluidBounds;
use crate::settings::range::Check;

/// Air of a scene: a rectangle of [`Air`] with its sources.
///
/// ```
/// use blob_fluid::scene::Scene;
/// let scene = Scene::from_ron("(airs: [(cell_size: 20, sides: (top: Open))])")?;
/// let world = scene.build()?;
/// let air = world.airs().next().expect("one");
/// assert_eq!((air.columns(), air.rows()), (40, 30));
/// # Ok::<(), blob_fluid::scene::SceneError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SceneAir {
    /// Its rectangle, in world units. Default: 800 wide and 600 high, around the origin. It grows to
    /// the right and upwards to a whole number of cells.
    pub bounds: FluidBounds,
    /// Side of a cell, in world units; 0.000001 to 1000000. Default 6.
    pub cell_size: f32,
    /// Its settings. The [density](AirSettings::density) is in masses per area of the liquid, and the
    /// [gravity](AirSettings::gravity) is its own, not the liquid's.
    pub settings: AirSettings,
    /// Its four sides.
    pub sides: AirSides,
    /// Its sources, which it has in this order. Those that give all at once do so in the first step.
    pub sources: Vec<AirSource>,
}

impl Default for SceneAir {
    fn default() -> Self {
        let half_size = Vec2::new(400.0, 300.0);
        Self {
            bounds: FluidBounds { low: -half_size, high: half_size },
            cell_size: 6.0,
            settings: AirSettings::default(),
            sides: AirSides::default(),
            sources: Vec::new(),
        }
    }
}

/// How many cells all air of a scene may have; as many as one alone.
const CELLS_TOGETHER: &str = "of at most 4194304 cells together";

/// The air at its beginning.
pub(super) fn build_airs(stated: &[SceneAir]) -> Result<Vec<Air>, SceneError> {
    let build = |(air, scene_air): (usize, &SceneAir)| {
        let mut built =
            Air::new(scene_air.bounds, scene_air.cell_size, scene_air.settings, scene_air.sides)
                .map_err(|error| SceneError::Air { air, error })?;
        for (index, source) in scene_air.sources.iter().enumerate() {
            built.insert_source(source.clone()).map_err(|error| SceneError::AirSource {
                air,
                index,
                error,
            })?;
        }
        Ok(built)
    };
    let mut cells = 0.0;
    for (air, scene_air) in stated.iter().enumerate() {
        let grid = Grid::new(scene_air.bounds, scene_air.cell_size)
            .map_err(|error| SceneError::Air { air, error })?;
        cells += grid.cells() as f32;
        Check("scene").that(cells <= MAX_CELLS as f32, "airs", cells, CELLS_TOGETHER)?;
    }
    stated.iter().enumerate().map(build).collect()
}
