//! The interaction of air and bodies. In the projection, a body is a fluid with the mass of the body, and it receives
//! the momentum of that fluid (Carlson, Mucha and Turk 2004, "Rigid fluid: animating the interplay between rigid bodies
//! and fluid").
//!
//! The pressure changes the velocity of the closed part of a face of a body as it changes the velocity of liquid. The sum of the
//! changes of momentum is the impulse of the pressure on the body. So a light body gives way to the pressure that its motion
//! causes, and the total momentum is conserved.

use glam::{DVec2, Vec2};

use crate::air::AirSides;
use crate::air::grid::{Grid, LEAST_RATIO};
use crate::air::solids::{AirSolids, Pockets, is_in_air, passage};
use crate::boundary::solids::{BodyResponse, Solids};
use crate::{HostBody, Liquid};

/// Largest ratio of the densities of air and a body. A lighter body moves as if it had the mass of this ratio.
const LARGEST_RATIO: f32 = 1e3;

/// Change of velocity, in V0, below which a sleeping body or particle sleeps on.
pub(super) const WAKES: f32 = 0.05;

/// The part of a face that a body closes.
#[derive(Clone, Copy, Debug)]
struct BodyFace {
    face: usize,
    /// Index of the part of a body.
    part: usize,
    centre: Vec2,
    /// Closed share of the face.
    share: f32,
}

/// The faces across one axis that bodies close. The lists are empty without bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodyFaces {
    /// Velocities of all solids across the faces. The projection changes those of bodies.
    pub velocity: Vec<f32>,
    /// Density of the air over that of the body on each face; 0 where no body is.
    pub ratio: Vec<f32>,
    faces: Vec<BodyFace>,
}

/// A collider that belongs to a body.
#[derive(Clone, Copy, Debug)]
struct Part {
    collider: usize,
    body: usize,
}

/// A body or a host body.
#[derive(Clone, Copy, Debug)]
struct BodyInAir {
    host: Option<usize>,
    centre: Vec2,
    /// Inverse mass along each axis; 0 along a locked axis.
    inverse_mass: Vec2,
    inverse_inertia: f32,
    /// Sums of the closed shares of its faces across each axis.
    shares: Vec2,
    /// Density of the air over that of its faces across each axis; 0 along a locked axis.
    ratios: Vec2,
    /// Moment of inertia of its faces.
    inertia_of_faces: f32,
}

/// The bodies in the air, in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodiesInAir {
    /// The faces across x, and those across y.
    pub axes: [BodyFaces; 2],
    parts: Vec<Part>,
    bodies: Vec<BodyInAir>,
    /// The connected parts of air and bodies.
    pockets: Pockets,
    /// For each cell, the faces that pressure passes, as bits of [`passage`].
    passages: Vec<u8>,
}

const AXES: [Vec2; 2] = [Vec2::X, Vec2::Y];

impl BodiesInAir {
    /// Finds the faces of bodies that pressure can move. `density` is that of the air.
    pub(super) fn place(
        &mut self,
        grid: &Grid,
        sides: &AirSides,
        solids: &AirSolids,
        density: f32,
        boundary: &Solids,
    ) {
        self.clear();
        let part_of = self.find_parts(boundary);
        let Self { axes, parts, bodies, pockets, passages } = self;
        if parts.is_empty() || !solids.has_velocities() {
            return;
        }
        for (axis, (faces, direction)) in axes.iter_mut().zip(AXES).enumerate() {
            let (owners, open, velocities) = solids.faces(axis);
            faces.velocity.extend_from_slice(velocities);
            faces.ratio.resize(velocities.len(), 0.0);
            for (face, (owner, open)) in owners.iter().zip(open).enumerate() {
                let part = part_of.get(*owner as usize).copied().flatten().filter(|_| *open < 1.0);
                let Some(part) = part else { continue };
                let (centre, share) = (grid.centre_of_face(axis, face), 1.0 - open);
                bodies[parts[part].body].shares += share * direction;
                faces.faces.push(BodyFace { face, part, centre, share });
            }
        }
        let mass = density * grid.cell * grid.cell;
        for body in bodies.iter_mut() {
            // So the faces of a body have its mass, however thin it is.
            let ratios = mass * body.shares * body.inverse_mass;
            let bounded = ratios.clamp(Vec2::splat(LEAST_RATIO), Vec2::splat(LARGEST_RATIO));
            body.ratios = Vec2::select(ratios.cmpgt(Vec2::ZERO), bounded, Vec2::ZERO);
        }
        for (axis, (faces, direction)) in axes.iter_mut().zip(AXES).enumerate() {
            for BodyFace { face, part, centre, share } in &faces.faces {
                let body = &mut bodies[parts[*part].body];
                let ratio = body.ratios[axis];
                faces.ratio[*face] = ratio;
                if ratio > 0.0 {
                    let lever = (centre - body.centre).perp_dot(direction);
                    body.inertia_of_faces += share * mass / ratio * lever * lever;
                }
            }
        }
        passages.clone_from(&solids.passages);
        let bits = [[passage::LEFT, passage::RIGHT], [passage::BOTTOM, passage::TOP]];
        for ((axis, faces), [behind, before]) in axes.iter().enumerate().zip(bits) {
            let width = if axis == 0 { grid.columns + 1 } else { grid.columns };
            let step = if axis == 0 { 1 } else { grid.columns };
            for face in
                faces.faces.iter().map(|face| face.face).filter(|face| faces.ratio[*face] > 0.0)
            {
                let (i, j) = (face % width, face / width);
                // The cell before the face along the axis, and the one behind it.
                let cell = j * grid.columns + i;
                let (is_first, is_last) =
                    if axis == 0 { (i == 0, i == grid.columns) } else { (j == 0, j == grid.rows) };
                if !is_first {
                    passages[cell - step] |= before;
                }
                if !is_last {
                    passages[cell] |= behind;
                }
            }
        }
        pockets.find(grid, sides, passages);
    }

