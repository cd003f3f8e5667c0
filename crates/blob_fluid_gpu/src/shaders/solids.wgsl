// Colliders, as passes read them.

//# solids
// Colliders: pieces in the frame of a body that moves from one pose to another in a substep.
// solids/layout.rs declares the layout of `solids`. It has two tables: of standing bodies, and of
// the others.

// Whether solids exist. Otherwise the compiler removes the code.
override SOLIDS: bool = true;

const NONE: u32 = 0xffffffffu;

// Kinds of pieces: an edge without thickness, whose left side is free; a bar with round ends; and a
// half plane, free in the direction of its normal. The radius of a half plane is the height of the
// body's centre above it.
const KIND: u32 = 3u;
const EDGE: u32 = 0u;
const BAR: u32 = 1u;
const PLANE: u32 = 2u;
// Both sides of an edge are free.
const TWO_SIDED: u32 = 4u;
// The body bends to its free side (a concave corner) at the start or at the end of an edge.
const HOLLOW_START: u32 = 8u;
const HOLLOW_END: u32 = 16u;
// Another collider lies beyond the edge.
const COVERED: u32 = 32u;
// Flags of bodies: a membrane; solid outside and free inside; a line, which has no inside.
const ONE_WAY: u32 = 1u;
const INSIDE_OUT: u32 = 2u;
const LINE: u32 = 4u;
// A container: its walls are parts of one shape, and it moves particles beyond it back at once.
const HOLDS: u32 = 8u;
// CORNERS: other colliders may continue at its corners. FACES: its flat faces may form concave corners.
const CORNERS: u32 = 16u;
const FACES: u32 = 32u;

// Largest number of bins that are visited on a path.
const MOST_BINS: u32 = 4096u;

struct Table {
    low: vec2f,
    per_bin: f32,
    columns: u32,
    rows: u32,
    // First word of the bins' starts; and the entries without bins, which act everywhere: half
    // planes, and small containers.
    starts: u32,
    everywhere: u32,
    everywhere_end: u32,
}

struct Body {
    // Centre, cosine and sine.
    earlier: vec4f,
    later: vec4f,
    // Velocity, angular velocity, and the distance of the farthest corner.
    motion: vec4f,
    slack: f32,
    fade_in: f32,
    wall: u32,
    flags: u32,
}

struct Piece { ends: vec4f, body: u32, kind: u32, radius: f32 }

fn word(at: u32) -> u32 { return solids[at >> 2u][at & 3u]; }

fn table_at(number: u32) -> Table {
    let place = solids[3u * number];
    let size = solids[3u * number + 1u];
    let everywhere = solids[3u * number + 2u];
    return Table(bitcast<vec2f>(place.xy), bitcast<f32>(place.z), size.x, size.y, size.z, everywhere.x, everywhere.y);
}

// The entries of the bin around a point: all pieces within h of it, body by body.
fn entries_at(table: Table, p: vec2f) -> vec2u {
    let at = (p - table.low) * table.per_bin;
    if !(at.x >= 0.0 && at.y >= 0.0 && at.x < f32(table.columns) && at.y < f32(table.rows)) {
        return vec2u(0u);
    }
    let bin = min(u32(at.y), table.rows - 1u) * table.columns + min(u32(at.x), table.columns - 1u);
    return vec2u(word(table.starts + bin), word(table.starts + bin + 1u));
}

// The entries of a body in the bin around a point, or of a body that acts everywhere.
fn entries_of(owner: u32, p: vec2f) -> vec2u {
    for (var number = 0u; number < 4u; number++) {
        let table = table_at(number >> 1u);
        var range = vec2u(table.everywhere, table.everywhere_end);
        if (number & 1u) != 0u { range = entries_at(table, p); }
        for (var first = range.x; first < range.y; first++) {
            if body_of(word(first)) != owner { continue; }
            let end = end_of_body(first, range.y);
            return vec2u(first, end);
        }
    }
    return vec2u(0u);
}

