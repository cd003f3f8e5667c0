// `displace` contains only where no load is measured.
fn bear(body: Body, pose: vec4f, point: vec2f, given: vec2f) {}
