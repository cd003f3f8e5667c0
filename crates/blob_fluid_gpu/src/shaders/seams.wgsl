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
