// The walls near a particle, of the container and of colliders.

//# walls
// The walls of the container: four of a rectangle, one of a disc. They are computed one by one,
// because an array of them would be in memory.

fn own_walls() -> u32 {
    return select(select(0u, 1u, params.container == 2u), 4u, params.container == 1u);
}

// xy: the normal, which points into the liquid; z: the distance, negative beyond the wall.
fn own_wall(p: vec2f, number: u32) -> vec3f {
    let offset = p - params.centre;
    if params.container == 2u {
        let radius = params.half_size.x;
        let distance = length(offset);
        // The normal is not defined at the centre.
        if distance <= 1e-6 * radius { return vec3f(0.0, 1.0, 1e30); }
        return vec3f(-offset / distance, radius - distance);
    }
    let x = params.axis;
    let across = number < 2u;
    let axis = select(vec2f(-x.y, x.x), x, across);
    let side = select(1.0, -1.0, (number & 1u) != 0u);
    return vec3f(axis * side, select(params.half_size.y, params.half_size.x, across) + side * dot(offset, axis));
}

// Depth of a point inside the container's walls; a large number without a container.
fn container_depth(p: vec2f) -> f32 {
    let offset = p - params.centre;
    if params.container == 1u {
        let x = params.axis;
        let local = abs(vec2f(dot(offset, x), dot(offset, vec2f(-x.y, x.x))));
        return min(params.half_size.x - local.x, params.half_size.y - local.y);
    }
    return select(1e30, params.half_size.x - length(offset), params.container == 2u);
}

//# near_walls
// The walls near a particle: those of the container, and the nearest point of each collider.
//
// In a concave corner of at most a right angle, each face of a collider is a wall. Otherwise the
// normal of the nearest face would jump from substep to substep. A wall behind a nearer one, or
// continuing it, is hidden. Of another wall only the fraction 1 - cos(angle to the nearer one)
// presses, with the slope of that fraction.

const MOST_WALLS: u32 = 8u;

// Distance along a wall to a second evaluation of its normal, as a fraction of the distance from the wall.
const BEND_STEP: f32 = 0.02;

// Largest cosine of the angle between the normals of two faces of a collider that are both walls,
// within rounding. IN_FACE is the tolerance for a point in front of a face, as a fraction of its
// distance.
const ACROSS: f32 = 1e-2;
const IN_FACE: f32 = 1e-3;

// A wall: its body, NONE for the standing box or disc; the entries of the body's pieces; whether it
// belongs to the container; and whether it is one of several faces of its body.
struct NearWall {
    normal: vec2f,
    distance: f32,
    body: u32,
    first: u32,
    end: u32,
    holds: bool,
    among_faces: bool,
}

struct NearWalls {
    count: u32,
    walls: array<NearWall, 8>,
    // Numbers of the walls, sorted by distance. Walls at equal distances keep their order.
    order: array<u32, 8>,
    // A bit for each wall.
    hidden: u32,
}

// If the array is full, the farthest wall is left out.
fn push_wall(near: ptr<function, NearWalls>, wall: NearWall) {
    var rank = (*near).count;
    while rank > 0u && (*near).walls[(*near).order[rank - 1u]].distance > wall.distance { rank--; }
    if rank == MOST_WALLS { return; }
    var number = (*near).count;
    if number == MOST_WALLS { number = (*near).order[MOST_WALLS - 1u]; } else { (*near).count++; }
    for (var k = (*near).count - 1u; k > rank; k--) { (*near).order[k] = (*near).order[k - 1u]; }
    (*near).order[rank] = number;
    (*near).walls[number] = wall;
}

fn pose_of(body: Body, before: bool) -> vec4f {
    return select(body.later, body.earlier, before);
}

// A wall of the standing container.
fn plain_wall(p: vec2f, number: u32) -> NearWall {
    let wall = own_wall(p, number);
    return NearWall(wall.xy, wall.z, NONE, 0u, 0u, true, false);
}

