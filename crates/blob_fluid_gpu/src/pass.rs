//! The passes of a substep on the device: their order, shaders, buffers and number of threads.

use crate::buffers::{Access, DeviceBuffer};
use DeviceBuffer as B;

/// A pass of a substep on a device, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GpuPass {
    /// Where there is heat: what it takes from a particle's weight, and the heat of forces.
    Warm,
    /// The core's passes from [`ApplyDamping`](blob_fluid::FluidPass::ApplyDamping) to
    /// [`Quarantine`](blob_fluid::FluidPass::Quarantine); then the particle's cell.
    Predict,
    /// Prefix sums of the counts of the cells, in blocks.
    ScanBlocks,
    /// Prefix sums of the blocks' sums.
    ScanSums,
    /// Both added: the index of the first particle of each cell.
    AddSums,
    /// The ids of each cell beside each other.
    Scatter,
    /// The ids of crowded cells in ascending order.
    SortCrowded,
    /// The particles, by cell and id.
    Order,
    /// Where there is heat or anything reacts: [`ExchangeHeat`](blob_fluid::FluidPass::ExchangeHeat) at the predicted positions.
    ExchangeHeat,
    /// Then [`React`](blob_fluid::FluidPass::React).
    React,
    /// Densities and pressures.
    FindPressures,
    /// [`RelaxDensity`](blob_fluid::FluidPass::RelaxDensity)'s displacements,
    /// [`Contain`](blob_fluid::FluidPass::Contain) and
    /// [`UpdateVelocities`](blob_fluid::FluidPass::UpdateVelocities).
    Displace,
    /// Where the loads of colliders are measured: the walls' pressure on them, and the last two of
    /// [`Displace`](Self::Displace), which it leaves out then.
    BearLoads,
}

/// How many threads a pass needs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    /// One for each particle, in work groups of 64.
    Particles,
    /// That many work groups.
    Groups(u32),
    /// A work group for this many counts.
    Counts(u32),
}

macro_rules! passes {
    ($($pass:ident $name:ident,)*) => {
        /// Every pass, in order.
        pub const ALL: [Self; [$(stringify!($pass)),*].len()] = [$(Self::$pass),*];

        /// The pass's name: that of its entry point.
        pub const fn name(self) -> &'static str {
            match self { $(Self::$pass => stringify!($name),)* }
        }
    };
}

impl GpuPass {
    passes! {
        Warm warm, Predict predict, ScanBlocks scan_blocks, ScanSums scan_sums, AddSums add_sums,
        Scatter scatter, SortCrowded sort_crowded, Order order, ExchangeHeat exchange_heat,
        React react, FindPressures find_pressures, Displace displace, BearLoads bear_loads,
    }

    /// The files of its shader.
    pub(crate) fn files(self) -> Vec<&'static str> {
        let files = match self {
            Self::Warm => "common tables thermal finite region forces warm",
            Self::Predict => {
                "common walls solids seams near_walls gravity region forces damping wall_friction \
                 bearers sums loads containment finite predict"
            }
            Self::ScanBlocks | Self::ScanSums | Self::AddSums => "common scan",
            Self::Scatter => "common scatter",
            Self::SortCrowded => "common sort_crowded",
            Self::Order => "common order",
            Self::ExchangeHeat => {
                "common tables thermal walls solids seams near_walls spans exchange_heat"
            }
            Self::React => "common tables thermal spans tiles react",
            Self::FindPressures => {
                "common tables walls solids seams near_walls spans ghost_walls tiles pressures"
            }
            Self::Displace => {
                "common tables walls solids seams near_walls spans ghost_walls wall_pressure no_loads \
                 containment segregation viscosity separation displacements"
            }
            Self::BearLoads => {
                "common tables walls solids seams near_walls ghost_walls wall_pressure bearers finite \
                 sums loads containment bear_loads"
            }
        };
        files.split(' ').collect()
    }

    /// Its storage buffers, from binding 1 on.
    pub(crate) const fn bindings(self) -> &'static [(DeviceBuffer, Access)] {
        use Access::{Read, Write};
        match self {
            Self::Warm => &[
                (B::Particles, Read),
                (B::Extras, Write),
                (B::Keys, Write),
                (B::Tables, Read),
                (B::Forces, Read),
            ],
            Self::Predict => &[
                (B::Particles, Write),
                (B::Counts, Write),
                (B::Keys, Write),
                // It begins with the classes.
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Forces, Read),
                (B::Bearers, Read),
                (B::Loads, Write),
            ],
            Self::ScanBlocks | Self::ScanSums | Self::AddSums => {
                &[(B::Counts, Write), (B::Starts, Write), (B::Blocks, Write), (B::Crowded, Write)]
            }
            Self::Scatter => &[
                (B::Keys, Read),
                (B::Particles, Read),
                (B::Starts, Read),
                (B::Slots, Write),
                (B::Crowded, Write),
            ],
            Self::SortCrowded => {
                &[(B::Crowded, Read), (B::Starts, Read), (B::Slots, Write), (B::Kinds, Write)]
            }
            Self::Order => &[
                (B::Keys, Read),
                (B::Starts, Read),
                (B::Slots, Read),
                (B::Particles, Read),
                (B::Sorted, Write),
                (B::Positions, Write),
                (B::Extras, Read),
                (B::SortedExtras, Write),
            ],
            Self::ExchangeHeat => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Read),
                (B::SortedExtras, Read),
                (B::Extras, Write),
                (B::Kinds, Write),
                (B::Tables, Read),
                (B::Solids, Read),
            ],
            Self::React => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Write),
                (B::Extras, Write),
                (B::Kinds, Read),
                (B::Tables, Read),
                (B::Tiles, Write),
            ],
            Self::FindPressures => &[
                (B::Positions, Read),
                (B::Starts, Read),
                (B::Sorted, Write),
                (B::States, Write),
                (B::Kinds, Write),
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Marks, Read),
            ],
            Self::Displace => &[
                (B::Sorted, Read),
                (B::Particles, Write),
                (B::Positions, Read),
                (B::States, Read),
                (B::Kinds, Read),
                (B::Starts, Read),
                (B::Tables, Read),
                (B::Solids, Read),
            ],
            Self::BearLoads => &[
                (B::Sorted, Read),
                (B::Particles, Write),
                (B::States, Read),
                (B::Starts, Read),
                (B::Tables, Read),
                (B::Solids, Read),
                (B::Bearers, Read),
                (B::Loads, Write),
            ],
        }
    }

    pub(crate) const fn threads(self) -> Threads {
        match self {
            Self::ScanBlocks => Threads::Counts(1024),
            Self::SortCrowded => Threads::Groups(64),
            Self::ScanSums => Threads::Groups(1),
            Self::AddSums => Threads::Counts(256),
            _ => Threads::Particles,
        }
    }
}