    /// Velocities of the solids across the faces of an axis, with those of bodies as the projection has changed them.
    pub(super) fn velocities<'a>(&'a self, solids: &'a AirSolids, axis: usize) -> &'a [f32] {
        if self.are_present() { &self.axes[axis].velocity } else { solids.faces(axis).2 }
    }

    /// The connected parts of the air, through bodies if there are any.
    pub(super) fn pockets_of<'a>(&'a self, solids: &'a AirSolids) -> &'a Pockets {
        if self.are_present() { &self.pockets } else { &solids.pockets }
    }

    /// Finds the colliders of bodies. Returns for each solid of the air the index of its part.
    fn find_parts(&mut self, boundary: &Solids) -> Vec<Option<usize>> {
        let Self { parts, bodies, .. } = self;
        let Solids { containers, colliders, host_bodies, .. } = boundary;
        if !boundary.any_bears_load() {
            return Vec::new();
        }
        let body = |host, centre, inverse_mass, inverse_inertia| BodyInAir {
            host,
            centre,
            inverse_mass,
            inverse_inertia,
            shares: Vec2::ZERO,
            ratios: Vec2::ZERO,
            inertia_of_faces: 0.0,
        };
        for (index, record) in host_bodies.iter().enumerate() {
            let HostBody { pose, inverse_mass, inverse_inertia, .. } = record.body;
            bodies.push(body(Some(index), pose.translation, inverse_mass, inverse_inertia));
        }
        let mut part_of = vec![None; containers.len()];
        for (collider, record) in
            colliders.iter().enumerate().filter(|(_, record)| is_in_air(record))
        {
            let attachment = record.options().attachment;
            let host = attachment.and_then(|attachment| host_bodies.index_of(attachment.body));
            let own = record.options().body.map(|own| {
                bodies.push(body(
                    None,
                    record.centre(),
                    Vec2::splat(own.inverse_mass()),
                    own.inverse_inertia(),
                ));
                bodies.len() - 1
            });
            part_of.push(host.or(own).map(|body| {
                parts.push(Part { collider, body });
                parts.len() - 1
            }));
        }
        part_of
    }

    /// Whether there is any body.
    pub(crate) fn are_present(&self) -> bool {
        !self.axes[0].velocity.is_empty()
    }

    /// Gives the bodies the momentum that the projection has given to their faces, once.
    pub(super) fn push(
        &mut self,
        grid: &Grid,
        solids: &AirSolids,
        density: f32,
        liquid: &mut Liquid,
    ) {
        if !self.are_present() {
            return;
        }
        let Self { axes, parts, bodies, .. } = &*self;
        let mass = density * grid.cell * grid.cell;
        let boundary = &mut liquid.boundary;
        let mut pushes = vec![(DVec2::ZERO, 0.0_f64); parts.len()];
        for (axis, (faces, direction)) in axes.iter().zip(AXES).enumerate() {
            let (.., velocities) = solids.faces(axis);
            for BodyFace { face, part, centre, share } in &faces.faces {
                let ratio = faces.ratio[*face];
                if ratio > 0.0 {
                    let change = faces.velocity[*face] - velocities[*face];
                    let impulse = (direction * (share * mass / ratio * change)).as_dvec2();
                    let lever = centre - boundary.colliders[parts[*part].collider].centre();
                    pushes[*part].0 += impulse;
                    pushes[*part].1 += lever.as_dvec2().perp_dot(impulse);
                }
            }
        }
        let least_change = WAKES * liquid.parameters.speed_unit();
        for (Part { collider, body }, (impulse, angular_impulse)) in parts.iter().zip(pushes) {
            let BodyInAir {
                host,
                inverse_mass,
                inverse_inertia,
                ratios,
                shares,
                inertia_of_faces,
                ..
            } = bodies[*body];
            // A body that is lighter than its faces moves as they do.
            let of_faces =
                Vec2::select(shares.cmpgt(Vec2::ZERO), ratios / (mass * shares), Vec2::ZERO);
            let response = BodyResponse {
                inverse_mass: inverse_mass.min(of_faces),
                inverse_inertia: if inertia_of_faces > 0.0 {
                    inverse_inertia.min(1.0 / inertia_of_faces)
                } else {
                    0.0
                },
                least_change,
            };
            if boundary.push_body(*collider, host, impulse, angular_impulse, response) {
                let bounds = boundary.colliders[*collider].swept_bounds();
                liquid.sleep.disturb_around(bounds);
            }
        }
        self.clear();
    }

    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        let Self { axes, parts, bodies, .. } = self;
        parts.clear();
        bodies.clear();
        for BodyFaces { velocity, ratio, faces } in axes {
            velocity.clear();
            ratio.clear();
            faces.clear();
        }
    }
}