// Whether walls may be within the radius of a point. Most particles skip the search, whose arrays
// are in memory and are filled with zeros.
fn may_have_walls(p: vec2f) -> bool {
    if !SOLIDS || container_depth(p) < params.interaction_radius { return true; }
    for (var number = 0u; number < 2u; number++) {
        let table = table_at(number);
        let range = entries_at(table, p);
        if range.x < range.y || table.everywhere < table.everywhere_end { return true; }
    }
    return false;
}

// The walls within the radius of a point, and walls that the point is beyond. With `before`,
// colliders have their poses at the beginning of the substep. Without solids it only counts the
// container's walls, so that it needs no array.
fn find_walls(p: vec2f, class_index: u32, before: bool) -> NearWalls {
    var near: NearWalls;
    let own = own_walls();
    if !SOLIDS {
        near.count = own;
        return near;
    }
    let reach = params.interaction_radius;
    for (var k = 0u; k < own; k++) {
        let wall = plain_wall(p, k);
        if wall.distance < reach { push_wall(&near, wall); }
    }
    let jump_depth = bitcast<f32>(solids[6].x);
    var colliders = false;
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let owner = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(owner);
            if stops(body, class_index) {
                let pose = pose_of(body, before);
                let nearest = nearest_of(first, end, body.flags, to_local(pose, p));
                let behind = nearest.distance < 0.0 && (body.flags & ONE_WAY) != 0u;
                let holds = (body.flags & HOLDS) != 0u;
                let acts = holds || nearest.distance >= -jump_depth;
                if nearest.distance < reach && acts && !behind {
                    let local = to_local(pose, p);
                    let shown = across_seam(nearest, vec2u(first, end), owner, local, class_index, before);
                    let normal = turned(pose, shown.normal);
                    var wall = NearWall(normal, shown.distance, owner, first, end, holds, false);
                    wall.among_faces = push_other_faces(&near, wall, pose, p);
                    push_wall(&near, wall);
                    colliders = true;
                }
            }
            first = end;
        }
    }
    if colliders {
        for (var rank = 1u; rank < near.count; rank++) {
            if is_hidden(&near, rank, p, before) { near.hidden |= 1u << near.order[rank]; }
        }
    }
    return near;
}

// Adds the other faces of a body that form a concave corner with the nearest wall. Returns whether
// it has added any.
fn push_other_faces(near: ptr<function, NearWalls>, nearest: NearWall, pose: vec4f, p: vec2f) -> bool {
    let flags = body_at(nearest.body).flags;
    if (flags & (FACES | ONE_WAY)) != FACES || nearest.distance < 0.0 { return false; }
    let local = to_local(pose, p);
    let foot = p - nearest.normal * nearest.distance;
    var any = false;
    for (var entry = nearest.first; entry < nearest.end; entry++) {
        let piece = piece_at(word(entry));
        let a = piece.ends.xy;
        let e = piece.ends.zw - a;
        let along = dot(local - a, e) / dot(e, e);
        let offset = local - a - e * along;
        let apart = length(offset) - piece.radius;
        if !(along >= 0.0 && along <= 1.0) || apart >= params.interaction_radius { continue; }
        let left = vec2f(-e.y, e.x) / length(e);
        let normal = turned(pose, select(-left, left, dot(offset, left) >= 0.0));
        let across = foot - (p - normal * apart);
        // The foot on each face is in front of the other face. A foot on the same face is in it.
        if dot(normal, nearest.normal) < ACROSS && dot(across, normal) > IN_FACE * nearest.distance
            && dot(across, nearest.normal) < -IN_FACE * nearest.distance {
            var face = nearest;
            face.normal = normal;
            face.distance = apart;
            face.among_faces = true;
            push_wall(near, face);
            any = true;
        }
    }
    return any;
}

// A found wall. Without solids it may be out of reach.
fn near_wall(near: ptr<function, NearWalls>, number: u32, p: vec2f) -> NearWall {
    if !SOLIDS { return plain_wall(p, number); }
    return (*near).walls[number];
}

