// Air: smoke with light and shadow, fire, and colours of a scalar.

#import bevy_blob_fluid::output::for_target

struct Look {
    light_color: vec4<f32>,
    ambient: vec4<f32>,
    to_light: vec2<f32>,
    texel: vec2<f32>,
    thickness: f32,
    shadow: f32,
    fire: f32,
    shown: f32,
}

// The third group is that of a `Material2d`.
@group(2) @binding(0) var<uniform> look: Look;
@group(2) @binding(1) var smoke_texture: texture_2d<f32>;
@group(2) @binding(2) var smoke_sampler: sampler;
@group(2) @binding(3) var heat_texture: texture_2d<f32>;
@group(2) @binding(4) var heat_sampler: sampler;
@group(2) @binding(5) var glow_texture: texture_2d<f32>;
@group(2) @binding(6) var glow_sampler: sampler;
@group(2) @binding(7) var walls_texture: texture_2d<f32>;

const SHADOW_STEPS: i32 = 9;

// Positions and weight of four bilinear samples that replace a cubic B-spline.
struct Cubic {
    low: vec2<f32>,
    high: vec2<f32>,
    part: vec2<f32>,
}

fn cubic(uv: vec2<f32>) -> Cubic {
    let at = uv / look.texel - 0.5;
    let base = floor(at);
    let f = at - base;
    let g = 1.0 - f;
    let w0 = g * g * g / 6.0;
    let w1 = 2.0 / 3.0 - 0.5 * f * f * (2.0 - f);
    let w2 = 2.0 / 3.0 - 0.5 * g * g * (2.0 - g);
    let w3 = f * f * f / 6.0;
    let low = (base - 0.5 + w1 / (w0 + w1)) * look.texel;
    let high = (base + 1.5 + w3 / (w2 + w3)) * look.texel;
    return Cubic(low, high, w2 + w3);
}

// Content of both textures at a place, and the share of the surroundings that is not solid: one half at a straight wall.
struct Air {
    smoke: vec4<f32>,
    heat: vec4<f32>,
    open: f32,
}

fn air_at(x: f32, y: f32) -> Air {
    let uv = vec2(x, y);
    let heat = textureSampleLevel(heat_texture, heat_sampler, uv, 0.0);
    return Air(textureSampleLevel(smoke_texture, smoke_sampler, uv, 0.0), heat, heat.w);
}

fn mix_air(a: Air, b: Air, part: f32) -> Air {
    return Air(mix(a.smoke, b.smoke, part), mix(a.heat, b.heat, part), mix(a.open, b.open, part));
}

fn smooth_air(uv: vec2<f32>) -> Air {
    let c = cubic(uv);
    let lower = mix_air(air_at(c.low.x, c.low.y), air_at(c.high.x, c.low.y), c.part.x);
    let upper = mix_air(air_at(c.low.x, c.high.y), air_at(c.high.x, c.high.y), c.part.x);
    return mix_air(lower, upper, c.part.y);
}

// The texel of a cell, or of the nearest one.
fn cell(place: vec2<i32>) -> vec2<i32> {
    return clamp(place, vec2(0), vec2<i32>(textureDimensions(walls_texture)) - 1);
}

// The wall between a cell and the one on its left, or below, in cells. Its normal is 0 if there is none.
struct Wall {
    place: vec2<f32>,
    normal: vec2<f32>,
}

fn has_wall(place: vec2<i32>, below: bool) -> bool {
    let walls = textureLoad(walls_texture, cell(place), 0);
    return select(walls.x, walls.z, below) > 0.0;
}

fn wall_of(owner: vec2<i32>, below: bool) -> Wall {
    let walls = textureLoad(walls_texture, cell(owner), 0);
    let wall = select(walls.xy, walls.zw, below);
    let way = select(vec2(-1.0, 0.0), vec2(0.0, 1.0), below);
    let normal = vec2(cos(wall.y), sin(wall.y)) * select(0.0, 1.0, wall.x > 0.0);
    return Wall(vec2<f32>(owner) + 0.5 + wall.x * way, normal);
}

// Whether a cell's centre and `at` are on the same side of a wall.
fn on_one_side(centre: vec2<f32>, at: vec2<f32>, wall: Wall) -> bool {
    return (dot(centre - wall.place, wall.normal) > 0.0) == (dot(at - wall.place, wall.normal) > 0.0);
}

