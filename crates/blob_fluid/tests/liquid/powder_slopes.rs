//! Powder on floors that are level, tilted and moved: friction holds it up to its angle.

use blob_fluid::shape::{Polyline, scatter};
use blob_fluid::{
    Collider, ColliderOptions, Container, FluidParameters, FluidShape, FluidSleeping, FluidWorld,
    ParticleId, SerialExecutor, Settling,
};
use glam::Vec2;

use crate::pools::{add_tank, cells, spacing};
use crate::powder::{sand, slope, spawn, world_of};
use crate::ticks::{TICK, run, run_for};

#[test]
fn a_slope_holds_sand_up_to_its_angle() {
    // A layer of sand on a long board, with gravity tilted instead of the board.
    let slid = |degrees: f32| {
        let gravity = Vec2::new(slope(degrees), -1.0).normalize() * 200.0;
        let parameters = FluidParameters {
            gravity,
            sleeping: FluidSleeping::OFF,
            settling: Settling::OFF,
            ..FluidParameters::default()
        };
        let mut world = world_of(parameters, vec![sand(30.0)]);
        let half_size = Vec2::new(600.0, 100.0) * spacing();
        add_tank(&mut world, Vec2::new(0.0, half_size.y), half_size);
        cells(40, 5).for_each(|cell| spawn(&mut world, cell * spacing(), Vec2::ZERO, 0));
        // Its front slumps at first, and its rear only goes where all of it slides.
        run_for(&mut world, 6.0);
        let rear = |world: &FluidWorld| {
            let xs = world.particles().positions().iter().map(|at| at.x);
            xs.fold(f32::INFINITY, f32::min)
        };
        let before = rear(&world);
        run_for(&mut world, 3.0);
        (rear(&world) - before) / spacing()
    };
    let way = slid(27.0);
    assert!(way < 0.05, "it holds: {way}");
    let way = slid(33.0);
    assert!(way > 5.0, "it slides: {way}");
}

/// The floor under a layer of sand.
#[derive(Clone, Copy, Debug)]
enum Floor {
    HalfPlane,
    Slab,
    Line,
    Container,
}

/// A layer of sand, six grains high, on a long floor that is turned by an angle in degrees. It was laid
/// while gravity was across the floor.
struct Layer {
    world: FluidWorld,
    /// Down along the floor.
    along: Vec2,
    /// The grains of the upper half of the layer, without its end. Its lower end slumps, and the upper half only
    /// goes where all of it slides.
    upper: Vec<ParticleId>,
}

impl Layer {
    fn new(floor: Floor, turned: f32, settling: Settling, friction_angle: f32) -> Self {
        let direction = slope_direction(turned);
        let along = Vec2::new(direction.x, -direction.y);
        let across = along.perp();
        let parameters = FluidParameters {
            gravity: across * -200.0,
            sleeping: FluidSleeping::OFF,
            settling,
            ..FluidParameters::default()
        };
        let mut world = world_of(parameters, vec![sand(friction_angle)]);
        let half_length = 400.0 * spacing();
        let collider = |shape, centre| Collider::new(shape, centre, along).expect("valid");
        match floor {
            Floor::HalfPlane => {
                let shape = FluidShape::HalfPlane { normal: Vec2::Y };
                world.insert_collider(collider(shape, Vec2::ZERO));
            }
            Floor::Slab => {
                let shape = FluidShape::Rectangle { half_size: Vec2::new(half_length, 20.0) };
                world.insert_collider(collider(shape, across * -20.0));
            }
            Floor::Line => {
                let ends = [Vec2::new(-half_length, 0.0), Vec2::new(half_length, 0.0)];
                let line = FluidShape::Polyline(Polyline::new(ends, 0.0).expect("valid"));
                world.insert_collider(collider(line, Vec2::ZERO));
            }
            Floor::Container => {
                let half_size = Vec2::new(half_length, 200.0);
                let shape = FluidShape::Rectangle { half_size };
                let container = Container::new(shape, across * half_size.y, along);
                world.insert_container(container.expect("valid"));
            }
        }
        for (index, cell) in cells(120, 6).enumerate() {
            let place = (cell - Vec2::new(60.0, 0.0) + 0.05 * scatter(index as u32)) * spacing();
            spawn(&mut world, along * place.x + across * place.y, Vec2::ZERO, 0);
        }
        let particles = world.particles();
        let columns = |at: &Vec2| at.dot(along) / spacing();
        let upper = particles.ids().iter().zip(particles.positions());
        let upper = upper.filter(|(_, at)| (-40.0..0.0).contains(&columns(at)));
        let upper = upper.map(|(id, _)| *id).collect();
        Self { world, along, upper }
    }

    /// Lets it settle, tilts gravity by an angle in degrees from across the floor, and waits.
    fn tilt(&mut self, degrees: f32, (time_step, wait): (f32, f32)) {
        self.run(2.0, time_step);
        let direction = slope_direction(degrees);
        let gravity = (self.along * direction.y - self.along.perp() * direction.x) * 200.0;
        let parameters = FluidParameters { gravity, ..*self.world.parameters() };
        self.world.set_parameters(parameters).expect("valid");
        self.run(wait, time_step);
    }

    fn run(&mut self, seconds: f32, time_step: f32) {
        for _ in 0..(seconds / time_step).round() as usize {
            self.world.step(time_step, &SerialExecutor).expect("a valid step");
        }
    }

    /// The mean speed at which the upper half goes down along the floor.
    fn speed(&self) -> f32 {
        let particles = self.world.particles();
        let velocity = |id: &ParticleId| {
            particles.velocities()[particles.index_of(*id).expect("alive")].dot(self.along)
        };
        self.upper.iter().map(velocity).sum::<f32>() / self.upper.len() as f32
    }