// Whether a nearer wall hides the wall with this rank.
fn is_hidden(near: ptr<function, NearWalls>, rank: u32, p: vec2f, before: bool) -> bool {
    let wall = (*near).walls[(*near).order[rank]];
    let foot = p - wall.normal * wall.distance;
    let gap = seam_gap();
    for (var k = rank; k > 0u; k--) {
        let other = (*near).walls[(*near).order[k - 1u]];
        // A container's own walls do not hide each other.
        if other.holds && wall.holds { continue; }
        if other.body == NONE {
            if container_depth(foot) <= gap { return true; }
            continue;
        }
        if other.body == wall.body {
            // A face of the same body hides what lies behind it.
            let other_foot = p - other.normal * other.distance;
            if dot(foot - other_foot, other.normal) <= 0.0 { return true; }
            continue;
        }
        let body = body_at(other.body);
        let pose = pose_of(body, before);
        let start = to_local(pose, p);
        let end = to_local(pose, foot);
        if nearest_of(other.first, other.end, body.flags, end).distance < gap { return true; }
        if (body.flags & INSIDE_OUT) != 0u { continue; }
        for (var entry = other.first; entry < other.end; entry++) {
            if meet_piece(word(entry), body, start, end).time <= 1.0 { return true; }
        }
    }
    return false;
}

// The rate at which a wall's normal turns along the wall, per length.
fn bend_of(wall: NearWall, p: vec2f) -> f32 {
    if wall.holds || wall.among_faces { return 0.0; }
    let most = 1.0 / max(wall.distance, bitcast<f32>(solids[6].z));
    let step = BEND_STEP / most;
    let body = body_at(wall.body);
    let normal = turned_back(body.later, wall.normal);
    let along = vec2f(-normal.y, normal.x);
    let there = nearest_of(wall.first, wall.end, body.flags, to_local(body.later, p) + along * step);
    return clamp(dot(there.normal, along) / step, 0.0, most);
}

// A pressing wall: the fraction that presses, and the slope of that fraction.
struct PressingWall { normal: vec2f, distance: f32, part: f32, slope: vec2f, wetting: f32 }

struct PressingWalls { count: u32, walls: array<PressingWall, 8> }

// Whether two walls share liquid behind them, by their normals.
fn share_liquid(one: NearWall, other: NearWall) -> bool {
    return !(one.holds && other.holds) && dot(one.normal, other.normal) > 0.0;
}

fn plain_pressing_wall(wall: NearWall) -> PressingWall {
    return PressingWall(wall.normal, wall.distance, 1.0, vec2f(0.0), params.wall.wetting);
}

// A pressing wall. Without solids it may be out of reach.
fn pressing_wall(pressing: ptr<function, PressingWalls>, number: u32, p: vec2f) -> PressingWall {
    if !SOLIDS { return plain_pressing_wall(plain_wall(p, number)); }
    return (*pressing).walls[number];
}

fn pressing_walls(p: vec2f, class_index: u32) -> PressingWalls {
    var near = find_walls(p, class_index, false);
    var pressing: PressingWalls;
    if !SOLIDS {
        pressing.count = near.count;
        return pressing;
    }
    for (var number = 0u; number < near.count; number++) {
        if is_out_of_sight(&near, number) { continue; }
        pressing.walls[pressing.count] = shown_wall(&near, number, p);
        pressing.count++;
    }
    return pressing;
}

fn is_out_of_sight(near: ptr<function, NearWalls>, number: u32) -> bool {
    return (((*near).hidden >> number) & 1u) != 0u;
}

// A wall that is not hidden, with the fraction that presses.
fn shown_wall(near: ptr<function, NearWalls>, number: u32, p: vec2f) -> PressingWall {
    let wall = (*near).walls[number];
    var shown = plain_pressing_wall(wall);
    if wall.body != NONE {
        let body = body_at(wall.body);
        shown.part = fade_in_of(wall);
        shown.wetting = bitcast<f32>(solids[body.wall + 1u].z);
    }
    share_with_nearer(near, number, p, &shown);
    return shown;
}