// The part of the path from p to q over the bins, as two fractions of the path.
fn part_over(table: Table, p: vec2f, q: vec2f) -> vec2f {
    let high = table.low + vec2f(f32(table.columns), f32(table.rows)) / table.per_bin;
    let way = q - p;
    var part = vec2f(0.0, 1.0);
    for (var axis = 0u; axis < 2u; axis++) {
        if abs(way[axis]) < 1e-30 { continue; }
        let one = (table.low[axis] - p[axis]) / way[axis];
        let other = (high[axis] - p[axis]) / way[axis];
        part = vec2f(max(part.x, min(one, other)), min(part.y, max(one, other)));
    }
    return part;
}

fn body_at(address: u32) -> Body {
    let last = solids[address + 3u];
    return Body(bitcast<vec4f>(solids[address]), bitcast<vec4f>(solids[address + 1u]),
        bitcast<vec4f>(solids[address + 2u]), bitcast<f32>(last.x), bitcast<f32>(last.y), last.z, last.w);
}

fn body_of(piece: u32) -> u32 { return solids[piece + 1u].x; }

// The end of the entries, before `limit`, whose pieces belong to the same body as the first one.
fn end_of_body(first: u32, limit: u32) -> u32 {
    let body = body_of(word(first));
    var end = first + 1u;
    while end < limit && body_of(word(end)) == body { end++; }
    return end;
}

fn piece_at(address: u32) -> Piece {
    let last = solids[address + 1u];
    return Piece(bitcast<vec4f>(solids[address]), last.x, last.y, bitcast<f32>(last.z));
}

fn stops(body: Body, class_index: u32) -> bool {
    let bits = solids[body.wall + 2u + (class_index >> 7u)][(class_index >> 5u) & 3u];
    return ((bits >> (class_index & 31u)) & 1u) != 0u;
}

fn turned(pose: vec4f, local: vec2f) -> vec2f {
    return vec2f(pose.z * local.x - pose.w * local.y, pose.w * local.x + pose.z * local.y);
}

fn turned_back(pose: vec4f, way: vec2f) -> vec2f {
    return vec2f(pose.z * way.x + pose.w * way.y, pose.z * way.y - pose.w * way.x);
}

fn to_local(pose: vec4f, p: vec2f) -> vec2f { return turned_back(pose, p - pose.xy); }

fn to_world(pose: vec4f, local: vec2f) -> vec2f { return pose.xy + turned(pose, local); }

// V + w x r. A point far beyond the wall does not lengthen the lever.
fn wall_velocity(body: Body, pose: vec4f, p: vec2f, distance: f32) -> vec2f {
    let farthest = 1.1 * (body.motion.w + max(distance, 0.0));
    var lever = p - pose.xy;
    let long = length(lever);
    if long > farthest { lever *= farthest / long; }
    return body.motion.xy + body.motion.z * vec2f(-lever.y, lever.x);
}

// The nearest point of a body: the unit normal there, to the free side, and the distance, negative
// inside the solid.
struct Nearest { normal: vec2f, distance: f32 }

