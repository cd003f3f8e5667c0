// The bearers of the liquid's loads on colliders. The buffer contains, in this order:
// - a head: the place of the first moving body, the number of moving bodies, the number of bearers,
//   the place of the first bearer; steps per impulse and per angular impulse, the remaining
//   fraction of an offset after a substep, and the place of the first change,
// - for each collider with a load its slot: the number of its bearer, and the centre of mass in the
//   collider's frame,
// - the bearers,
// - the changes: for each substep and bearer, the host's change of velocity and angular velocity at
//   the beginning of the substep.

// Number of entries of a bearer. They contain the steps of impulse and angular impulse that the
// host had applied before the tick, as three 64-bit numbers; 1/mass along each axis; 1/moment of
// inertia; the distance of the farthest corner from the centre of mass; the number of substeps
// before the tick; the steps that the host applies in each substep; and padding.
const BEARER: u32 = 4u;

// Number of words of a bearer in `loads`. They contain three 64-bit sums, the lower half first; the
// offset from the host's pose, before and after the substep; the motion in addition to that of the
// host; the number of substeps; 64-bit sums over the attached masses; the change of motion that
// these share; the factor on the masses; and padding. The sums are of the mass, of the mass times
// the offset, and of the mass times its square, in interaction radii.
const LOAD: u32 = 32u;
const BEFORE: u32 = 6u;
const AFTER: u32 = 9u;
const MORE: u32 = 12u;
const SUBSTEPS: u32 = 15u;
const MASS: u32 = 16u;
const CHANGE: u32 = 24u;
const FACTOR: u32 = 27u;

// The slot of a body's collider; 0 without a load.
fn slot_of(body: Body) -> u32 { return body.flags >> 8u; }

// A pose, shifted by an offset of the bearer.
fn shifted(pose: vec4f, slot: u32, offset: vec3f) -> vec4f {
    let centre = centre_of_mass(slot, pose);
    let by = vec4f(offset.xy, cos(offset.z), sin(offset.z));
    return vec4f(centre + to_world(by, pose.xy - centre), normalize(turned(by, pose.zw)));
}

// The centre of mass of a collider's bearer.
fn centre_of_mass(slot: u32, pose: vec4f) -> vec2f {
    return to_world(pose, bitcast<vec2f>(bearers[slot].yz));
}