// Reduces a wall to the fraction that nearer walls do not share.
fn share_with_nearer(near: ptr<function, NearWalls>, number: u32, p: vec2f, shown: ptr<function, PressingWall>) {
    let wall = (*near).walls[number];
    let fade_in = (*shown).part;
    let along = vec2f(-wall.normal.y, wall.normal.x);
    var bend = -1.0;
    for (var rank = 0u; rank < (*near).count; rank++) {
        let index = (*near).order[rank];
        if index == number { break; }
        let nearer = (*near).walls[index];
        if is_out_of_sight(near, index) || !share_liquid(wall, nearer) { continue; }
        let others = fade_in * part_of_others(near, number, index);
        if bend < 0.0 { bend = bend_of(wall, p); }
        (*shown).slope -= along * (others * dot(along, nearer.normal) * bend);
        (*shown).slope += slope_of_nearer(wall, nearer, others, p);
        (*shown).part *= 1.0 - min(dot(nearer.normal, wall.normal), 1.0);
    }
}

fn fade_in_of(wall: NearWall) -> f32 {
    if wall.body == NONE { return 1.0; }
    return body_at(wall.body).fade_in;
}

// The fraction of a wall that all nearer walls except one leave.
fn part_of_others(near: ptr<function, NearWalls>, number: u32, but: u32) -> f32 {
    let wall = (*near).walls[number];
    var part = 1.0;
    for (var rank = 0u; rank < (*near).count; rank++) {
        let index = (*near).order[rank];
        if index == number { break; }
        if index == but || is_out_of_sight(near, index) { continue; }
        let between = (*near).walls[index];
        if share_liquid(wall, between) { part *= 1.0 - min(dot(between.normal, wall.normal), 1.0); }
    }
    return part;
}

// Contribution of a nearer wall to the slope of a wall's fraction, because the nearer wall's normal turns.
fn slope_of_nearer(wall: NearWall, nearer: NearWall, others: f32, p: vec2f) -> vec2f {
    let along = vec2f(-nearer.normal.y, nearer.normal.x);
    return along * (-others * dot(along, wall.normal) * bend_of(nearer, p));
}

//# seams
// Seams: colliders that touch, overlap or nearly touch each other act as one solid. A face inside a
// seam does not stop particles, and a wall near a seam is the face that continues beyond it.

// Largest height of a step in a seam that particles pass, in seam gaps.
const STEP: f32 = 0.5;

// Distance from a corner at which a path continues after a seam, in slacks.
const CLEARANCE: f32 = 4.0;

// Smallest cosine of the angle between the normals of the same face.
const SAME: f32 = 0.99;

// A face that ends at a corner: the direction towards the corner and beyond it, and the normal to the free side.
struct Face { along: vec2f, normal: vec2f }

struct Corner { found: bool, point: vec2f, one: Face, other: Face }

// A point, if one was found.
struct Found { found: bool, point: vec2f }

fn seam_gap() -> f32 { return bitcast<f32>(solids[6].y); }

// The convex corner of a body that is nearest to a point, if it is within `reach`. All are in the
// frame of the body, whose entries are from `first` to `end`.
fn corner_at(first: u32, end: u32, p: vec2f, reach: f32) -> Corner {
    var corner: Corner;
    var nearest = reach;
    for (var entry = first; entry < end; entry++) {
        let piece = piece_at(word(entry));
        let away = distance(p, piece.ends.zw);
        if (piece.kind & (KIND | HOLLOW_END | TWO_SIDED)) != EDGE || away >= nearest { continue; }
        nearest = away;
        corner.point = piece.ends.zw;
        let along = normalize(piece.ends.zw - piece.ends.xy);
        corner.one = Face(along, vec2f(-along.y, along.x));
    }
    if nearest == reach { return corner; }
    for (var entry = first; entry < end; entry++) {
        let piece = piece_at(word(entry));
        if (piece.kind & KIND) != EDGE || any(piece.ends.xy != corner.point) { continue; }
        let along = normalize(piece.ends.xy - piece.ends.zw);
        corner.other = Face(along, vec2f(along.y, -along.x));
        corner.found = true;
    }
    return corner;
}

