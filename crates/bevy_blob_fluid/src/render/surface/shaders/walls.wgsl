// Walls.

//# bevy_blob_fluid::walls
// The walls, and how the liquid meets them.

// Walls per row of their texture; see `extract.rs`.
const PER_ROW: u32 = 256u;
// Bits of a wall's kind.
const LINE: u32 = 1u;
const INNER_START: u32 = 2u;
const INNER_END: u32 = 4u;

struct Wall {
    start: vec2<f32>,
    end: vec2<f32>,
    half_thickness: f32,
    kind: u32,
}

// A wall in relation to a point.
struct NearWall {
    // Direction from the wall to the liquid.
    normal: vec2<f32>,
    // Distance from the wall, negative inside of it.
    distance: f32,
    // Depth inside of the wall up to which a particle counts as in front of it.
    slack: f32,
    // The wall with the least rank is the nearest to a point. Lines may cross, and a point inside
    // of one of them is inside of the wall.
    rank: f32,
}

fn wall_at(walls: texture_2d<f32>, index: u32) -> Wall {
    let place = vec2(i32(index % PER_ROW) * 2, i32(index / PER_ROW));
    let ends = textureLoad(walls, place, 0);
    let rest = textureLoad(walls, place + vec2(1, 0), 0);
    return Wall(ends.xy, ends.zw, rest.x, u32(rest.y));
}

// Number of walls in the texture, including the far-away walls that fill its last rows.
fn wall_count(walls: texture_2d<f32>) -> u32 {
    return textureDimensions(walls).y * PER_ROW;
}

// Whether a point is beyond the ends of a face, so that an adjacent face may be nearer.
fn is_beyond_end(near: NearWall) -> bool {
    return near.rank > abs(near.distance);
}

fn near_wall(wall: Wall, point: vec2<f32>, spacing: f32) -> NearWall {
    let way = wall.end - wall.start;
    let squared = max(dot(way, way), 1e-20);
    let away_from_start = point - wall.start;
    let along = dot(away_from_start, way) / squared;
    let offset = away_from_start - way * clamp(along, 0.0, 1.0);
    let distance = length(offset);
    let left = vec2(-way.y, way.x) * inverseSqrt(squared);
    var away = left;
    if distance > 1e-4 * spacing {
        away = offset / distance;
    }
    if (wall.kind & LINE) != 0u {
        let slack = min(0.05 * spacing, wall.half_thickness);
        let signed = distance - wall.half_thickness;
        return NearWall(away, signed, slack, signed);
    }
    // A face of nearly no length has only ends.
    if along >= 0.0 && along <= 1.0 && squared > 1e-12 * spacing * spacing {
        let height = dot(away_from_start, left);
        return NearWall(left, height, 0.05 * spacing, abs(height));
    }
    // Beyond an end: on the liquid's side of an outer corner, inside the solid of an inner one.
    let inner = (wall.kind & select(INNER_END, INNER_START, along < 0.0)) != 0u;
    let side = select(1.0, -1.0, inner);
    // Where walls meet, both are equally near except for rounding, and WebGL2 rounds more coarsely. A wall takes
    // precedence if the point is in front of it.
    let rank = distance + 0.05 * spacing;
    return NearWall(away * side, distance * side, 0.05 * spacing, rank);
}

// Whether the path from a point to a particle crosses a line, or enters a solid at a face.
fn is_crossed(wall: Wall, point: vec2<f32>, particle: vec2<f32>, spacing: f32) -> bool {
    let way = wall.end - wall.start;
    let extent = max(length(way), 1e-10);
    let along = way / extent;
    let left = vec2(-along.y, along.x);
    let at_point = dot(point - wall.start, left);
    let at_particle = dot(particle - wall.start, left);
    let slack = 0.05 * spacing;
    let is_line = (wall.kind & LINE) != 0u;
    // A particle may be a little inside of a face.
    if select(at_point <= 0.0 || at_particle >= -slack, at_point * at_particle >= 0.0, is_line) {
        return false;
    }
    let crossing = dot(mix(point, particle, at_point / (at_point - at_particle)) - wall.start, along);
    return crossing > -slack && crossing < extent + slack;
}

// Number of steps along an outline in the search for the nearest face.
const MOST_STEPS: i32 = 8;

// The face of an outline that is nearest to a point. Adjacent faces have consecutive indices, from 1. `first` is the
// index of a near face.
fn nearest_along(
    walls: texture_2d<f32>,
    first: u32,
    near_first: NearWall,
    point: vec2<f32>,
    spacing: f32,
) -> NearWall {
    let count = wall_count(walls);
    var best = first;
    var nearest = near_first;
    for (var step = 0; step < MOST_STEPS && is_beyond_end(nearest); step++) {
        let before = best;
        for (var index = max(before, 2u) - 1u; index <= min(before + 1u, count); index++) {
            let near = near_wall(wall_at(walls, index - 1u), point, spacing);
            if near.rank < nearest.rank {
                nearest = near;
                best = index;
            }
        }
        if best == before {
            break;
        }
    }
    return nearest;
}

// The fraction of a particle's weight that lies on one side of a straight wall at the given
// distance. The weight (1 - q^2)^3 has the profile (1 - q^2)^3.5. It is close to the mean of the
// profiles with the exponents 3 and 4. Deep inside of the wall, the distance is clamped, because
// the fraction is a divisor.
fn part_before_wall(distance: f32, radius: f32) -> f32 {
    let q = clamp(distance / radius, -0.4, 1.0);
    let s = q * q;
    let third = 1.09375 * (1.0 - s * (1.0 - s * (0.6 - s / 7.0)));
    let fourth = 1.2304688 * (1.0 - s * (4.0 / 3.0 - s * (1.2 - s * (4.0 / 7.0 - s / 9.0))));
    return 0.5 + 0.5 * q * (third + fourth);
}

// Whether a texel is solid, by the counts of the pass `solid`. A texel is about a particle spacing wide.
fn is_solid(counts: vec4<f32>, inside_out: u32, contained: u32) -> bool {
    let unit = 4.0 / 255.0;
    let colliders = (counts.x - counts.y) / unit + f32(inside_out);
    let containers = (counts.z - counts.w) / unit;
    return colliders > 0.5 || (contained != 0u && containers < 0.5);
}
