//! A reference in 64 bits, written from the formulas: a step with a direct solution for the
//! pressure.

use std::f64::consts::TAU;

use blob_fluid::air::*;
use blob_fluid::{Collider, SerialExecutor, shape::FluidShape};
use glam::Vec2;

use crate::{noise, room};

/// Solves a dense, symmetric, positive system by elimination; unknowns without an equation are 0.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for pivot in 0..n {
        if matrix[pivot][pivot].abs() < 1e-9 {
            // The level of the pressure is free.
            matrix[pivot][pivot] = 1.0;
            right[pivot] = 0.0;
            continue;
        }
        for row in pivot + 1..n {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            if factor != 0.0 {
                let above = matrix[pivot].clone();
                matrix[row]
                    .iter_mut()
                    .zip(above)
                    .for_each(|(entry, above)| *entry -= factor * above);
                right[row] -= factor * right[pivot];
            }
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// A periodic square of `n` by `n` cells of side 1; `u[j][i]` is on the left of a cell, `v[j][i]`
/// below it.
struct Periodic {
    n: usize,
    u: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
}

impl Periodic {
    /// The value of a list whose number `[0][0]` lies at `origin`, with the four numbers around.
    fn sample(&self, list: &[Vec<f64>], origin: [f64; 2], [x, y]: [f64; 2]) -> (f64, [f64; 4]) {
        let (x, y) = (x - origin[0], y - origin[1]);
        let (i, j) = (x.floor(), y.floor());
        let (fx, fy) = (x - i, y - j);
        let wrap = |index: f64| index.rem_euclid(self.n as f64) as usize;
        let at = |di: f64, dj: f64| list[wrap(j + dj)][wrap(i + di)];
        let around = [at(0.0, 0.0), at(1.0, 0.0), at(0.0, 1.0), at(1.0, 1.0)];
        let [a, b, c, d] = around;
        let value = (a * (1.0 - fx) + b * fx) * (1.0 - fy) + (c * (1.0 - fx) + d * fx) * fy;
        (value, around)
    }

    fn velocity(&self, place: [f64; 2]) -> [f64; 2] {
        [self.sample(&self.u, [0.0, 0.5], place).0, self.sample(&self.v, [0.5, 0.0], place).0]
    }

    fn end(&self, place: [f64; 2], time: f64) -> [f64; 2] {
        let first = self.velocity(place);
        let middle = [place[0] + 0.5 * time * first[0], place[1] + 0.5 * time * first[1]];
        let second = self.velocity(middle);
        [place[0] + time * second[0], place[1] + time * second[1]]
    }

    /// A list carried by MacCormack's scheme, and the limits of each number.
    fn carry(
        &self,
        list: &[Vec<f64>],
        origin: [f64; 2],
        time: f64,
        second_order: bool,
    ) -> (Vec<Vec<f64>>, Vec<Vec<[f64; 2]>>) {
        let n = self.n;
        let place = |i: usize, j: usize| [i as f64 + origin[0], j as f64 + origin[1]];
        let grid = |value: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..n).map(|j| (0..n).map(|i| value(i, j)).collect()).collect()
        };
        let from = |i: usize, j: usize| self.sample(list, origin, self.end(place(i, j), -time));
        let back = grid(&|i, j| from(i, j).0);
        let limits: Vec<Vec<[f64; 2]>> = (0..n)
            .map(|j| {
                let limit = |i: usize| {
                    let around = from(i, j).1;
                    [
                        around.iter().copied().fold(f64::MAX, f64::min),
                        around.iter().copied().fold(f64::MIN, f64::max),
                    ]
                };
                (0..n).map(limit).collect()
            })
            .collect();
        let carried = if second_order {
            grid(&|i, j| {
                let there = self.sample(&back, origin, self.end(place(i, j), time)).0;
                let value = back[j][i] + 0.5 * (list[j][i] - there);
                value.clamp(limits[j][i][0], limits[j][i][1])
            })
        } else {
            back
        };
        (carried, limits)
    }

    /// The amount is kept within the limits.
    fn conserve(list: &mut [Vec<f64>], before: &[Vec<f64>], limits: &[Vec<[f64; 2]>]) {
        let sum = |list: &[Vec<f64>]| list.iter().flatten().sum::<f64>();
        let missing = sum(before) - sum(list);
        let side = usize::from(missing > 0.0);
        let room: f64 = list
            .iter()
            .zip(limits)
            .flat_map(|(row, limits)| row.iter().zip(limits).map(move |(v, l)| l[side] - v))
            .sum();
        let share = if room == 0.0 { 0.0 } else { (missing / room).clamp(0.0, 1.0) };
        for (row, limits) in list.iter_mut().zip(limits) {
            for (value, limit) in row.iter_mut().zip(limits) {
                *value += share * (limit[side] - *value);
            }
        }
    }

    fn project(&mut self) {
        let n = self.n;
        let index = |i: usize, j: usize| (j % n) * n + i % n;
        let mut matrix = vec![vec![0.0; n * n]; n * n];
        let mut right = vec![0.0; n * n];
        for j in 0..n {
            for i in 0..n {
                let row = index(i, j);
                for other in
                    [index(i + 1, j), index(i + n - 1, j), index(i, j + 1), index(i, j + n - 1)]
                {
                    matrix[row][row] += 1.0;
                    matrix[row][other] -= 1.0;
                }
                let across = self.u[j][(i + 1) % n] - self.u[j][i];
                right[row] = -(across + self.v[(j + 1) % n][i] - self.v[j][i]);
            }
        }
        let q = solve(matrix, right);
        for j in 0..n {
            for i in 0..n {
                self.u[j][i] -= q[index(i, j)] - q[index(i + n - 1, j)];
                self.v[j][i] -= q[index(i, j)] - q[index(i, j + n - 1)];
            }
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "both sides start from the same rounded numbers")]
fn a_step_is_that_of_the_reference() {
    const N: usize = 12;
    // The fastest way is 1.4 cells, with ways of several kinds.
    let time = 1.4_f32;
    for advection in [AirAdvection::SemiLagrangian, AirAdvection::MacCormack] {
        let projection = AirProjection::Multigrid { residual: 1e-6, max_cycles: 200 };
        let settings = AirSettings { advection, projection, ..Default::default() };
        let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
        let k = TAU / N as f64;
        // Free of divergence to rounding; the second part makes it unsteady.
        let u_at = |i: f64, j: f64| {
            let shear = 0.3 * (2.0 * k * (j + 0.5)).sin();
            (0.7 * (k * i).sin() * (k * (j + 0.5)).cos() + shear) as f32
        };
        let v_at = |i: f64, j: f64| (-0.7 * (k * (i + 0.5)).cos() * (k * j).sin()) as f32;
        let x: Vec<f32> = (0..N * (N + 1))
            .map(|face| u_at(((face % (N + 1)) % N) as f64, (face / (N + 1)) as f64))
            .collect();
        let y: Vec<f32> =
            (0..N * (N + 1)).map(|face| v_at((face % N) as f64, ((face / N) % N) as f64)).collect();
        let smoke: Vec<f32> = noise(N * N, 5).iter().map(|value| value.abs()).collect();
        air.set_velocities(&x, &y).expect("valid");
        air.set_channel(AirChannel::Smoke, &smoke).expect("valid");
        let mut start = Periodic { n: N, u: Vec::new(), v: Vec::new() };
        let rows = |value: &dyn Fn(usize, usize) -> f32| -> Vec<Vec<f64>> {
            (0..N).map(|j| (0..N).map(|i| f64::from(value(i, j))).collect()).collect()
        };
        start.u = rows(&|i, j| x[j * (N + 1) + i]);
        start.v = rows(&|i, j| y[j * N + i]);
        let smoke = rows(&|i, j| smoke[j * N + i]);
        let time_step = f64::from(time);
        let second_order = advection == AirAdvection::MacCormack;
        let (mut carried, limits) = start.carry(&smoke, [0.5, 0.5], time_step, second_order);
        Periodic::conserve(&mut carried, &smoke, &limits);
        let u = start.carry(&start.u, [0.0, 0.5], time_step, second_order).0;
        let v = start.carry(&start.v, [0.5, 0.0], time_step, second_order).0;
        let mut end = Periodic { n: N, u, v };
        let before: f64 = end.u.iter().chain(&end.v).flatten().map(|v| v * v).sum::<f64>().sqrt();
        end.project();

        let report = air.step(time, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");
        // Ways are at most 2 cells and rounded to 2 bits of them, which changes values by at most
        // their slope, 2 per cell; each of about ten operations rounds.
        let rounding = f64::from(f32::EPSILON) * 40.0;
        for (index, value) in air.channel(AirChannel::Smoke).iter().enumerate() {
            let exact = carried[index / N][index % N];
            assert!(
                (f64::from(*value) - exact).abs() < rounding,
                "smoke {index}: {value}, {exact}"
            );
        }
        // What is left of the divergence is a velocity of at most the residual over the root of the
        // smallest eigenvalue, (2 sin(pi/n))^2.
        let left = f64::from(report.residual).max(1e-6) * 2.0 * before;
        let bound = rounding + left / (2.0 * (TAU / 2.0 / N as f64).sin());
        for j in 0..N {
            for i in 0..N {
                let (u, v) = (air.velocities_x()[j * (N + 1) + i], air.velocities_y()[j * N + i]);
                assert!(
                    (f64::from(u) - end.u[j][i]).abs() < bound,
                    "u {i} {j}: {u} {}",
                    end.u[j][i]
                );
                assert!(
                    (f64::from(v) - end.v[j][i]).abs() < bound,
                    "v {i} {j}: {v} {}",
                    end.v[j][i]
                );
            }
        }
    }
}

/// The open share of the line between two points, given their heights above a straight wall.
fn open(a: f64, b: f64) -> f64 {
    let (low, high) = (a.min(b), a.max(b));
    if low > 0.0 {
        1.0
    } else if high <= 0.0 {
        0.0
    } else {
        high / (high - low)
    }
}

#[test]
fn confinement_of_layers_is_that_of_the_reference() {
    const N: usize = 12;
    let projection = AirProjection::Multigrid { residual: 1e-6, max_cycles: 200 };
    let strength = 0.4_f32;
    let settings =
        AirSettings { vorticity_confinement: strength, projection, ..AirSettings::default() };
    let mut air = room(N, N, settings, AirSides::all(AirSide::Periodic));
    // Layers that slide past each other, which the advection leaves as they are.
    let layer = noise(N, 9);
    let x: Vec<f32> = (0..N * (N + 1)).map(|face| layer[face / (N + 1)]).collect();
    air.set_velocities(&x, &[0.0; N * (N + 1)]).expect("valid");
    let time_step = 0.5_f32;
    air.step(time_step, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");

    let u = |j: usize| f64::from(layer[j]);
    // Differences are from one side at the first and the last row.
    let vorticity = |j: usize| {
        let (below, above) = (j.saturating_sub(1), (j + 1).min(N - 1));
        -(u(above) - u(below)) / (above - below) as f64
    };
    let push = f64::from(time_step) * f64::from(strength);
    let force = |i: usize, j: usize| {
        // Cells on the sides have no force.
        if i == 0 || j == 0 || i + 1 == N || j + 1 == N {
            return 0.0;
        }
        push * vorticity(j) * (vorticity(j + 1).abs() - vorticity(j - 1).abs()).signum()
    };
    let row = |j: usize| -> Vec<f64> {
        let pushed = |i: usize| u(j) + 0.5 * (force(i - 1, j) + force(i, j));
        (0..N).map(|i| if i == 0 { u(j) } else { pushed(i) }).collect()
    };
    let mut end = Periodic { n: N, u: (0..N).map(row).collect(), v: vec![vec![0.0; N]; N] };
    // The norm of the divergence is at most twice that of the velocities; what is left of it is a
    // velocity of at most that over the root of the smallest eigenvalue, 2 sin(pi/n) >= 4/n.
    let norm = end.u.iter().flatten().map(|u| u * u).sum::<f64>().sqrt();
    end.project();
    let bound = 1e-6 * 2.0 * norm * N as f64 / 4.0 + 1e-6;
    for j in 0..N {
        for i in 0..N {
            let found = [air.velocities_x()[j * (N + 1) + i], air.velocities_y()[j * N + i]];
            for (found, expected) in found.into_iter().zip([end.u[j][i], end.v[j][i]]) {
                let error = (f64::from(found) - expected).abs();
                assert!(error < bound, "({i}, {j}): {found} beside {expected}");
            }
        }
    }
}

#[test]
fn projection_around_a_slanted_wall_is_that_of_the_reference() {
    const NX: usize = 14;
    const NY: usize = 11;
    let inflow = AirSide::Inflow { velocity: Vec2::new(0.8, 0.0), smoke: 0.0, heat: 0.0 };
    let sides = AirSides { left: inflow, right: AirSide::Open, ..AirSides::default() };
    let projection = AirProjection::Multigrid { residual: 1e-6, max_cycles: 200 };
    let mut air = room(NX, NY, AirSettings { projection, ..Default::default() }, sides);
    let normal = Vec2::new(-0.6, 0.8);
    let foot = Vec2::new(6.13, 1.71);
    let wall = Collider::new(FluidShape::HalfPlane { normal }, foot, Vec2::X).expect("valid");
    air.set_solids([], &[wall]);
    let (mut u, mut v) = (noise((NX + 1) * NY, 1), noise(NX * (NY + 1), 2));
    air.set_velocities(&u, &v).expect("valid");
    // The air hardly moves in such a step.
    air.step(1e-7, &mut AirWorkspace::default(), &SerialExecutor).expect("valid");

    let height =
        |i: usize, j: usize| f64::from((Vec2::new(i as f32, j as f32) - foot).dot(normal)) - 1e-3;
    let snap = |share: f64| {
        if share < 0.01 {
            0.0
        } else if share > 0.99 {
            1.0
        } else {
            share
        }
    };
    let open_x = |i: usize, j: usize| snap(open(height(i, j), height(i, j + 1)));
    let open_y = |i: usize, j: usize| snap(open(height(i, j), height(i + 1, j)));
    for j in 0..NY {
        u[j * (NX + 1)] = 0.8;
    }
    for i in 0..NX {
        (v[i], v[NY * NX + i]) = (0.0, 0.0);
    }
    // Coefficient of a face, and its flux.
    let weight_x = |i: usize, j: usize| match i {
        0 => 0.0,
        // The pressure is 0 at the opening, half a cell from the centre.
        NX => 2.0 * open_x(i, j),
        _ => open_x(i, j),
    };
    let weight_y = |i: usize, j: usize| if j == 0 || j == NY { 0.0 } else { open_y(i, j) };
    let flux_x = |i: usize, j: usize| open_x(i, j) * f64::from(u[j * (NX + 1) + i]);
    let flux_y = |i: usize, j: usize| {
        if j == 0 || j == NY { 0.0 } else { open_y(i, j) * f64::from(v[j * NX + i]) }
    };
    let mut matrix = vec![vec![0.0; NX * NY]; NX * NY];
    let mut right = vec![0.0; NX * NY];
    for j in 0..NY {
        for i in 0..NX {
            let row = j * NX + i;
            let mut link = |weight: f64, other: Option<usize>| {
                matrix[row][row] += weight;
                if let Some(other) = other {
                    matrix[row][other] -= weight;
                }
            };
            link(weight_x(i, j), i.checked_sub(1).map(|i| j * NX + i));
            link(weight_x(i + 1, j), (i + 1 < NX).then_some(row + 1));
            link(weight_y(i, j), j.checked_sub(1).map(|j| j * NX + i));
            link(weight_y(i, j + 1), (j + 1 < NY).then_some(row + NX));
            let out = flux_x(i + 1, j) - flux_x(i, j) + flux_y(i, j + 1) - flux_y(i, j);
            right[row] = if matrix[row][row] > 0.0 { -out } else { 0.0 };
        }
    }
    let norm = right.iter().map(|value| value * value).sum::<f64>().sqrt();
    let q = solve(matrix, right);
    // The residual over the root of the smallest eigenvalue: an opening is at most 14 cells away,
    // and no coefficient is below 0.01 of which few are small; and the way of the air, 1e-7.
    let bound = 1e-6 * norm * 2.0 * NX as f64 / 0.1 + 1e-5;
    for j in 0..NY {
        for i in 1..=NX {
            let other = if i < NX { q[j * NX + i] } else { -q[j * NX + i - 1] };
            let exact = f64::from(u[j * (NX + 1) + i]) - (other - q[j * NX + i - 1]);
            let found = f64::from(air.velocities_x()[j * (NX + 1) + i]);
            if open_x(i, j) > 0.0 {
                assert!((found - exact).abs() < bound, "u {i} {j}: {found} {exact}");
            }
        }
    }
    for j in 1..NY {
        for i in 0..NX {
            let exact = f64::from(v[j * NX + i]) - (q[j * NX + i] - q[(j - 1) * NX + i]);
            let found = f64::from(air.velocities_y()[j * NX + i]);
            if open_y(i, j) > 0.0 {
                assert!((found - exact).abs() < bound, "v {i} {j}: {found} {exact}");
            }
        }
    }
}

#[test]
fn a_rigid_rotation_is_seen_by_all_queries() {
    let mut air = room(16, 16, AirSettings::default(), AirSides::default());
    let middle = Vec2::splat(8.0);
    let x: Vec<f32> = (0..17 * 16).map(|face| middle.y - ((face / 17) as f32 + 0.5)).collect();
    let y: Vec<f32> = (0..17 * 16).map(|face| (face % 16) as f32 + 0.5 - middle.x).collect();
    air.set_velocities(&x, &y).expect("valid");
    let place = Vec2::new(5.3, 9.1);
    let velocity = air.velocity_at(place).expect("inside");
    assert!(velocity.distance((place - middle).perp()) < 1e-5);
    let mut vorticity = Vec::new();
    air.vorticities(&mut vorticity);
    assert!(vorticity.iter().all(|vorticity| (vorticity - 2.0).abs() < 1e-5));
    let line = air.streamline(place, 0.1, 300);
    let radius = place.distance(middle);
    assert_eq!(line.len(), 300);
    assert!(line.iter().all(|point| (point.distance(middle) - radius).abs() < 0.01 * radius));
    assert_eq!(air.velocity_at(Vec2::new(-0.1, 3.0)), None);
    assert!(matches!(Air::smoke_at(&air, place), Some(smoke) if smoke == 0.0));
}
