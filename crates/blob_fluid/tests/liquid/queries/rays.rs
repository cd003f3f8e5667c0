//! Rays and discs that look for the surface.

use blob_fluid::shape::{FluidShape, scatter};
use blob_fluid::{ClassId, FluidWorld};
use glam::Vec2;

use super::{ALL, body, disc, spray};
use crate::pools::spacing;

#[test]
fn rays_meet_a_disc_from_every_side() {
    let centre = Vec2::new(-300.0, 120.0);
    let world = disc(100.0, centre);
    for number in 0..64 {
        let away = scatter(number + 40).normalize();
        let hit = world.cast_ray(centre + away * 300.0, -7.0 * away, 400.0, ALL).expect("a hit");
        assert!((hit.distance - 200.0).abs() < spacing(), "{hit:?}");
        assert!((world.density_at(hit.point) - 0.5).abs() < 0.01);
        assert!(hit.normal.dot(away) > 0.9 && hit.normal.is_normalized(), "{hit:?} {away}");
        assert!(hit.point.distance(centre + away * (300.0 - hit.distance)) < 0.01);
        let short = hit.distance - 0.1;
        assert_eq!(world.cast_ray(centre + away * 300.0, -away, short, ALL), None);
        let beside = centre + away * 300.0 + away.perp() * 130.0;
        assert_eq!(world.cast_ray(beside, -away, f32::INFINITY, ALL), None);
        assert_eq!(world.cast_ray(centre + away * 300.0, away, f32::INFINITY, ALL), None);
        let within = world.cast_ray(centre + away * 50.0, away, 400.0, ALL).expect("liquid");
        assert_eq!((within.distance, within.point), (0.0, centre + away * 50.0));
    }
}

#[test]
fn rays_pass_by_no_liquid_longer_than_their_steps() {
    let world = spray();
    let (step, mut hits) = (0.02 * spacing(), 0);
    for number in 0..100 {
        let (origin, towards) = (scatter(number) * 500.0, scatter(number + 700) * 300.0);
        let direction = (towards - origin).normalize();
        let is_liquid =
            |index: i32| world.density_at(origin + direction * (index as f32 * step)) >= 0.5;
        // The first point from which the liquid continues for more than a quarter of a spacing.
        let mut length = 0;
        let end = (0..2000).find(|index| {
            length = if is_liquid(*index) { length + 1 } else { 0 };
            length == 15
        });
        let longest = 2000.0 * step;
        let hit = world.cast_ray(origin, direction, longest, ALL);
        if let Some(end) = end {
            let distance = hit.map_or(f32::MAX, |hit| hit.distance);
            assert!(distance < (end - 14) as f32 * step + 0.01, "{hit:?} {end}");
        }
        if let Some(hit) = hit.filter(|hit| hit.distance > 0.0) {
            hits += 1;
            assert!((world.density_at(hit.point) - 0.5).abs() < 0.01, "{hit:?}");
        }
    }
    assert!(hits > 30, "{hits}");
}

#[test]
fn rays_look_for_the_classes_they_are_told_to() {
    let mut world = FluidWorld::default();
    let shape = FluidShape::Rectangle { half_size: Vec2::new(200.0, 60.0) };
    body(&mut world, &shape, Vec2::ZERO, 50.0);
    let cast = |classes| world.cast_ray(Vec2::new(-400.0, 0.0), Vec2::X, 900.0, classes);
    let first = cast(ALL).expect("a hit");
    assert!(first.class == ClassId::HEAVY && (first.point.x + 200.0).abs() < spacing());
    let light = cast(ClassId::LIGHT.into()).expect("a hit");
    assert!(light.class == ClassId::LIGHT && (light.point.x - 50.0).abs() < spacing());
    assert_eq!(cast(ClassId::MEDIUM.into()), None);
}

#[test]
fn a_disc_stops_at_the_first_particle_it_touches() {
    let world = spray();
    let particles = world.particles();
    let mut hits = 0;
    for number in 0..200 {
        let origin = scatter(number) * 900.0;
        let direction = scatter(number + 3000).normalize();
        let radius = 1.0 + (number % 7) as f32 * 5.0;
        let (reach, longest) = (radius + 0.5 * spacing(), 700.0);
        let meets = |position: &Vec2| {
            let offset = *position - origin;
            let (along, aside) = (offset.dot(direction), offset.perp_dot(direction).abs());
            if offset.length() <= reach {
                return Some(0.0);
            }
            (aside <= reach && along > 0.0).then(|| along - (reach * reach - aside * aside).sqrt())
        };
        let expected = particles.positions().iter().filter_map(meets).min_by(f32::total_cmp);
        let expected = expected.filter(|distance| *distance <= longest);
        let found = world.cast_circle(origin, direction * 3.0, radius, longest, ALL);
        assert_eq!(found.is_some(), expected.is_some(), "{found:?} {expected:?}");
        if let (Some(found), Some(expected)) = (found, expected) {
            hits += 1;
            assert!((found.distance - expected).abs() < 0.01, "{found:?} {expected}");
            let centre = origin + direction * found.distance;
            if expected > 0.0 {
                assert!((found.point.distance(centre) - radius).abs() < 0.01);
                assert!((found.point + found.normal * radius).distance(centre) < 0.01);
            }
        }
    }
    assert!(hits > 40 && hits < 200, "{hits}");
}