// The cell nearest to `at`, in cells, of the four around it whose centres are on the same side of the walls between them.
fn home_of(at: vec2<f32>) -> vec2<i32> {
    let corner = vec2<i32>(floor(at - 0.5));
    // The walls between the upper two cells, the lower two, the left two and the right two.
    var walls = array<Wall, 4>(
        wall_of(corner + vec2(1, 0), false),
        wall_of(corner + vec2(1, 1), false),
        wall_of(corner, true),
        wall_of(corner + vec2(1, 0), true),
    );
    var count = 0;
    var one = 0;
    var other = 0;
    for (var i = 0; i < 4; i++) {
        if dot(walls[i].normal, walls[i].normal) > 0.0 {
            count += 1;
            one = other;
            other = i;
        }
    }
    // A wall without a corner is a line through both places, so that it meets itself between the next four cells.
    if count == 2 && abs(dot(walls[one].normal, walls[other].normal)) > 0.9 {
        let line = walls[other].place - walls[one].place;
        walls[one].normal = vec2(-line.y, line.x);
        walls[other] = walls[one];
    }
    var home = vec2<i32>(floor(at));
    var nearest = 9.0;
    for (var i = 0; i < 4; i++) {
        let place = corner + vec2(i & 1, i >> 1u);
        let centre = vec2<f32>(place) + 0.5;
        let distance = length(at - centre);
        let beside = on_one_side(centre, at, walls[0]) && on_one_side(centre, at, walls[1])
            && on_one_side(centre, at, walls[2]) && on_one_side(centre, at, walls[3]);
        if beside && distance < nearest {
            nearest = distance;
            home = place;
        }
    }
    return home;
}

// As `smooth_air`, only from cells that air reaches from the cell at `at` within the reach of the spline.
fn air_beside_walls(uv: vec2<f32>) -> Air {
    let at = uv / look.texel;
    let first = vec2<i32>(floor(at - 0.5)) - 1;
    // A bit per cell of a block of four rows of four: those with a wall to the left, and below.
    var left = 0u;
    var below = 0u;
    var open = 0u;
    for (var i = 0u; i < 16u; i++) {
        let place = first + vec2(i32(i & 3u), i32(i >> 2u));
        left |= select(0u, 1u << i, has_wall(place, false));
        below |= select(0u, 1u << i, has_wall(place, true));
        open |= select(0u, 1u << i, textureLoad(heat_texture, cell(place), 0).w > 0.0);
    }
    let home = home_of(at) - first;
    var reached = (1u << u32(home.x + 4 * home.y)) & open;
    for (var i = 0; i < 6; i++) {
        reached |= ((reached & ~left & 0xeeeeu) >> 1u) & open;
        reached |= (reached << 1u) & ~left & 0xeeeeu & open;
        reached |= ((reached & ~below) << 4u) & 0xffffu & open;
        reached |= (reached >> 4u) & ~below & open;
    }
    if reached == 0u {
        return smooth_air(uv);
    }
    let f = fract(at - 0.5);
    let g = 1.0 - f;
    var weights = array<vec2<f32>, 4>(
        g * g * g / 6.0,
        2.0 / 3.0 - 0.5 * f * f * (2.0 - f),
        2.0 / 3.0 - 0.5 * g * g * (2.0 - g),
        f * f * f / 6.0,
    );
    var sum = Air(vec4(0.0), vec4(0.0), 0.0);
    var all = 0.0;
    var solid = 0.0;
    for (var i = 0u; i < 16u; i++) {
        let weight = weights[i & 3u].x * weights[i >> 2u].y;
        if (reached & (1u << i)) == 0u {
            solid += select(weight, 0.0, (open & (1u << i)) != 0u);
            continue;
        }
        let place = cell(first + vec2(i32(i & 3u), i32(i >> 2u)));
        sum.smoke += weight * textureLoad(smoke_texture, place, 0);
        sum.heat += weight * textureLoad(heat_texture, place, 0);
        all += weight;
    }
    return Air(sum.smoke / all, sum.heat / all, sum.heat.w / (all + solid));
}

fn air_seen(uv: vec2<f32>) -> Air {
    let place = cell(vec2<i32>(floor(uv / look.texel)));
    if textureLoad(walls_texture, place, 0).x == 0.0 {
        return smooth_air(uv);
    }
    return air_beside_walls(uv);
}

