// What bears the liquid's loads on colliders. The buffer has a head: where the moving bodies begin, their number, that of
// the bearers, and where these begin; then steps per impulse and per angular impulse, and what is left of an offset
// after a substep. Then, for each collider with a load, its slot: the number of its bearer, and the centre of mass in the
// collider's frame. Then the bearers.

// Entries of a bearer: the steps of impulse and angular impulse that the host had let it have before the tick, in three
// numbers of 64 bits; 1/mass along each axis; 1/moment of inertia, and the distance of the farthest corner from the centre
// of mass; how many substeps were before the tick; what the host lets it have in each substep; and nothing.
const BEARER: u32 = 4u;

// Numbers of a bearer in `loads`: three sums of 64 bits, the lower half first; the offset from where the host believes
// it to be, before the substep and after it; the motion on top of what the host knows of; and the number of substeps.
const LOAD: u32 = 16u;
const BEFORE: u32 = 6u;
const AFTER: u32 = 9u;
const MORE: u32 = 12u;
const SUBSTEPS: u32 = 15u;

// The slot of a body's collider; 0 without a load.
fn slot_of(body: Body) -> u32 { return body.flags >> 8u; }

// The centre of mass of a collider's bearer.
fn centre_of_mass(slot: u32, pose: vec4f) -> vec2f {
    return to_world(pose, bitcast<vec2f>(bearers[slot].yz));
}