    /// The same over the next seconds, from the way.
    fn mean_speed(&mut self, seconds: f32, time_step: f32) -> f32 {
        let place = |layer: &Self| {
            let particles = layer.world.particles();
            let at =
                |id: &ParticleId| particles.positions()[particles.index_of(*id).expect("alive")];
            let all = layer.upper.iter().map(|id| at(id).dot(layer.along));
            all.sum::<f32>() / layer.upper.len() as f32
        };
        let before = place(self);
        self.run(seconds, time_step);
        (place(self) - before) / seconds
    }
}

/// The cosine and sine of an angle in degrees.
fn slope_direction(degrees: f32) -> Vec2 {
    Vec2::from_angle(degrees.to_radians())
}

#[test]
fn every_floor_holds_sand_below_its_angle() {
    let floors = [Floor::HalfPlane, Floor::Slab, Floor::Line, Floor::Container];
    for floor in floors {
        let mut layer = Layer::new(floor, 0.0, Settling::default(), 30.0);
        layer.tilt(25.0, (TICK, 2.0));
        let speed = layer.mean_speed(3.0, TICK);
        assert!(speed.abs() < 0.1, "{floor:?}: {speed}");
    }
}

#[test]
fn a_floor_that_is_tilted_itself_holds_sand_below_its_angle() {
    let mut layer = Layer::new(Floor::Slab, 25.0, Settling::default(), 30.0);
    layer.tilt(25.0, (TICK, 2.0));
    let parameters = layer.world.parameters();
    assert!(parameters.gravity.distance(Vec2::new(0.0, -200.0)) < 0.01, "straight down");
    let speed = layer.mean_speed(3.0, TICK);
    assert!(speed.abs() < 0.1, "{speed}");
}

#[test]
fn sand_holds_at_five_sixths_of_its_angle_at_any_rate_and_setting() {
    for (rate, setting) in [(30.0, 30.0), (120.0, 30.0), (60.0, 20.0), (60.0, 40.0)] {
        let time_step = 1.0 / rate;
        let mut layer = Layer::new(Floor::HalfPlane, 0.0, Settling::default(), setting);
        layer.tilt(setting * (5.0 / 6.0), (time_step, 2.0));
        let speed = layer.mean_speed(2.0, time_step);
        assert!(speed.abs() < 0.1, "{setting} degrees at {rate} Hz: {speed}");
    }
}

#[test]
fn sand_above_its_angle_is_faster_and_faster() {
    for (setting, degrees) in [(20.0, 25.0), (30.0, 35.0)] {
        let mut layer = Layer::new(Floor::HalfPlane, 0.0, Settling::OFF, setting);
        layer.tilt(degrees, (TICK, 2.0));
        let before = layer.speed();
        layer.run(2.0, TICK);
        let acceleration = 0.5 * (layer.speed() - before);
        let direction = slope_direction(degrees);
        let expected = 200.0 * (direction.y - slope(setting) * direction.x);
        let off = acceleration / expected - 1.0;
        assert!(off.abs() < 0.25, "{setting} at {degrees}: {acceleration} for {expected}");
    }
}

#[test]
fn a_single_grain_stops_on_a_level_floor_and_lies_still_on_a_slope() {
    for floor in [Floor::HalfPlane, Floor::Slab, Floor::Container] {
        let mut world = Layer::new(floor, 0.0, Settling::OFF, 30.0).world;
        world.clear();
        spawn(&mut world, Vec2::ZERO, Vec2::new(60.0, 0.0), 0);
        let velocity = |world: &FluidWorld| world.particles().velocities()[0].x;
        run(&mut world, 12);
        let expected = 60.0 - 0.2 * 200.0 * slope(30.0);
        let off = velocity(&world) - expected;
        assert!(off.abs() < 2.0, "{floor:?}: {} for {expected}", velocity(&world));
        run(&mut world, 48);
        assert!(velocity(&world).abs() < 0.01, "{floor:?}: {}", velocity(&world));
        let direction = slope_direction(25.0);
        let gravity = Vec2::new(direction.y, -direction.x) * 200.0;
        let parameters = FluidParameters { gravity, ..*world.parameters() };
        world.set_parameters(parameters).expect("valid");
        let before = world.particles().positions()[0].x;
        run(&mut world, 60);
        let way = world.particles().positions()[0].x - before;
        assert!(way.abs() < 0.01, "{floor:?}: {way}");
    }
}

#[test]
fn a_collider_bears_the_friction() {
    let parameters = FluidParameters {
        sleeping: FluidSleeping::OFF,
        settling: Settling::OFF,
        ..FluidParameters::default()
    };
    let mut world = world_of(parameters, vec![sand(30.0)]);
    let board = Collider::rectangle(Vec2::new(0.0, -20.0), Vec2::new(200.0, 20.0)).expect("valid");
    let options = ColliderOptions { reports_load: true, ..ColliderOptions::default() };
    let id = world.insert_collider(board.with_options(options).expect("valid"));
    for cell in cells(20, 4) {
        let at = (cell - Vec2::new(10.0, 0.0)) * spacing();
        spawn(&mut world, at, Vec2::new(60.0, 0.0), 0);
    }
    let momentum =
        |world: &FluidWorld| world.particles().velocities().iter().copied().sum::<Vec2>();
    let mut given = Vec2::ZERO;
    let before = momentum(&world);
    for _ in 0..20 {
        run(&mut world, 1);
        given += world.load_on(id).expect("there").impulse;
    }
    let lost = before.x - momentum(&world).x;
    assert!(lost > 0.2 * before.x, "sand slows down: {lost}");
    assert!((given.x - lost).abs() < 0.02 * lost, "{given} for {lost}");
}
