//! How liquid is lit: by depth, from above, at walls, by what it mirrors, and under a crust.

use bevy_blob_fluid::render::{
    FluidInstance, FluidInstances, FluidPalette, FluidRenderPlugin, FluidWall, FluidWalls,
};

use super::flat::{SPACING, body, flat, flat_app, lattice, mottled, set, surface};
use crate::app::*;
use crate::pictures::{at, shoot, spawn_camera};

/// The sum of a pixel's colours.
fn brightness(image: &Image, x: f32, y: f32) -> u32 {
    at(image, x, y).iter().map(|channel| u32::from(*channel)).sum()
}

/// A pool of the middle colour whose level surface is at a height, drawn with a look.
fn pool(look: FluidSurfaceLook, size: u32, level: f32) -> Option<(App, Handle<Image>)> {
    let mut app = flat_app(FluidRenderPlugin::default())?;
    let (_, picture) = spawn_camera(&mut app, size);
    let side = (size as f32 / SPACING) as i32;
    let particles = lattice(side, |place| place.y < level);
    set(&mut app, particles.map(|at| FluidInstance::new(at, at, 1, 3)));
    *surface(&mut app) = look.into();
    Some((app, picture))
}

#[test]
fn deep_liquid_tends_to_the_colour_of_the_deep() {
    let deep_blue = Color::srgb(0.0, 0.0, 1.0);
    let look = FluidSurfaceLook { depth_color: deep_blue, depth: 40.0, ..FluidSurfaceLook::FLAT };
    let Some((mut app, picture)) = pool(look, 512, 100.0) else { return };
    let image = shoot(&mut app, &picture);
    // Blue grows all the way down, 40 spacings deep, and without a step.
    let blues: Vec<i32> = (0..40)
        .map(|spacings| i32::from(at(&image, 0.0, 92.0 - spacings as f32 * SPACING)[2]))
        .collect();
    let rises = blues.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(rises.clone().all(|rise| (-2..40).contains(&rise)), "{blues:?}");
    assert!(blues[0] < 110 && blues[39] > 160 && blues[10] < blues[25] - 10, "{blues:?}");
    // A stream of a few particles keeps its own colour.
    let particles = lattice(30, |place| place.x.abs() < 1.5 * SPACING);
    set(&mut app, particles.map(|at| FluidInstance::new(at, at, 1, 3)));
    let stream = at(&shoot(&mut app, &picture), 0.0, 0.0);
    assert!(stream[1] > 225 && stream[2] < 110, "{stream:?}");
}

#[test]
fn light_comes_from_above() {
    let Some((mut app, picture)) = flat() else { return };
    let look = FluidSurfaceLook {
        rim_light: 1.0,
        sky_color: Color::srgba(1.0, 0.0, 0.0, 1.0),
        ..FluidSurfaceLook::FLAT
    };
    *surface(&mut app) = look.into();
    // Half as bright as it may be, so that no light is cut off.
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::srgb(0.0, 0.5, 0.0)]);
    set(&mut app, body(1, |place| place.abs().max_element() < 44.0));
    let image = shoot(&mut app, &picture);
    // The band is as wide as a spacing, has the colour of the sky, and lies where the surface faces up.
    let red = |x, y| at(&image, x, y)[0];
    let most = (36..48).map(|y| red(0.0, y as f32)).max();
    assert!(most > Some(150), "{most:?}");
    for (x, y) in [(0.0, 42.0 - 2.0 * SPACING), (42.0, 0.0), (-42.0, 0.0), (0.0, -42.0)] {
        assert!(red(x, y) < 40, "{} at {x}, {y}", red(x, y));
    }
    assert!(at(&image, 0.0, -42.0)[1] < at(&image, 0.0, 0.0)[1], "no shade below");
}

#[test]
fn liquid_is_darker_where_it_meets_a_wall_and_a_drop_hangs_there_round() {
    let Some(mut app) = flat_app(FluidRenderPlugin::default()) else { return };
    let (_, picture) = spawn_camera(&mut app, 128);
    *surface(&mut app) = FluidSurfaceLook { rim_light: 0.6, ..FluidSurfaceLook::FLAT }.into();
    // Liquid is on the left of a wall that runs upwards.
    let (start, end) = (Vec2::new(0.0, -200.0), Vec2::new(0.0, 200.0));
    app.resource_mut::<FluidWalls>().set([FluidWall::line(start, end, 0.5)]);
    set(&mut app, body(1, |place| place.x < -0.4 * SPACING));
    // Half as bright as it may be, so that no light is cut off.
    app.resource_mut::<FluidPalette>().set([Color::BLACK, Color::srgb(0.0, 0.5, 0.0)]);
    let image = shoot(&mut app, &picture);
    let [near, far] = [-1.5, -2.0 * SPACING].map(|x| brightness(&image, x, 0.0));
    assert!(near + 10 < far, "{near} {far}");
    // A drop that touches the wall is widest there, and narrows away from it.
    *surface(&mut app) = FluidSurfaceLook::FLAT.into();
    let drop = FluidInstance::new(Vec2::new(-1.0, 0.0), Vec2::new(-1.0, 0.0), 1, 3);
    app.resource_mut::<FluidInstances>().set([drop.with_looseness(1.0)], SPACING);
    let image = shoot(&mut app, &picture);
    let height = |x: f32| (-20..20).filter(|y| at(&image, x, *y as f32 + 0.5)[1] > 100).count();
    let heights = [-1.5, -3.5, -4.5].map(height);
    assert!(heights[0] > 5 && heights[0] > heights[2] + 1, "{heights:?}");
}

