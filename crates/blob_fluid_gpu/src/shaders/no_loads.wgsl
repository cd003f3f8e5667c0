// `displace` calls `contain` only without measured loads, so this does nothing.
fn bear(body: Body, pose: vec4f, point: vec2f, given: vec2f) {}
