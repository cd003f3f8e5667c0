//! Data of the graphs: measurements of the last half minute.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::measure::{energies, layer_order};

use crate::state::{FluidPanel, FluidPanelTab};
use bevy_blob_fluid::{FluidSimulation, FluidStatistics};

/// Time between two measurements, in seconds.
const INTERVAL: f32 = 0.1;
/// Largest number of stored measurements.
const KEPT: usize = 300;

/// Measurements over time, the latest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series(VecDeque<f32>);

impl Series {
    fn push(&mut self, value: f32) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(if value.is_finite() { value } else { 0.0 });
    }

    pub(crate) fn latest(&self) -> f32 {
        self.0.back().copied().unwrap_or_default()
    }

    pub(crate) fn values(&self) -> impl ExactSizeIterator<Item = f32> + '_ {
        self.0.iter().copied()
    }

    /// Number of measurements along the width of a graph.
    pub(crate) const fn width() -> usize {
        KEPT
    }
}

/// Measurements taken while the graphs were visible.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct FluidPanelHistory {
    /// Real time of a tick, in milliseconds.
    pub tick: Series,
    /// Number of particles of each class, by its index.
    pub classes: Vec<Series>,
    pub layer_order: Series,
    pub kinetic: Series,
    pub potential: Series,
    next: f32,
}

impl FluidPanelHistory {
    fn measure(&mut self, fluid: &FluidSimulation, statistics: &FluidStatistics) {
        self.tick.push(statistics.tick_milliseconds);
        let counts = class_counts(fluid);
        let classes = self.classes.len().max(counts.len());
        let measured = self.tick.0.len() - 1;
        // A new class had no particles before.
        let empty = || Series(std::iter::repeat_n(0.0, measured).collect());
        self.classes.resize_with(classes, empty);
        for (index, series) in self.classes.iter_mut().enumerate() {
            series.push(counts.get(index).copied().unwrap_or_default() as f32);
        }
        self.layer_order.push(layer_order(fluid) as f32);
        let [kinetic, potential] = energies(fluid);
        self.kinetic.push(kinetic as f32);
        self.potential.push(potential as f32);
    }
}

/// Number of particles of each class.
pub(crate) fn class_counts(fluid: &FluidSimulation) -> Vec<usize> {
    let mut counts = vec![0; fluid.classes().len()];
    for class in fluid.particles().classes() {
        counts[class.index()] += 1;
    }
    counts
}

/// Measures the liquid while the graphs are visible.
pub(crate) fn measure(
    panel: Res<FluidPanel>,
    fluid: Res<FluidSimulation>,
    statistics: Res<FluidStatistics>,
    time: Option<Res<Time<Real>>>,
    mut history: ResMut<FluidPanelHistory>,
) {
    if !panel.open || panel.tab != FluidPanelTab::Graphs {
        return;
    }
    let now = time.map_or(0.0, |time| time.elapsed_secs());
    if now >= history.next {
        history.next = now + INTERVAL;
        history.measure(&fluid, &statistics);
    }
}