// The nearest of the pieces of one body. They are the entries from `first` to `end`, without pieces
// that have the flag `without`. The distance is 1e30 if no piece is left.
fn nearest_but(first: u32, end: u32, flags: u32, p: vec2f, without: u32) -> Nearest {
    var best = 1e30;
    var found = Nearest(vec2f(0.0, 1.0), 1e30);
    for (var entry = first; entry < end; entry++) {
        let piece = piece_at(word(entry));
        let kind = piece.kind & KIND;
        if (piece.kind & without) != 0u { continue; }
        if kind == PLANE {
            found = Nearest(piece.ends.xy, dot(piece.ends.xy, p) + piece.radius);
            continue;
        }
        let a = piece.ends.xy;
        let e = piece.ends.zw - a;
        let squared = dot(e, e);
        var along = 0.0;
        if squared > 0.0 { along = dot(p - a, e) / squared; }
        let offset = p - a - e * clamp(along, 0.0, 1.0);
        let apart = length(offset);
        let beside = squared > 0.0 && along >= 0.0 && along <= 1.0;
        let left = select(vec2f(1.0, 0.0), vec2f(-e.y, e.x) / sqrt(squared), squared > 0.0);
        let side = select(-1.0, 1.0, dot(offset, left) >= 0.0);
        let away = select(select(left * side, offset / apart, apart > 0.0), left * side, beside);
        if kind == BAR {
            if apart - piece.radius < best {
                best = apart - piece.radius;
                let sign = select(1.0, -1.0, (flags & INSIDE_OUT) != 0u);
                found = Nearest(away * sign, best * sign);
            }
        } else if apart < best {
            best = apart;
            var sign = side;
            if (piece.kind & TWO_SIDED) != 0u { sign = 1.0; }
            else if !beside {
                let corner = select(HOLLOW_END, HOLLOW_START, along < 0.0);
                sign = select(1.0, -1.0, (piece.kind & corner) != 0u);
            }
            found = Nearest(away * sign, apart * sign);
        }
    }
    return found;
}

fn nearest_of(first: u32, end: u32, flags: u32, p: vec2f) -> Nearest {
    return nearest_but(first, end, flags, p, 0u);
}

// The point where a path meets a piece, in the frame of its body: the fraction of the path, 2 for
// no contact; the unit normal to the free side, and the point of the surface.
struct Hit { time: f32, piece: u32, normal: vec2f, point: vec2f }

fn no_hit() -> Hit { return Hit(2.0, NONE, vec2f(0.0), vec2f(0.0)); }

fn meet_straight(ends: vec4f, half: f32, two_sided: bool, slack: f32, start: vec2f, end: vec2f) -> Hit {
    let a = ends.xy;
    let e = ends.zw - a;
    let long = length(e);
    if long == 0.0 { return no_hit(); }
    let along = e / long;
    var normal = vec2f(-along.y, along.x);
    var height = dot(start - a, normal);
    if two_sided {
        if height < 0.0 { normal = -normal; height = -height; }
    } else if height < -0.5 * slack {
        return no_hit();
    }
    let end_height = dot(end - a, normal);
    // A path does not end closer than the slack, so that the next one certainly begins on the same side.
    let nearest = max(half, slack);
    if end_height >= nearest || end_height >= height { return no_hit(); }
    for (var k = 0u; k < 2u; k++) {
        let thickness = select(half, nearest, k == 0u);
        let time = clamp((height - thickness) / (height - end_height), 0.0, 1.0);
        let foot = dot(start + (end - start) * time - a, along);
        if foot >= -slack && foot <= long + slack {
            return Hit(time, 0u, normal, a + along * foot + normal * half);
        }
    }
    return no_hit();
}

fn meet_cap(cap: vec2f, radius: f32, start: vec2f, end: vec2f) -> Hit {
    let at = start - cap;
    let way = end - start;
    let towards = -dot(at, way);
    let squared = dot(way, way);
    let root = towards * towards - squared * (dot(at, at) - radius * radius);
    if towards <= 0.0 || root <= 0.0 { return no_hit(); }
    let time = max((towards - sqrt(root)) / squared, 0.0);
    if time > 1.0 { return no_hit(); }
    let reached = at + way * time;
    let long = length(reached);
    let normal = select(vec2f(0.0, 1.0), reached / long, long > 0.0);
    return Hit(time, 0u, normal, cap + normal * radius);
}

