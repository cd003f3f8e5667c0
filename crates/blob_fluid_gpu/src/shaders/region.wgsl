// Regions: a shape with a pose. From the index of a region on, `regions` contains:
// - its kind, the index and the number of further entries, the depth at which a force has full strength;
// - its centre, the direction of its own x axis;
// - the corners of a box around it;
// - four sizes.
// Further entries are edges (both ends), or four pixels each.

const EVERYWHERE: u32 = 0u;
const CIRCLE: u32 = 1u;
const RECTANGLE: u32 = 2u;
const CAPSULE: u32 = 3u;
const HALF_PLANE: u32 = 4u;
const POLYGON: u32 = 5u;
const POLYLINE: u32 = 6u;
const PIXELS: u32 = 7u;

// Number of entries of a region, before those of its force, drain or sensor.
const REGION: u32 = 4u;

fn numbers(index: u32) -> vec4f { return bitcast<vec4f>(regions[index]); }

fn to_region(at: u32, p: vec2f) -> vec2f {
    let pose = numbers(at + 1u);
    let offset = p - pose.xy;
    return vec2f(dot(offset, pose.zw), dot(offset, vec2f(-pose.w, pose.z)));
}

// Distance to the nearest edge.
fn edge_distance(first: u32, count: u32, p: vec2f) -> f32 {
    var squared = 3e38;
    for (var k = 0u; k < count; k++) {
        let edge = numbers(first + k);
        let way = edge.zw - edge.xy;
        let along = clamp(dot(p - edge.xy, way) / dot(way, way), 0.0, 1.0);
        let apart = p - (edge.xy + way * along);
        squared = min(squared, dot(apart, apart));
    }
    return sqrt(squared);
}

// Whether an odd number of edges is to the right.
fn enclosed(first: u32, count: u32, p: vec2f) -> bool {
    var inside = false;
    for (var k = 0u; k < count; k++) {
        let edge = numbers(first + k);
        if (edge.y > p.y) != (edge.w > p.y) {
            let along = (p.y - edge.y) / (edge.w - edge.y);
            inside = inside != (p.x < edge.x + (edge.z - edge.x) * along);
        }
    }
    return inside;
}

fn pixel(first: u32, index: u32) -> f32 { return bitcast<f32>(regions[first + index / 4u][index % 4u]); }

// Distances are interpolated between the centres of pixels, and continued beyond them.
fn pixel_distance(at: u32, p: vec2f) -> f32 {
    let first = regions[at].y;
    let size = numbers(at + 3u).xy;
    let pixels = regions[at + 3u].zw;
    let half_size = 0.5 * (vec2f(pixels) - 1.0) * size;
    let inner = clamp(p, -half_size, half_size);
    let position = (inner + half_size) / size;
    let lowest = min(vec2u(position), pixels - 2u);
    let part = position - vec2f(lowest);
    let index = lowest.y * pixels.x + lowest.x;
    let above = index + pixels.x;
    let low = mix(pixel(first, index), pixel(first, index + 1u), part.x);
    let high = mix(pixel(first, above), pixel(first, above + 1u), part.x);
    return mix(low, high, part.y) + length(p - inner);
}

// Distance of a point, in the region's own coordinates, to its edge; negative inside.
fn region_distance(at: u32, p: vec2f) -> f32 {
    let head = regions[at];
    let size = numbers(at + 3u);
    switch head.x {
        case CIRCLE: { return length(p) - size.x; }
        case RECTANGLE: {
            let over = abs(p) - size.xy;
            return length(max(over, vec2f(0.0))) + min(max(over.x, over.y), 0.0);
        }
        case CAPSULE: {
            return length(p - vec2f(0.0, clamp(p.y, -size.x, size.x))) - size.y;
        }
        case HALF_PLANE: { return dot(p, size.xy); }
        case POLYGON: {
            let distance = edge_distance(head.y, head.z, p);
            return select(distance, -distance, enclosed(head.y, head.z, p));
        }
        case POLYLINE: { return edge_distance(head.y, head.z, p) - size.x; }
        case PIXELS: { return pixel_distance(at, p); }
        default: { return -3e38; }
    }
}

fn region_contains(at: u32, p: vec2f) -> bool {
    let kind = regions[at].x;
    if kind == EVERYWHERE { return true; }
    let around = numbers(at + 2u);
    if any(p < around.xy) || any(p > around.zw) { return false; }
    let local = to_region(at, p);
    if kind == POLYGON { return enclosed(regions[at].y, regions[at].z, local); }
    return region_distance(at, local) <= 0.0;
}

// Whether the set of classes at an index, of two entries, contains a class.
fn has_class(at: u32, class_index: u32) -> bool {
    let words = regions[at + class_index / 128u];
    return ((words[(class_index / 32u) % 4u] >> (class_index % 32u)) & 1u) == 1u;
}
