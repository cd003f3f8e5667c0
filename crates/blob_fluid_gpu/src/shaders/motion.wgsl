// The motion of a particle by itself: damping, gravity, friction at walls, the prediction, and containment.

//# gravity
// Whether heat may reduce the weight of particles. Otherwise the compiler removes the code.
override HEAT: bool = true;

fn mass_of(class_index: u32) -> f32 { return classes[class_index].mass; }

// v += dt g s, without the fraction of the weight that `warm` has found to be lost.
fn apply_gravity(velocity: vec2f, class_index: u32, number: u32) -> vec2f {
    var v = velocity + classes[class_index].gravity_impulse;
    if HEAT { v -= classes[class_index].gravity_impulse * bitcast<f32>(keys[number].x); }
    return v;
}

//# damping
// v /= 1 + dt c, where the drag on slow particles fades as (1 - |v|/v_calm)^2
fn damped(velocity: vec2f) -> vec2f {
    let slowness = max(1.0 - length(velocity) * params.inverse_calm_speed, 0.0);
    return velocity / (1.0 + (params.drag + params.calm_drag * slowness * slowness));
}

//# wall_friction
// v_t /= 1 + dt c (1 - d/reach); v_n -= dt k_stick d (1 - d/d_stick)
fn apply_wall_friction(position: vec2f, velocity: vec2f, class_index: u32) -> vec2f {
    if !may_have_walls(position) { return velocity; }
    var v = velocity;
    var near = find_walls(position, class_index, true);
    for (var k = 0u; k < near.count; k++) {
        if ((near.hidden >> k) & 1u) != 0u { continue; }
        let wall = near_wall(&near, k, position);
        if !(wall.distance < params.interaction_radius) { continue; }
        var friction = vec3f(params.wall.drag, params.wall.rest, params.wall.reach);
        var stick = vec2f(params.wall.stick_per_step, params.wall.stick_reach);
        var of_wall = vec2f(0.0);
        let before = v;
        if SOLIDS && wall.body != NONE {
            let body = body_at(wall.body);
            friction = bitcast<vec3f>(solids[body.wall].xyz);
            stick = bitcast<vec2f>(solids[body.wall + 1u].xy);
            of_wall = wall_velocity(body, body.earlier, position, wall.distance);
        }
        let closeness = 1.0 - max(wall.distance, 0.0) / friction.z;
        if closeness > 0.0 && friction.x > 0.0 {
            let drag = friction.x * closeness;
            let tangent = vec2f(-wall.normal.y, wall.normal.x);
            v -= tangent * (dot(v - of_wall, tangent) * (drag / (friction.y + drag)));
        }
        if wall.distance > 0.0 && wall.distance < stick.y {
            v -= wall.normal * (stick.x * wall.distance * (1.0 - wall.distance / stick.y));
        }
        if LOADS && wall.body != NONE {
            let body = body_at(wall.body);
            bear(body, body.earlier, position, (v - before) * mass_of(class_index));
        }
    }
    return v;
}

//# containment
// x += d n; I = v_n - mu v_t, where I at most cancels the speed into the wall, plus V0

// Whether loads are measured.
override LOADS: bool = false;

// Number of times that a particle between several walls is moved out of them. If it is then still
// beyond a wall, it returns to its earlier position, carried along by a moving body.
const TURNS: u32 = 6u;

// Largest number of seams on a path.
const MOST_SEAMS: u32 = 2u;

// Sine of the smallest angle between two faces whose corner may hold a particle.
const NARROWEST_CORNER: f32 = 0.2;

// Changes the velocity of a particle that is beyond a wall by `-distance`.
fn meet(particle: ptr<function, Particle>, normal: vec2f, distance: f32, of_wall: vec2f, friction: f32) {
    let time_step = params.time_step;
    let ejection = params.speed_unit * time_step;
    let travel = ((*particle).velocity - of_wall) * time_step + (*particle).displacement;
    let along = dot(travel, normal);
    let followed = min(-distance, max(ejection - along, 0.0));
    (*particle).displacement += normal * (followed + params.unsticking_speed * time_step);
    if along < 0.0 {
        let part = min(followed / -along, 1.0);
        let drag = friction * min(-along / ejection, 1.0);
        // At a friction of 1 the tangential motion stops, even at a speed of 0.
        let lost = select(drag / (1.0 - friction + drag), 1.0, friction >= 1.0);
        (*particle).displacement -= (travel - normal * along) * (lost * part);
    }
}