#[test]
fn metal_mirrors_a_bright_ceiling_and_a_dark_horizon() {
    let Some((mut app, picture)) = flat() else { return };
    *surface(&mut app) = FluidSurfaceLook::MERCURY.into();
    set(&mut app, body(1, |place| place.length() < 44.0));
    let image = shoot(&mut app, &picture);
    let [top, middle] = [36.0, -6.0].map(|y| brightness(&image, 0.0, y));
    assert!(top > middle + 150, "{top} {middle}");
}

#[test]
fn a_crust_covers_what_is_less_hot() {
    let Some((mut app, picture)) = flat() else { return };
    *surface(&mut app) = FluidSurfaceLook::LAVA.into();
    let mut covered = |heat| {
        let lava = mottled(1, Vec2::ZERO, |place| place.length() < 60.0).into_iter();
        set(&mut app, lava.map(|particle| particle.with_heat_and_foam(heat, 0.0)));
        let image = shoot(&mut app, &picture);
        let places = (-20..20).flat_map(|x| (-20..20).map(move |y| (x as f32, y as f32)));
        places.filter(|(x, y)| at(&image, *x, *y)[0] < 120).count()
    };
    let [hot, cooling, cool] = [1.0, 0.75, 0.45].map(&mut covered);
    assert_eq!(hot, 0);
    // The crust is broken where it begins to cover the lava.
    assert!(cooling > 50 && cool > cooling + 100, "{cooling} {cool} of 1600");
}

/// How much a picture of mottled liquid beside drops of other classes changes when all of it moves: seen from where it
/// moved to, and from where it was.
fn change_by_motion(half_floats: bool, others: &[u8], heat: f32, foam: f32) -> Option<[u32; 2]> {
    let mut app = flat_app(FluidRenderPlugin { half_floats, ..default() })?;
    let (_, picture) = spawn_camera(&mut app, 128);
    let foaming = FluidSurfaceLook { foam_color: Color::WHITE, ..FluidSurfaceLook::FLAT };
    *surface(&mut app) = if heat > 0.0 { FluidSurfaceLook::LAVA } else { foaming }.into();
    let shift = Vec2::new(9.0, -5.0);
    let [before, after] = [Vec2::ZERO, shift].map(|shift| {
        let liquid = mottled(1, shift, |place| place.length() < 52.0).into_iter();
        let drops = others.iter().map(|class| {
            let corner = Vec2::new(-60.0 + 24.0 * f32::from(*class), 62.0);
            FluidInstance::new(corner, corner, *class, 3)
        });
        let all = liquid.chain(drops).map(|particle| particle.with_heat_and_foam(heat, foam));
        set(&mut app, all.collect::<Vec<_>>());
        shoot(&mut app, &picture)
    });
    let seen_from = |shift: Vec2| {
        let places = (-24..24).flat_map(|x| (-24..24).map(move |y| Vec2::new(x as f32, y as f32)));
        let each = places.map(|place| {
            let there = place + shift;
            brightness(&before, place.x, place.y).abs_diff(brightness(&after, there.x, there.y))
        });
        each.sum::<u32>()
    };
    Some([shift, Vec2::ZERO].map(seen_from))
}

#[test]
fn patterns_of_foam_and_crust_move_with_the_liquid() {
    for half_floats in [true, false] {
        // One liquid, two, and so many that each has a tile.
        for others in [&[][..], &[0], &[0, 2, 3, 4]] {
            for (heat, foam) in [(0.75, 0.0), (0.0, 0.4)] {
                let Some([moved, stayed]) = change_by_motion(half_floats, others, heat, foam)
                else {
                    return;
                };
                // The field's texels stay where they are, so the pattern is not the same to the pixel.
                assert!(
                    moved * 2 < stayed,
                    "{moved} where it moved to and {stayed} where it was, with half floats: {half_floats}, beside \
                     {others:?}, heat {heat}, foam {foam}"
                );
            }
        }
    }
}
