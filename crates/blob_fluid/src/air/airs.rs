//! All air of a world.

use crate::air::heat_exchange::HeatExchange;
use crate::air::report::AirReport;
use crate::air::state::Air;
use crate::air::step::AirWorkspace;
use crate::air::with_liquid::Exchange;
use crate::boundary::slots::{Slots, declare_handle};
use crate::liquid::state::Liquid;
use crate::parallel::executor::Executor;

declare_handle! {
    /// A handle of air in a world. It is valid until that air is removed, and never refers to other
    /// air.
    AirId
}

/// Air in a world, with what steps it.
#[derive(Clone, Debug)]
struct AirInWorld {
    air: Air,
    workspace: AirWorkspace,
    exchange: Exchange,
    heat: HeatExchange,
    report: AirReport,
}

/// All air of a world. Every rectangle is by itself: what leaves one does not enter another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Airs(Slots<AirId, AirInWorld>);

impl Airs {
    pub(crate) fn insert(&mut self, air: Air) -> AirId {
        self.0.insert(AirInWorld {
            air,
            workspace: AirWorkspace::default(),
            exchange: Exchange::default(),
            heat: HeatExchange::default(),
            report: AirReport::default(),
        })
    }

    pub(crate) fn remove(&mut self, id: AirId) -> Option<Air> {
        let index = self.0.index_of(id)?;
        Some(self.0.remove(index).air)
    }

    pub(crate) fn get(&self, id: AirId) -> Option<&Air> {
        self.0.find(id).map(|own| &own.air)
    }

    pub(crate) fn get_mut(&mut self, id: AirId) -> Option<&mut Air> {
        let index = self.0.index_of(id)?;
        Some(&mut self.0[index].air)
    }

    pub(crate) fn report(&self, id: AirId) -> Option<AirReport> {
        self.0.find(id).map(|own| own.report)
    }

    /// All air with its handle and the report of its last step, in the order of insertion.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (AirId, &Air, AirReport)> {
        self.0.entries().map(|(id, own)| (id, &own.air, own.report))
    }

    /// Steps all air with the liquid in it. Returns whether particles appeared or disappeared.
    ///
    /// 1. The solids of the world are put into the air.
    /// 2. Liquid and air exchange heat.
    /// 3. What is hot enough turns into air.
    /// 4. Drag exchanges momentum.
    /// 5. The air is stepped.
    /// 6. Its pressure pushes the liquid.
    /// 7. Vapour rains.
    pub(crate) fn step<E: Executor>(
        &mut self,
        liquid: &mut Liquid,
        time_step: f32,
        executor: &E,
    ) -> bool {
        let mut changed = false;
        for AirInWorld { air, workspace, exchange, heat, report } in self.0.iter_mut() {
            let boundary = &liquid.boundary;
            air.set_solids(boundary.containers.iter(), boundary.colliders.iter());
            heat.exchange(air, liquid, time_step);
            let evaporated = air.evaporate(liquid, time_step);
            exchange.before_step(air, liquid, time_step);
            // The time step is that of a tick, which is valid.
            let of_step = air.step(time_step, workspace, executor).unwrap_or_default();
            exchange.after_step(air, liquid);
            let condensed = air.condense(liquid, time_step);
            *report = AirReport { evaporated, condensed, ..of_step };
            changed |= evaporated + condensed > 0;
        }
        changed
    }
}