fn meet_piece(address: u32, body: Body, start: vec2f, end: vec2f) -> Hit {
    let piece = piece_at(address);
    let slack = body.slack;
    var hit = no_hit();
    let kind = piece.kind & KIND;
    if kind == EDGE {
        hit = meet_straight(piece.ends, 0.0, (piece.kind & TWO_SIDED) != 0u, slack, start, end);
    } else if kind == PLANE {
        let normal = piece.ends.xy;
        let height = dot(start, normal) + piece.radius;
        let end_height = dot(end, normal) + piece.radius;
        if height >= -slack && end_height < slack && end_height < height {
            hit = Hit(clamp(height / (height - end_height), 0.0, 1.0), 0u, normal, end - normal * end_height);
        }
    } else if (body.flags & INSIDE_OUT) != 0u {
        let before = bar_distance(piece, start);
        let after = bar_distance(piece, end);
        if after > -slack && after > before && before <= slack {
            let a = piece.ends.xy;
            let e = piece.ends.zw - a;
            let squared = dot(e, e);
            let foot = a + e * select(0.0, clamp(dot(end - a, e) / squared, 0.0, 1.0), squared > 0.0);
            let normal = -normalize(end - foot);
            hit = Hit(clamp(before / (before - after), 0.0, 1.0), 0u, normal, foot - normal * piece.radius);
        }
    } else {
        let line = (body.flags & LINE) != 0u;
        if !line && bar_distance(piece, start) < -slack { return hit; }
        let e = piece.ends.zw - piece.ends.xy;
        let at = start - piece.ends.xy;
        if line && (body.flags & ONE_WAY) != 0u && e.x * at.y - e.y * at.x < 0.0 { return hit; }
        hit = meet_straight(piece.ends, piece.radius, true, slack, start, end);
        let one = meet_cap(piece.ends.xy, piece.radius, start, end);
        if one.time < hit.time { hit = one; }
        let other = meet_cap(piece.ends.zw, piece.radius, start, end);
        if other.time < hit.time { hit = other; }
    }
    hit.piece = address;
    return hit;
}

fn bar_distance(piece: Piece, p: vec2f) -> f32 {
    let a = piece.ends.xy;
    let e = piece.ends.zw - a;
    let squared = dot(e, e);
    let along = select(0.0, clamp(dot(p - a, e) / squared, 0.0, 1.0), squared > 0.0);
    return length(p - a - e * along) - piece.radius;
}

// The first piece that the path from p to q meets. With `moving`, bodies move from pose to pose.
// The earliest and then the lowest piece wins, so the order in a bin does not matter. In the frame
// of the body `beyond` the path begins at `from_there`.
fn first_hit(p: vec2f, q: vec2f, class_index: u32, moving: bool, beyond: u32, from_there: vec2f) -> Hit {
    var hit = no_hit();
    for (var number = 0u; number < 2u; number++) {
        let table = table_at(number);
        var bins = 0u;
        var part = vec2f(0.0);
        if table.columns > 0u {
            part = part_over(table, p, q);
            if part.x <= part.y {
                let long = length(q - p) * (part.y - part.x) * params.inverse_radius;
                bins = u32(clamp(ceil(long), 1.0, f32(MOST_BINS)));
            }
        }
        // Pieces that act everywhere come last.
        for (var k = 0u; k <= bins; k++) {
            var range = vec2u(table.everywhere, table.everywhere_end);
            if k < bins {
                let time = part.x + (part.y - part.x) * ((f32(k) + 0.5) / f32(bins));
                range = entries_at(table, p + (q - p) * time);
            }
            var known = NONE;
            var stopping = false;
            var body: Body;
            var start: vec2f;
            var end: vec2f;
            for (var entry = range.x; entry < range.y; entry++) {
                let address = word(entry);
                let owner = body_of(address);
                if owner != known {
                    known = owner;
                    body = body_at(owner);
                    stopping = stops(body, class_index);
                    start = to_local(select(body.later, body.earlier, moving), p);
                    if owner == beyond { start = from_there; }
                    end = to_local(body.later, q);
                }
                if !stopping { continue; }
                let found = meet_piece(address, body, start, end);
                if found.time < hit.time || (found.time == hit.time && found.piece < hit.piece) { hit = found; }
            }
        }
    }
    if hit.time > 1.0 { hit.piece = NONE; }
    return hit;
}
