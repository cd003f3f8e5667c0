//! The surface of a liquid as it is drawn.

use std::f32::consts::FRAC_PI_4;

use blob_fluid::FluidWorld;
use glam::Vec2;

/// With the defaults of the plugin's `FluidSurface`, the surface is where the sum of the weights
/// `(1 - (r/R)^2)^3` passes this part of what it is inside of the liquid. `R` is in spacings.
const THRESHOLD: f32 = 0.34;
const SMOOTHING: f32 = 2.2;

/// Height of the drawn surface, averaged over these places, from above a height that no liquid
/// reaches.
pub fn drawn_surface(world: &FluidWorld, top: f32, places: impl Iterator<Item = f32>) -> f32 {
    let spacing = world.parameters().particle_spacing;
    let radius = SMOOTHING * spacing;
    // Particles at rest lie in a hexagonal lattice.
    let weight = 0.75_f32.sqrt() / (FRAC_PI_4 * SMOOTHING * SMOOTHING);
    let (mut sum, mut count) = (0.0, 0.0);
    for x in places {
        let is_near = |at: &&Vec2| (at.x - x).abs() < radius;
        let near: Vec<Vec2> =
            world.particles().positions().iter().filter(is_near).copied().collect();
        let field = |y: f32| -> f32 {
            let part = |at: &Vec2| {
                let part = 1.0 - at.distance_squared(Vec2::new(x, y)) / (radius * radius);
                part.max(0.0)
            };
            near.iter().map(|at| weight * part(at) * part(at) * part(at)).sum()
        };
        let heights = (0..).map(|step| top - 0.02 * spacing * step as f32);
        sum += heights.take_while(|y| field(*y) < THRESHOLD).last().expect("above the liquid");
        count += 1.0;
    }
    sum / count
}
