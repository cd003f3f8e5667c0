//! All air of a world.

use crate::air::state::{Air, AirReport};
use crate::air::step::{AirPass, AirWorkspace};
use crate::boundary::slots::{Slots, declare_handle};
use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;

declare_handle! {
    /// A handle of air in a world. It is valid until that air is removed, and never refers to other
    /// air.
    AirId
}

/// Air in a world, with the workspace of its steps.
#[derive(Clone, Debug)]
pub(super) struct AirInWorld {
    pub(super) air: Air,
    pub(super) workspace: AirWorkspace,
}

/// All air of a world. The rectangles are independent: air that leaves one does not enter another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Airs(pub(super) Slots<AirId, AirInWorld>);

impl Airs {
    pub(crate) fn insert(&mut self, air: Air) -> AirId {
        self.0.insert(AirInWorld { air, workspace: AirWorkspace::default() })
    }

    pub(crate) fn remove(&mut self, id: AirId) -> Option<Air> {
        let index = self.0.index_of(id)?;
        Some(self.0.remove(index).air)
    }

    pub(crate) fn get(&self, id: AirId) -> Option<&Air> {
        self.0.find(id).map(|entry| &entry.air)
    }

    pub(crate) fn get_mut(&mut self, id: AirId) -> Option<&mut Air> {
        let index = self.0.index_of(id)?;
        Some(&mut self.0[index].air)
    }

    pub(crate) fn report(&self, id: AirId) -> Option<AirReport> {
        self.0.find(id).map(|entry| entry.workspace.report)
    }

    /// All air with its handle and the report of its last step, in the order of insertion.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (AirId, &Air, AirReport)> {
        self.0.entries().map(|(id, entry)| (id, &entry.air, entry.workspace.report))
    }

    /// Runs one pass for all air.
    pub(crate) fn run_pass(
        &mut self,
        pass: AirPass,
        liquid: &mut Liquid,
        time_step: f32,
        executor: &dyn Executor,
    ) {
        for AirInWorld { air, workspace } in self.0.iter_mut() {
            air.run_pass(pass, Some(&mut *liquid), time_step, workspace, executor);
        }
    }
}
