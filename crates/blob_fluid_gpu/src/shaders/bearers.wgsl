// What bears the liquid's loads on colliders. The buffer has a head: where the moving bodies begin, their number, that of
// the bearers, and where these begin; then steps per impulse and per angular impulse, what is left of an offset
// after a substep, and where the changes begin. Then, for each collider with a load, its slot: the number of its bearer, and the
// centre of mass in the collider's frame. Then the bearers. Then the changes: for each substep and each bearer the change of
// its velocity and angular velocity that the host makes at the beginning of the substep.

// Entries of a bearer: the steps of impulse and angular impulse that the host had let it have before the tick, in three
// numbers of 64 bits; 1/mass along each axis; 1/moment of inertia, and the distance of the farthest corner from the centre
// of mass; how many substeps were before the tick; what the host lets it have in each substep; and nothing.
const BEARER: u32 = 4u;

// Numbers of a bearer in `loads`: three sums of 64 bits, the lower half first; the offset from where the host believes
// it to be, before the substep and after it; the motion on top of what the host knows of; the number of substeps; sums of
// 64 bits over the masses that are attached to it, of the mass and of the mass times the offset and times its square, in
// interaction radii; the change of motion that these share, and the factor on them; and nothing.
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

// A pose with this offset of the bearer.
fn shifted(pose: vec4f, slot: u32, offset: vec3f) -> vec4f {
    let centre = centre_of_mass(slot, pose);
    let by = vec4f(offset.xy, cos(offset.z), sin(offset.z));
    return vec4f(centre + to_world(by, pose.xy - centre), normalize(turned(by, pose.zw)));
}

// The centre of mass of a collider's bearer.
fn centre_of_mass(slot: u32, pose: vec4f) -> vec2f {
    return to_world(pose, bitcast<vec2f>(bearers[slot].yz));
}
