//! Counts steps of work, in tests of this crate only. Unlike times, the counts do not depend on the
//! load of the machine.

use std::cmp::Ordering;

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Adds to the count of this thread.
#[inline(always)]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.set(STEPS.get() + steps as u64);
    #[cfg(not(test))]
    let _ = steps;
}

/// A key of a map or a set. Each comparison counts as a step.
#[derive(Clone, Debug)]
pub(crate) struct Counted<T>(pub T);

impl<T: Ord> PartialEq for Counted<T> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Ord> Eq for Counted<T> {}

impl<T: Ord> PartialOrd for Counted<T> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Counted<T> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        count(1);
        self.0.cmp(&other.0)
    }
}

/// Allows lookups by `str`, which are not counted.
#[cfg(feature = "snapshot")]
impl std::borrow::Borrow<str> for Counted<std::sync::Arc<str>> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
#[cfg(feature = "snapshot")]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::geometry::shape::{DistanceField, Polygon, Polyline};
    use crate::{
        BlobTracker, BlobTracking, Body, ClassId, ClassPair, ClassTable, Collider, ColliderOptions,
        Container, DensityClass, FluidParameters, FluidPass, FluidShape, FluidWorld, Motion,
        ParticleSpawn, SerialExecutor, SnapshotFile, SplashDetector, TileImpact,
    };

    fn steps_of(work: impl FnOnce()) -> u64 {
        let before = STEPS.get();
        work();
        STEPS.get() - before
    }

    /// Fails if ten times the input takes more than twenty times the steps. Quadratic work takes a
    /// hundred times the steps.
    fn assert_grows_evenly(what: &str, few: usize, work: impl Fn(usize)) {
        let (short, long) = (steps_of(|| work(few)), steps_of(|| work(10 * few)));
        assert!(short >= few as u64, "{what}: {short} steps for {few} are not all");
        assert!(
            long <= 20 * short,
            "{what}: {short} steps for {few}, {long} for ten times as many"
        );
    }

    #[test]
    fn entries_of_a_file() {
        let file = |count: usize| {
            let mut file = SnapshotFile::default();
            for number in 0..count {
                file.insert_bytes(&number.to_string(), &[]).expect("new");
            }
            file
        };
        assert_grows_evenly("entries that are added", 500, |count| drop(file(count)));
        let files = [500, 5000].map(|count| (count, file(count).to_bytes()));
        assert_grows_evenly("entries that are read", 500, |count| {
            let (_, bytes) =
                files.iter().find(|(entries, _)| *entries == count).expect("one of both");
            SnapshotFile::from_bytes(bytes).expect("valid");
        });
    }

    fn triangle(x: f32, size: f32) -> Vec<Vec2> {
        vec![Vec2::new(x, 0.0), Vec2::new(x + size, 0.0), Vec2::new(x, size)]
    }

    fn square(half: f32) -> Vec<Vec2> {
        let signs = [Vec2::ONE, Vec2::new(-1.0, 1.0), -Vec2::ONE, Vec2::new(1.0, -1.0)];
        signs.map(|sign| sign * half).to_vec()
    }

    fn diamond(half: f32) -> Vec<Vec2> {
        [Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y].map(|way| way * half).to_vec()
    }

    /// A comb-shaped ring with `teeth` teeth, below y = 0.
    fn comb(teeth: usize) -> Vec<Vec2> {
        let tooth = |number: usize| {
            let x = number as f32;
            [Vec2::new(x, 0.0), Vec2::new(x + 0.5, -1.0)]
        };
        let below = [Vec2::new(teeth as f32, -2.0), Vec2::new(0.0, -2.0)];
        (0..teeth).flat_map(tooth).chain(below).collect()
    }

    #[test]
    fn rings_of_a_polygon() {
        let numbers = |count: usize| (0..count).map(|number| number as f32);
        let kinds: [(&str, fn(f32) -> Vec<Vec2>); 4] = [
            ("beside each other", |number| triangle(number, 0.5)),
            ("with a common corner", |number| triangle(0.0, 1.0 + number)),
            ("squares in each other", |number| square(1.0 + number)),
            ("diamonds in each other", |number| diamond(1.0 + number)),
        ];
        for (kind, ring) in kinds {
            let rings = |count: usize| numbers(count).map(ring);
            let polygon = |count: usize| {
                FluidShape::Polygon(Polygon::with_holes(rings(count)).expect("valid"))
            };
            assert_grows_evenly(&format!("a collider of rings {kind}"), 1500, |count| {
                let mut world = FluidWorld::default();
                let collider = Collider::new(polygon(count), Vec2::ZERO, Vec2::X).expect("valid");
                world.insert_collider(collider);
                let bytes = world.to_bytes().expect("between two ticks");
                FluidWorld::from_bytes(&bytes).expect("valid");
            });
            assert_grows_evenly(&format!("outlines of rings {kind}"), 1500, |count| {
                assert_eq!(polygon(count).outlines().concat().len(), count);
            });
            assert_grows_evenly(&format!("the area of rings {kind}"), 1500, |count| {
                assert!(polygon(count).area() > 0.1 * count as f32);
            });
            assert_grows_evenly(&format!("contours {kind}"), 1500, |count| {
                assert!(!Polygon::from_contours(rings(count)).expect("valid").rings().is_empty());
            });
        }
        // The ray of each triangle meets all teeth of the comb.
        assert_grows_evenly("rings beside a comb", 1500, |count| {
            let rings = numbers(count).map(|number| {
                triangle(-2.0 - number, 0.5).iter().map(|corner| *corner - Vec2::Y).collect()
            });
            let rings: Vec<Vec<Vec2>> = rings.chain([comb(count)]).collect();
            Polygon::from_contours(rings).expect("valid");
        });
    }

    #[test]
    fn points_of_a_line() {
        assert_grows_evenly("a line", 3000, |count| {
            let points = (0..count).map(|number| Vec2::new(number as f32, (number % 7) as f32));
            let line = FluidShape::Polyline(Polyline::new(points, 1.0).expect("valid"));
            let mut world = FluidWorld::default();
            world.insert_collider(Collider::new(line, Vec2::ZERO, Vec2::X).expect("valid"));
        });
    }

    /// A table of `classes` classes with all their pairs.
    fn table(classes: usize) -> ClassTable {
        let class = |number: usize| DensityClass { name: number.to_string(), ..Default::default() };
        let pair =
            |(one, other): (usize, usize)| ClassPair::new(&one.to_string(), &other.to_string());
        let pairs = (0..classes).flat_map(|one| (0..one).map(move |other| (one, other)));
        let table =
            ClassTable::with_pairs((0..classes).map(class).collect(), pairs.map(pair).collect());
        table.expect("valid")
    }

    /// Ten times the number of pairs belongs to 3.16 times the number of classes.
    #[test]
    fn pairs_of_classes() {
        let classes = |pairs: usize| (2.0 * pairs as f32).sqrt() as usize + 1;
        assert_grows_evenly("pairs of classes", 2000, |pairs| drop(table(classes(pairs))));
        let read = [2000, 20_000].map(|pairs| {
            let mut world = FluidWorld::default();
            world.set_classes(table(classes(pairs))).expect("unused");
            (pairs, world.to_bytes().expect("between two ticks"))
        });
        assert_grows_evenly("pairs of classes that are read", 2000, |count| {
            let (_, bytes) = read.iter().find(|(pairs, _)| *pairs == count).expect("one of both");
            FluidWorld::from_bytes(bytes).expect("valid");
        });
    }

    #[test]
    fn contacts_of_bodies_among_tiles() {
        assert_grows_evenly("contacts of bodies", 40, |bodies| {
            let mut world = FluidWorld::default();
            let size = world.parameters().particle_spacing;
            let shape = FluidShape::Rectangle { half_size: Vec2::splat(size) };
            let body = Some(Body::of_density(0.5, &shape, size).expect("valid"));
            let place = |column: usize, height: f32| Vec2::new(2.0 * column as f32, height) * size;
            for column in 0..3 * bodies {
                let tile = Collider::new(shape.clone(), place(column, 0.0), Vec2::X);
                world.insert_collider(tile.expect("valid"));
            }
            for number in 0..bodies {
                let collider = Collider::new(shape.clone(), place(3 * number, 2.01), Vec2::X)
                    .and_then(|collider| {
                        collider.with_options(ColliderOptions { body, ..Default::default() })
                    });
                world.insert_collider(collider.expect("valid"));
            }
            world.run_pass(FluidPass::MoveBodies, &SerialExecutor);
        });
    }

    /// The error is that the only pair is stated twice, at the end of a single line.
    #[test]
    #[cfg(feature = "scene")]
    fn fields_of_a_line() {
        assert_grows_evenly("fields of a line", 1500, |count| {
            let pairs = "(with:\"b\"),".repeat(count);
            let text = format!("(class:(name:\"a\"),pairs:[{pairs}])");
            crate::material::Material::from_ron(&text).expect_err("paired twice");
        });
    }

    #[test]
    fn slots_of_removed_solids() {
        assert_grows_evenly("slots of removed solids", 1500, |count| {
            let mut world = FluidWorld::default();
            for number in 0..count {
                let circle = Collider::circle(Vec2::X * number as f32, 1.0);
                world.insert_collider(circle.expect("valid"));
            }
            world.clear_colliders();
            world.to_bytes().expect("between two ticks");
            world.deep_hash();
        });
    }

    /// The numbers below `count`, in no simple order.
    fn shuffled(count: usize) -> impl Iterator<Item = usize> {
        (0..count).map(move |number| number * 7919 % count)
    }

    #[test]
    fn colliders_that_are_removed_at_once() {
        assert_grows_evenly("removed colliders", 200, |count| {
            let mut world = FluidWorld::default();
            let post = |x: usize| Collider::circle(Vec2::new(10.0 * x as f32, 0.0), 4.0);
            let all: Vec<_> =
                (0..2 * count).map(|x| world.insert_collider(post(x).expect("valid"))).collect();
            let every_other: Vec<_> = all.iter().copied().step_by(2).collect();
            assert_eq!(world.remove_colliders(&every_other), count);
            assert_eq!(world.colliders().len(), count);
        });
    }

    #[test]
    fn impacts_of_a_tick() {
        assert_grows_evenly("impacts of a tick", 1500, |count| {
            let mut detector = SplashDetector::default();
            // Every second impact is too weak for a splash.
            for _ in 0..6 {
                let impacts = shuffled(count).map(|number| {
                    let tile = (3 * number as i32, number as i32 % 5);
                    let energy = 1e9 * (number % 2) as f32 + 1.0;
                    TileImpact { tile, energy, position: Vec2::ZERO, hardest: (1.0, ClassId(0)) }
                });
                detector.update_with(&FluidParameters::default(), impacts, 1.0 / 60.0);
            }
        });
    }

    #[test]
    fn blobs_that_merge_and_split() {
        assert_grows_evenly("blobs that merge and split", 750, |pairs| {
            let mut world = FluidWorld::default();
            let tracking = BlobTracking { min_particles: 1, ..Default::default() };
            let mut tracker = BlobTracker::new(tracking);
            let place = |number: usize, gap: f32| {
                Vec2::new(100.0 * (number / 2) as f32 + gap * (number % 2) as f32, 0.0)
            };
            let ids: Vec<_> = shuffled(2 * pairs)
                .map(|number| {
                    let spawn =
                        ParticleSpawn { position: place(number, 50.0), ..Default::default() };
                    (number, world.spawn(spawn).expect("room"))
                })
                .collect();
            tracker.update(&world);
            for gap in [5.0, 50.0, 5.0, 50.0] {
                for (number, id) in &ids {
                    world.relocate(*id, place(*number, gap), Vec2::ZERO).expect("valid");
                }
                assert_eq!(tracker.update(&world).len(), pairs);
            }
        });
    }

    /// A picture with pixels that are a hundred million times longer than wide takes few steps.
    #[test]
    fn a_picture_of_long_pixels() {
        let steps = |height: f32| {
            let stripes = DistanceField::new(14, 14, Vec2::new(42.0, height), |x, _| x % 3 == 0);
            let stripes = FluidShape::Field(stripes.expect("valid"));
            let mut world = FluidWorld::default();
            let half_size = Vec2::new(60.0, 50.0);
            world.insert_container(Container::rectangle(Vec2::ZERO, half_size).expect("valid"));
            let turning = Motion { angular_velocity: 1e9, ..Motion::STILL };
            let collider = Collider::new(stripes, Vec2::new(20.0, 0.0), Vec2::X)
                .and_then(|collider| collider.with_motion(turning));
            world.insert_collider(collider.expect("valid"));
            for position in (FluidShape::Circle { radius: 30.0 }).fill(Vec2::new(-20.0, 0.0), 8.1) {
                let velocity = Vec2::new(0.0, 1e9);
                world
                    .spawn(ParticleSpawn { position, velocity, ..Default::default() })
                    .expect("room");
            }
            steps_of(|| {
                for _ in 0..3 {
                    world.step(1.0 / 60.0, &SerialExecutor).expect("valid");
                }
            })
        };
        let (square, long) = (steps(42.0), steps(1e9));
        // Steps as short as the pixel's width would take 2^24 steps along a single pixel.
        assert!(long < 1 << 20, "{square} steps with square pixels, {long} with long ones");
    }
}