// Moves a particle onto the walls of the container that it is beyond. Returns whether it was beyond a wall.
fn stay(particle: ptr<function, Particle>) -> bool {
    let p = (*particle).position;
    let count = own_walls();
    var any = false;
    for (var k = 0u; k < count; k++) {
        let wall = own_wall(p, k);
        if !(wall.z < 0.0) { continue; }
        any = true;
        meet(particle, wall.xy, wall.z, vec2f(0.0), params.wall.impact_friction);
        (*particle).position -= wall.xy * wall.z;
    }
    return any;
}

// Keeps a particle that came from `home` inside the container, and out of colliders. With `moving`,
// colliders move during the path. The whole path is tested again after each wall.
fn contain(particle: ptr<function, Particle>, home: vec2f, moving: bool) {
    if !SOLIDS {
        _ = stay(particle);
        return;
    }
    let class_index = (*particle).kind & CLASS;
    // The last face: its normal, and its distance from `home` along the normal.
    var face = vec3f(0.0);
    var held = false;
    var ejected = false;
    var last = NONE;
    for (var turn = 0u; turn < TURNS; turn++) {
        let hit = hit_beyond_seams(home, (*particle).position, class_index, moving);
        if hit.piece != NONE {
            last = body_of(hit.piece);
            stop_at(particle, hit, home, moving, &face);
            _ = stay(particle);
            continue;
        }
        if !held {
            held = true;
            if stay(particle) { continue; }
        }
        if ejected { return; }
        ejected = true;
        if !eject(particle, class_index) { return; }
        _ = stay(particle);
    }
    var back = home;
    var of_wall = vec2f(0.0);
    if last != NONE {
        let body = body_at(last);
        let carried = to_world(body.later, to_local(body.earlier, home));
        of_wall = wall_velocity(body, body.later, home, 0.0);
        let free = hit_beyond_seams(home, carried, class_index, moving).piece == NONE;
        if moving && free && container_depth(carried) >= 0.0 { back = carried; }
    }
    (*particle).position = back;
    (*particle).displacement = (of_wall - (*particle).velocity) * params.time_step;
}

// The first piece that a path meets, without faces inside seams.
fn hit_beyond_seams(p: vec2f, q: vec2f, class_index: u32, moving: bool) -> Hit {
    var hit = first_hit(p, q, class_index, moving, NONE, vec2f(0.0));
    for (var seam = 0u; seam < MOST_SEAMS && hit.piece != NONE; seam++) {
        let owner = body_of(hit.piece);
        let start = start_of(body_at(owner), p, moving);
        let beyond = beyond_seam(hit, start, class_index);
        if !beyond.found { break; }
        hit = first_hit(p, q, class_index, moving, owner, beyond.point);
    }
    return hit;
}

// The beginning of a path in the frame of a body.
fn start_of(body: Body, p: vec2f, moving: bool) -> vec2f {
    return to_local(select(body.later, body.earlier, moving), p);
}

// Puts a particle onto the face that it met, or into the corner between this face and the previous one.
fn stop_at(particle: ptr<function, Particle>, hit: Hit, home: vec2f, moving: bool, face: ptr<function, vec3f>) {
    let body = body_at(body_of(hit.piece));
    let pose = body.later;
    let end = to_local(pose, (*particle).position);
    let beyond = dot(end - hit.point, hit.normal);
    let normal = turned(pose, hit.normal);
    let of_wall = wall_velocity(body, pose, (*particle).position, 0.0);
    let displacement = (*particle).displacement;
    let inwards = dot(end - start_of(body, home, moving), hit.normal);
    meet(particle, normal, min(max(beyond, inwards), 0.0), of_wall, bitcast<f32>(solids[body.wall].w));
    var stopped = to_world(pose, end - hit.normal * (beyond - 2.0 * body.slack));
    let before = *face;
    *face = vec3f(normal, dot(stopped - home, normal));
    let along = vec2f(-normal.y, normal.x);
    let slope = dot(along, before.xy);
    let behind = before.z - dot(stopped - home, before.xy);
    if behind > 0.0 && dot(normal, before.xy) < 0.0 && abs(slope) >= NARROWEST_CORNER {
        stopped += along * (behind / slope);
        *face = before;
    }
    (*particle).position = stopped;
    if LOADS { bear(body, pose, stopped, momentum_since(particle, displacement)); }
}

