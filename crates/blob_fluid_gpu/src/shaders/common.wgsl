// What all passes share: the settings of a substep, a particle, and the grid; finite numbers; the tables of classes.

//# common
// Declarations for all passes: the settings of a substep, a particle, and the grid.

struct Params {
    // The fields of `DeviceCoefficients`, which documents them.
    gravity: vec2f,
    preference: vec2f,
    ghost: array<vec4f, 3>,
    time_step: f32,
    interaction_radius: f32,
    inverse_radius: f32,
    coincidence: f32,
    pressure_limit: f32,
    stiff: f32,
    near_share: f32,
    kept: f32,
    faded: f32,
    tension: f32,
    cohesion_onset: f32,
    cohesion_slope: f32,
    cohesion_least: f32,
    held_weight: f32,
    per_squared_passing_speed: f32,
    strong_contrast: f32,
    least_contrast: f32,
    stable_exchange: f32,
    calm_drag: f32,
    inverse_calm_speed: f32,
    drag: f32,
    wall_friction: f32,
    per_time_unit: f32,
    particle_spacing: f32,
    most_displacement: f32,
    unsticking_speed: f32,
    speed_unit: f32,
    reach: f32,
    most_impulse: f32,
    most_push: f32,
    compressed_from: f32,
    attached_mass: f32,
    // The wall of the container, or of no container.
    wall: Wall,
    // The grid: its corners, and cells per length across and up.
    low: vec2f,
    high: vec2f,
    per_cell: vec2f,
    // The container: centre, direction of its own x axis, half size (a disc's radius is half_size.x).
    centre: vec2f,
    axis: vec2f,
    half_size: vec2f,
    kill_low: vec2f,
    kill_high: vec2f,
    // Columns: a corner of a bin, the direction of gravity, the first bin, and the number of bins
    // across and along gravity.
    column_origin: vec2f,
    down: vec2f,
    first_bin: vec2i,
    bins: vec2u,
    // The fields of `DeviceSleeping`. With a `still_speed` of 0 liquid does not sleep.
    still_speed: f32,
    moving_speed: f32,
    settling_time: f32,
    drift: f32,
    unsorted: f32,
    weight_drift: f32,
    still_temperature: f32,
    // Length of the tick.
    tick: f32,
    // Number of particles.
    count: u32,
    columns: u32,
    rows: u32,
    // columns * rows. The cell with this number holds the particles out of play.
    cells: u32,
    // Speed above which a particle would leave the reach within a substep.
    fastest: f32,
    // 0: none, 1: a rectangle, 2: a disc.
    container: u32,
    // Number of classes.
    classes: u32,
    // Time at the end of the tick, in units of lifetime.
    now: u32,
    // Particles of a cell with a higher rank by id do not interact.
    most_in_cell: u32,
    // Columns of tiles.
    tile_columns: u32,
    // Index of the first place of rest. Temperatures come before; without them it is 0.
    first_rest: u32,
    // Whether `damp` has already damped the particles, relative to the beds of their columns.
    beds: u32,
    // Largest number of particles of a bin that count.
    fullest: u32,
}

// The fields of `DeviceWall`, which documents them.
struct Wall {
    drag: f32,
    rest: f32,
    reach: f32,
    impact_friction: f32,
    stick_per_step: f32,
    stick_reach: f32,
    wetting: f32,
    temperature: f32,
}

struct Particle {
    position: vec2f,
    velocity: vec2f,
    // Displacement by walls and pressure in this substep, in addition to the velocity. For a
    // sleeping particle with PREDICTED it is the position.
    displacement: vec2f,
    id: u32,
    // Class, time of death, ASLEEP, OUT_OF_PLAY, and one of PREDICTED, UNSORTED and COUNTED.
    kind: u32,
    // m C, the resistance to compression.
    resistance: f32,
    relative_density: f32,
}

struct Class {
    stiffness: f32,
    near_stiffness: f32,
    rest_density: f32,
    equilibrium_density: f32,
    equilibrium_packing: f32,
    mass: f32,
    inverse_mass: f32,
    ghost_density: f32,
    gravity_impulse: vec2f,
    weight: f32,
    crowded_from: f32,
}

struct PairOfClasses {
    approach: f32,
    quadratic: f32,
    linear: f32,
    limit: f32,
    attraction: f32,
    segregation: f32,
    most_contrast: f32,
    conductivity: f32,
}

const OUT_OF_PLAY: u32 = 0x80000000u;
// Set for particles out of play that the tallies have counted.
const COUNTED: u32 = 0x40000000u;
// ASLEEP is set for particles that keep their positions in this tick. PREDICTED is set for those of
// them whose predicted positions other particles see, as those of particles awake.
const ASLEEP: u32 = 0x20000000u;
const PREDICTED: u32 = 0x40000000u;
// The same bit, for particles in play and awake: set in a tick in which they would still move to their layer.
const UNSORTED: u32 = 0x40000000u;
const CLASS: u32 = 0xffu;
// The time of death, modulo 2^21; 0 for an unlimited lifetime.
const LIFE_SHIFT: u32 = 8u;
const LIFE_MASK: u32 = 0x1fffffu;

// Temperatures of at least this value mean that no temperature is set.
const NO_TEMPERATURE: f32 = 2e38;

// Work groups sort the cells with more particles.
const CROWDED_FROM: u32 = 128u;
// The x coordinate of a particle that does not interact, as others see it: far away.
const ALONE: f32 = 1e18;

@group(0) @binding(0) var<uniform> params: Params;

fn is_alone(p: vec2f) -> bool { return p.x == ALONE; }

// Dispatches are two-dimensional, because one dimension has at most 65,535 work groups.
fn index_of(at: vec3u, groups: vec3u) -> u32 {
    return at.x + at.y * groups.x * 64u;
}

fn column_of(x: f32) -> i32 {
    let columns = f32(params.columns);
    return i32(clamp(floor((x - params.low.x) * params.per_cell.x), 0.0, columns - 1.0));
}

fn row_of(y: f32) -> i32 {
    let rows = f32(params.rows);
    return i32(clamp(floor((y - params.low.y) * params.per_cell.y), 0.0, rows - 1.0));
}

fn cell_of(p: vec2f) -> u32 {
    return u32(row_of(p.y)) * params.columns + u32(column_of(p.x));
}

//# finite
// Whether both numbers are within the limit. It compares bits, because compilers may assume that
// NaN does not occur.
fn within(v: vec2f, limit: f32) -> bool {
    let bits = bitcast<vec2u>(v) & vec2u(0x7fffffffu);
    return max(bits.x, bits.y) <= bitcast<u32>(limit);
}

//# tables
// The coefficients of classes and of their pairs, read from one buffer.

fn class_at(index: u32) -> Class {
    let one = tables[3u * index];
    let two = tables[3u * index + 1u];
    let three = tables[3u * index + 2u];
    return Class(one.x, one.y, one.z, one.w, two.x, two.y, two.z, two.w, three.xy, three.z, three.w);
}

fn mass_of(class_index: u32) -> f32 { return tables[3u * class_index + 1u].y; }

fn pair_at(own: u32, other: u32) -> PairOfClasses {
    let at = 3u * params.classes + 2u * (own * params.classes + other);
    let one = tables[at];
    let two = tables[at + 1u];
    return PairOfClasses(one.x, one.y, one.z, one.w, two.x, two.y, two.z, two.w);
}
