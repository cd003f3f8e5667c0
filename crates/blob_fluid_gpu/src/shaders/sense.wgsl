// Sensors: number of particles of each class in a region, the sum of their velocities, and the
// number that have entered since the sensor was created. There is one thread for each particle,
// which visits all sensors. The sums are of integers, so their order does not matter: velocities
// are counted in steps.
//
// After the head, each sensor has its region, then its classes (two entries).

struct Sensed {
    // The steps along x, then along y, each a 64-bit number with its lower half first.
    steps: array<atomic<u32>, 4>,
    // Number of particles inside, by class.
    classes: array<atomic<u32>, 256>,
}

@group(0) @binding(1) var<storage, read> particles: array<Particle>;
// The head: number of sensors, words of a row of `inside`, steps per speed, largest number of steps
// of a particle.
@group(0) @binding(2) var<storage, read> regions: array<vec4u>;
// A row for each sensor, with a bit for each id: whether its particle was inside.
@group(0) @binding(3) var<storage, read_write> inside: array<atomic<u32>>;
// Number of particles that have entered.
@group(0) @binding(4) var<storage, read_write> entered: array<atomic<u32>>;
@group(0) @binding(5) var<storage, read_write> sensed: array<Sensed>;

// Number of entries of a sensor.
const SENSOR: u32 = REGION + 2u;

// Counts of a work group for one sensor.
var<workgroup> of_class: array<atomic<u32>, 256>;
var<workgroup> came: atomic<u32>;
var<workgroup> across: atomic<i32>;
var<workgroup> up: atomic<i32>;

fn add_steps(sensor: u32, part: u32, steps: i32) {
    if steps == 0 { return; }
    let low = bitcast<u32>(steps);
    let before = atomicAdd(&sensed[sensor].steps[part], low);
    // The upper half of a negative number consists of ones.
    let high = select(0u, 0xffffffffu, steps < 0) + select(0u, 1u, before + low < low);
    if high != 0u { atomicAdd(&sensed[sensor].steps[part + 1u], high); }
}

@compute @workgroup_size(256)
fn sense(
    @builtin(local_invocation_index) local: u32,
    @builtin(workgroup_id) group: vec3u,
    @builtin(num_workgroups) groups: vec3u,
) {
    let i = (group.x + group.y * groups.x) * 256u + local;
    var in_play = false;
    var own: Particle;
    if i < params.count {
        own = particles[i];
        in_play = (own.kind & OUT_OF_PLAY) == 0u && within(own.position, params.reach);
    }
    let class_index = own.kind & CLASS;
    let bit = 1u << (own.id % 32u);
    let most = f32(regions[0].w);
    let velocity = clamp(own.velocity * bitcast<f32>(regions[0].z), vec2f(-most), vec2f(most));
    let steps = select(vec2i(0), vec2i(round(velocity)), within(own.velocity, params.fastest));

    let count = regions[0].x;
    for (var sensor = 0u; sensor < count; sensor++) {
        let at = 1u + sensor * SENSOR;
        if in_play {
            let is_inside = has_class(at + REGION, class_index) && region_contains(at, own.position);
            let word = sensor * regions[0].y + own.id / 32u;
            let was_inside = (atomicLoad(&inside[word]) & bit) != 0u;
            if is_inside {
                atomicAdd(&of_class[class_index], 1u);
                atomicAdd(&across, steps.x);
                atomicAdd(&up, steps.y);
                if !was_inside {
                    atomicOr(&inside[word], bit);
                    atomicAdd(&came, 1u);
                }
            } else if was_inside {
                atomicAnd(&inside[word], ~bit);
            }
        }
        workgroupBarrier();
        let counted = atomicExchange(&of_class[local], 0u);
        if counted > 0u { atomicAdd(&sensed[sensor].classes[local], counted); }
        if local == 0u {
            let new_ones = atomicExchange(&came, 0u);
            if new_ones > 0u { atomicAdd(&entered[sensor], new_ones); }
            add_steps(sensor, 0u, atomicExchange(&across, 0));
            add_steps(sensor, 2u, atomicExchange(&up, 0));
        }
        workgroupBarrier();
    }
}