// The change of a particle's momentum since it had this displacement.
fn momentum_since(particle: ptr<function, Particle>, displacement: vec2f) -> vec2f {
    let mass = mass_of((*particle).kind & CLASS);
    return ((*particle).displacement - displacement) * (mass / params.time_step);
}

// Moves a particle inside colliders a little along the shortest way out of each. Returns whether it
// left any, perhaps into another one.
fn eject(particle: ptr<function, Particle>, class_index: u32) -> bool {
    var came_out = false;
    let most = params.speed_unit * params.time_step;
    let p = (*particle).position;
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            if (body.flags & ONE_WAY) == 0u && stops(body, class_index) {
                let local = to_local(body.later, (*particle).position);
                // Avoids faces that another tile of a wall covers.
                var nearest = nearest_but(first, end, body.flags, local, COVERED);
                if nearest.distance == 1e30 { nearest = nearest_of(first, end, body.flags, local); }
                if nearest.distance < 0.0 {
                    let all = (body.flags & HOLDS) != 0u;
                    let depth = select(min(-nearest.distance, most), -nearest.distance, all);
                    let whole = depth == -nearest.distance;
                    let normal = turned(body.later, nearest.normal);
                    let of_wall = wall_velocity(body, body.later, (*particle).position, 0.0);
                    let displacement = (*particle).displacement;
                    meet(particle, normal, -depth, of_wall, bitcast<f32>(solids[body.wall].w));
                    let given = momentum_since(particle, displacement);
                    if LOADS { bear(body, body.later, (*particle).position, given); }
                    let margin = select(0.0, 2.0 * body.slack, whole);
                    (*particle).position = to_world(body.later, local + nearest.normal * (depth + margin));
                    came_out = true;
                }
            }
            first = end;
        }
    }
    return came_out;
}

//# predict
// All passes before the pairs: damping (unless `damp` has done it), gravity, forces, wall friction,
// x += dt v, containment of the prediction, and quarantine. Then it finds the particle's cell, and
// its rank by arrival in the cell.

@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> keys: array<vec2u>;
@group(0) @binding(4) var<storage, read> classes: array<Class>;
@group(0) @binding(5) var<storage, read> solids: array<vec4u>;
// The forces.
@group(0) @binding(6) var<storage, read> regions: array<vec4u>;
@group(0) @binding(7) var<storage, read> bearers: array<vec4u>;
@group(0) @binding(8) var<storage, read_write> sums: array<atomic<u32>>;

// Whether particles may sleep. Otherwise the compiler removes the code.
override SLEEP: bool = true;

@compute @workgroup_size(64)
fn predict(@builtin(global_invocation_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = index_of(at, groups);
    if i >= params.count { return; }
    var particle = particles[i];
    var cell = params.cells;
    if SLEEP && (particle.kind & (ASLEEP | PREDICTED | OUT_OF_PLAY)) == ASLEEP {
        cell = cell_of(particle.position);
        particle.velocity = vec2f(0.0);
        particle.displacement = vec2f(0.0);
        particles[i] = particle;
    } else if (particle.kind & OUT_OF_PLAY) == 0u {
        var v = particle.velocity;
        if params.beds == 0u { v = damped(v); }
        v = apply_gravity(v, particle.kind & CLASS, i);
        v = apply_forces(particle.position, v, particle.kind & CLASS);
        v = apply_wall_friction(particle.position, v, particle.kind & CLASS);
        particle.velocity = v;
        particle.displacement = vec2f(0.0);
        let home = particle.position;
        particle.position += v * params.time_step;
        contain(&particle, home, true);
        if within(particle.position, params.reach) && within(particle.velocity, params.fastest) {
            cell = cell_of(particle.position);
        } else {
            particle.kind = (particle.kind & ~COUNTED) | OUT_OF_PLAY;
        }
        if SLEEP && (particle.kind & ASLEEP) != 0u { particle.displacement = home; }
        particles[i] = particle;
    }
    keys[i] = vec2u(cell, atomicAdd(&counts[cell], 1u));
}
