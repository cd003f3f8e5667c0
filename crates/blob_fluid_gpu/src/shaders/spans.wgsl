// The candidates of a particle: one span of consecutive particles in each row of cells.

// Largest number of candidates that are visited without a check for particles that do not interact.
// Those are so far away that a visit changes nothing. So only long spans need to skip the remaining
// particles of a crowded cell.
const RUN: u32 = 64u;

struct Rows { first: i32, last: i32 }

// Slightly more than h, so that rounding loses no neighbour.
fn reach() -> f32 { return params.interaction_radius * 1.0001; }

fn rows_near(p: vec2f) -> Rows {
    return Rows(row_of(p.y - reach()), row_of(p.y + reach()));
}

// Spans are narrower in rows far above or below.
fn span_of(p: vec2f, row: i32) -> vec2u {
    let height = 1.0 / params.per_cell.y;
    let low = params.low.y + f32(row) * height;
    // The outermost rows also hold particles beyond them.
    let y = clamp(p.y, params.low.y, params.high.y);
    let apart = max(max(low - y, y - low - height), 0.0);
    let half = sqrt(max(reach() * reach() - apart * apart, 0.0)) + 1e-3 * params.interaction_radius;
    let first = u32(row) * params.columns;
    let from_cell = first + u32(column_of(p.x - half));
    let to_cell = first + u32(column_of(p.x + half));
    return vec2u(starts[from_cell], starts[to_cell + 1u]);
}

// The next candidates, from `at` on, of a span that ends at `end`.
fn run_of(at: u32, end: u32) -> vec2u {
    if end - at <= RUN { return vec2u(at, end); }
    let first = positions[at];
    var from_here = at;
    if is_alone(first) { from_here += 1u + u32(first.y); }
    return vec2u(from_here, min(from_here + RUN, end));
}