// Whether a point in the world is inside another collider that stops the class from all sides.
fn is_covered(owner: u32, class_index: u32, p: vec2f, before: bool) -> bool {
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        var first = range.x;
        while first < range.y {
            let other = body_of(word(first));
            let end = end_of_body(first, range.y);
            let body = body_at(other);
            if other != owner && (body.flags & (ONE_WAY | HOLDS)) == 0u && stops(body, class_index) {
                let nearest = nearest_of(first, end, body.flags, to_local(pose_of(body, before), p));
                if nearest.distance <= 0.0 { return true; }
            }
            first = end;
        }
    }
    return false;
}

// Whether another collider continues one of a body's faces beyond a corner. The space in front of
// the face must be free, unlike at the bottom of a wedge.
fn is_seam(owner: u32, pose: vec4f, corner: vec2f, face: Face, class_index: u32, before: bool) -> bool {
    let gap = seam_gap();
    let step = STEP * gap;
    let beyond = corner + (face.along - face.normal) * gap;
    let above = corner + (face.normal - face.along) * step;
    return is_covered(owner, class_index, to_world(pose, beyond), before)
        && !is_covered(owner, class_index, to_world(pose, above), before);
}

// The nearest point of a body, on the continued face beyond a seam if there is one. `local` is in
// the frame of the body.
fn across_seam(near: Nearest, entries: vec2u, owner: u32, local: vec2f, class_index: u32, before: bool) -> Nearest {
    let body = body_at(owner);
    let gap = seam_gap();
    if (body.flags & CORNERS) == 0u || abs(near.distance) > gap { return near; }
    let corner = corner_at(entries.x, entries.y, local - near.normal * near.distance, STEP * gap);
    if !corner.found { return near; }
    let offset = local - corner.point;
    let pose = pose_of(body, before);
    for (var k = 0u; k < 2u; k++) {
        var face = corner.one;
        var side = corner.other;
        if k == 1u {
            face = corner.other;
            side = corner.one;
        }
        let is_beyond = dot(side.normal, near.normal) > 1e-3 && dot(offset, face.along) > 0.0
            && dot(offset, face.normal) >= -STEP * gap;
        if is_beyond && is_seam(owner, pose, corner.point, face, class_index, before) {
            return Nearest(face.normal, dot(offset, face.normal));
        }
    }
    return near;
}

// The point where a path continues that has met a body in a seam: at the corner with the next face,
// above this face. It is in the frame of the body. `start` is the beginning of the path.
fn beyond_seam(hit: Hit, start: vec2f, class_index: u32) -> Found {
    let owner = body_of(hit.piece);
    let body = body_at(owner);
    let nowhere = Found(false, vec2f(0.0));
    if (body.flags & CORNERS) == 0u { return nowhere; }
    let gap = seam_gap();
    let entries = entries_of(owner, to_world(body.later, hit.point));
    let corner = corner_at(entries.x, entries.y, hit.point, STEP * gap);
    if !corner.found { return nowhere; }
    let offset = start - corner.point;
    for (var k = 0u; k < 2u; k++) {
        var face = corner.one;
        var side = corner.other;
        if k == 1u {
            face = corner.other;
            side = corner.one;
        }
        let is_met = dot(side.normal, hit.normal) > SAME && dot(face.normal, hit.normal) < SAME;
        if is_met && is_seam(owner, body.later, corner.point, face, class_index, false) {
            let from_beyond = dot(offset, face.normal) >= -STEP * gap && dot(offset, face.along) >= -body.slack;
            return Found(from_beyond, corner.point + face.normal * (CLEARANCE * body.slack));
        }
    }
    return nowhere;
}
