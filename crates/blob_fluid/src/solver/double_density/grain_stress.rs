//! The stress that grains of powder remember: strained by their neighbours' motion, and limited by
//! Coulomb's law. The paper does not have it.

use std::ops::Range;

use glam::Vec2;

use crate::parallel::chunks::{CHUNK, chunk_of};
use crate::parallel::executor::Executor;
use crate::parallel::instructions::{self, Instructions, LaneKernel};
use crate::parallel::lanes::{Lanes, gather, gather_points, load, positive, splat};
use crate::particles::activity::{Activity, takes_part};
use crate::particles::grain::Grain;
use crate::solver::double_density::chunk_neighbours::ChunkNeighbours;
use crate::solver::double_density::frozen::Frozen;
use crate::solver::double_density::grain_pores::WetGrain;
use crate::solver::neighbours::pair_lanes::BlockLanes;

/// Share of a pair's shear that is taken along the pair, which keeps angular momentum; the rest is the
/// plain tensor's. With all of it grains lie in rows, and with none of it the skin of a heap creeps.
pub(super) const CENTRAL: f32 = 0.7;

/// Largest turn of a neighbourhood in a substep that turns the stress with it.
const MOST_TURN: f32 = 0.5;

/// What grains remember of the last substep, and what the liquid in their pores leaves them to bear.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    /// One item for each particle.
    pub grains: &'a [Grain],
    /// The same; empty if there are no pores that a liquid may fill.
    pub wet: &'a [WetGrain],
}

/// Finds the stress of every grain: `s = capped(turned(s) + shear/rho² strain)`, where
/// `|s| <= tan(angle) load + cohesion`, with the load that the grain's pairs carried in the last
/// substep, or what liquid in the pores leaves of it. The strain comes from how the offsets `u` to other
/// grains have changed since the stress was found last:
///
/// `strain_xx = sum q [z u_r cos 2a + (1 - z)(u_x cos a - u_y sin a)/2]`, and the same with sines for
/// `strain_xy`; `a` is the direction of the pair, and `z` = [`CENTRAL`]. It is the transpose of the sum
/// that makes displacements of stresses, so that the elastic part cannot feed energy.
///
/// Grains that do not move keep their stress; other particles have none.
pub(super) fn find_stresses<E: Executor>(
    frozen: Frozen,
    before: Before,
    relative_density: &[f32],
    neighbours: &[ChunkNeighbours],
    stresses: &mut Vec<Vec2>,
    executor: &E,
) {
    let (grains, activity) = (before.grains, frozen.particles.activity);
    stresses.resize(grains.len(), Vec2::ZERO);
    executor.for_each_chunk(&mut stresses[..], CHUNK, |index, stresses| {
        let chunk = chunk_of(index, stresses.len());
        let start = chunk.start;
        for (stress, grain) in stresses.iter_mut().zip(&grains[chunk.clone()]) {
            *stress = grain.stress;
        }
        if !takes_part(&activity[chunk], Activity::Awake) {
            return;
        }
        for (particles, near) in neighbours[index].moving_grains(start, activity) {
            let block = StrainOfBlock { frozen: &frozen, grains, particles: &particles, near };
            let strain = instructions::run(block);
            for (lane, particle) in particles.enumerate() {
                if activity[particle] == Activity::Awake {
                    let density = relative_density[particle];
                    stresses[particle - start] =
                        stress_of(&frozen, before, particle, density, &strain, lane);
                }
            }
        }
    });
}

/// The new stress of a grain, and 0 for another particle.
fn stress_of(
    frozen: &Frozen,
    Before { grains, wet }: Before,
    particle: usize,
    relative_density: f32,
    strain: &Strain,
    lane: usize,
) -> Vec2 {
    let class = &frozen.pressure.classes[frozen.particles.class[particle].index()];
    let Some(coefficients) = class.grains else { return Vec2::ZERO };
    let grain = &grains[particle];
    let turn = if strain.arm[lane] > 0.0 { strain.turn[lane] / strain.arm[lane] } else { 0.0 };
    // Twice the turn: the cosine and sine of an angle whose half has the tangent `turn`.
    let turn = turn.clamp(-MOST_TURN, MOST_TURN);
    let turned = Vec2::new(1.0 - turn * turn, 2.0 * turn) / (1.0 + turn * turn);
    let density = relative_density * class.state.equilibrium_density;
    let shear = coefficients.shear / (density * density).max(LEAST_SQUARED_DENSITY);
    let stress = turned.rotate(grain.stress) + Vec2::new(strain.xx[lane], strain.xy[lane]) * shear;
    let bearing = wet.get(particle).map_or(grain.load, |wet| wet.bearing);
    let most = coefficients.friction * positive(bearing) + coefficients.cohesion;
    let squared = stress.length_squared();
    if squared > most * most { stress * (most / squared.sqrt()) } else { stress }
}

/// Below this square of the density shear is no stiffer.
const LEAST_SQUARED_DENSITY: f32 = 4.0;

/// Computes how the motion of other grains has strained each particle of a block.
struct StrainOfBlock<'a> {
    frozen: &'a Frozen<'a>,
    grains: &'a [Grain],
    particles: &'a Range<usize>,
    near: &'a [u32],
}

struct Strain {
    xx: Lanes,
    xy: Lanes,
    /// `sum q u x r_hat`, and `sum q r`: their ratio is the neighbourhood's turn.
    turn: Lanes,
    arm: Lanes,
}

impl LaneKernel for StrainOfBlock<'_> {
    type Output = Strain;

    #[inline(always)]
    fn run<S: Instructions>(self, instructions: S) -> Strain {
        let Self { frozen, grains, particles, near } = self;
        let Frozen { particles: all, coefficients, pressure, .. } = *frozen;
        let splat = |number: f32| splat(instructions, number);
        let positions = all.position;
        let (classes, grains) = (&all.class[..positions.len()], &grains[..positions.len()]);
        let place_x = load(instructions, &gather(particles, grains, |grain| grain.place.x));
        let place_y = load(instructions, &gather(particles, grains, |grain| grain.place.y));
        let (x, y) = gather_points(instructions, particles, positions);
        let (way_x, way_y) = (x - place_x, y - place_y);
        let (mut xx, mut xy) = (splat(0.0), splat(0.0));
        let (mut turn, mut arm) = (splat(0.0), splat(0.0));
        let (central, plain) = (splat(CENTRAL), splat(0.5 * (1.0 - CENTRAL)));
        let lanes = BlockLanes::of(instructions, coefficients, particles, positions);
        lanes.for_each(
            [near.iter().map(|index| *index as usize)],
            #[inline(always)]
            |index, pair| {
                if pressure.classes[classes[index].index()].grains.is_none() {
                    return;
                }
                let way = positions[index] - grains[index].place;
                let (ux, uy) = (splat(way.x) - way_x, splat(way.y) - way_y);
                let (cos, sin) = (pair.dx * pair.inverse, pair.dy * pair.inverse);
                let (along, across) = (ux * cos + uy * sin, uy * cos - ux * sin);
                let (cos_2, sin_2) = (cos * cos - sin * sin, splat(2.0) * cos * sin);
                let q = pair.closeness;
                let central = central * along;
                xx += q * (central * cos_2 + plain * (ux * cos - uy * sin));
                xy += q * (central * sin_2 + plain * (ux * sin + uy * cos));
                turn += q * across;
                arm += q * pair.distance;
            },
        );
        Strain { xx: xx.into(), xy: xy.into(), turn: turn.into(), arm: arm.into() }
    }
}