// Light of a flame by its heat: dark red, orange, yellow, nearly white.
fn flame(heat: f32) -> vec3<f32> {
    let t = clamp(heat, 0.0, 1.8);
    let red = smoothstep(0.1, 0.55, t);
    let green = smoothstep(0.15, 1.15, t);
    let blue = smoothstep(0.7, 1.8, t);
    return vec3(1.35 * red, 0.78 * green, 0.6 * blue * blue) * (0.25 + 0.8 * t);
}

// Blue, dark and red for -1, 0 and 1.
fn diverging(x: f32) -> vec3<f32> {
    let cold = mix(vec3(0.05, 0.28, 0.75), vec3(0.35, 0.8, 1.0), clamp(-2.0 * x - 1.0, 0.0, 1.0));
    let warm = mix(vec3(0.75, 0.1, 0.06), vec3(1.0, 0.72, 0.25), clamp(2.0 * x - 1.0, 0.0, 1.0));
    let dark = vec3(0.02, 0.025, 0.045);
    let side = select(warm, cold, x < 0.0);
    return mix(dark, side, clamp(2.0 * abs(x), 0.0, 1.0));
}

// From dark blue over green to yellow for 0 to 1.
fn sequential(x: f32) -> vec3<f32> {
    let a = vec3(0.03, 0.02, 0.12);
    let b = vec3(0.06, 0.22, 0.4);
    let c = vec3(0.1, 0.55, 0.42);
    let d = vec3(0.95, 0.85, 0.25);
    let low = mix(a, b, clamp(3.0 * x, 0.0, 1.0));
    let middle = mix(low, c, clamp(3.0 * x - 1.0, 0.0, 1.0));
    return mix(middle, d, clamp(3.0 * x - 2.0, 0.0, 1.0));
}

// The part of the output of Bevy's vertex shader of 2D meshes that is read here.
struct Vertex {
    @location(2) uv: vec2<f32>,
}

@fragment
fn fragment(in: Vertex) -> @location(0) vec4<f32> {
    // Width of a pixel, in cells.
    let pixel = length(fwidth(in.uv / look.texel));
    let air = air_seen(in.uv);
    let heat = air.heat;
    // Covered fraction of the pixel: air ends at walls.
    let open = clamp(0.5 + (air.open - 0.5) / max(pixel, 1e-3), 0.0, 1.0);
    // Cells without air hold no smoke, and would make smoke fade at walls.
    let share = max(heat.w, 0.15);
    let smoke = air.smoke / share;
    let density = max(smoke.w, 0.0) * look.thickness;

    // Optical depth of the smoke towards the light.
    var depth = 0.0;
    for (var i = 1; i <= SHADOW_STEPS; i++) {
        let uv = in.uv + look.to_light * (f32(i) - 0.5);
        depth += textureSampleLevel(smoke_texture, smoke_sampler, uv, 0.0).w;
    }
    let shade = 1.0 - look.shadow * (1.0 - exp(-0.22 * look.thickness * depth));

    // Light of flames in the surroundings.
    let glow = textureSampleLevel(glow_texture, glow_sampler, in.uv, 0.0).x * look.fire;

    let color = smoke.rgb / max(smoke.w, 1e-4);
    let light = look.ambient.rgb + look.light_color.rgb * shade + vec3(2.6, 1.0, 0.32) * glow;
    let opacity = 1.0 - exp(-density);

    // Fire adds light, and soot in front of it absorbs some.
    let hot = max(heat.x, 0.0) / share;
    var cover = vec4(color * light * 0.72 * (1.0 - 0.6 * clamp(hot, 0.0, 1.0)), opacity * open);
    var added = flame(hot) * smoothstep(0.08, 0.35, hot) * look.fire * open + vec3(0.2, 0.066, 0.016) * glow;

    if look.shown > 0.5 {
        let scalar = heat.z / share;
        let painted = select(sequential(scalar), diverging(scalar), look.shown < 1.5);
        let over = 0.55 * cover.a;
        let below = 0.92 * open * (1.0 - over);
        let alpha = over + below;
        cover = vec4((cover.rgb * over + painted * below) / max(alpha, 1e-4), alpha);
        added *= 0.55;
    }
    // The colours are converted to the target before they are multiplied by their opacity, as those of sprites. Light
    // added to the background adds nothing if it is 0.
    let covered = for_target(vec4(cover.rgb + added, 1.0)).rgb;
    let beside = for_target(vec4(added, 1.0)).rgb - for_target(vec4(0.0, 0.0, 0.0, 1.0)).rgb;
    return vec4(covered * cover.a + beside * (1.0 - cover.a), cover.a);
}
