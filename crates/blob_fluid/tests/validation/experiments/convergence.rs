use super::dam_break::{DamBreak, at};
use super::scene;
use crate::page::Finding;
use crate::plot::{line, plot};

pub fn run() -> Finding {
    let front = |particles: usize| {
        let scene = scene("dam_break").with_particles(particles).expect("valid");
        DamBreak::of(&scene).front
    };
    let [coarse, middle, fine] = [800, 3200, 12800].map(front);
    // Returns the difference between two fronts while they move, in widths.
    let distance = |a: &[(f64, f64)], b: &[(f64, f64)]| {
        let times = (10..=29).map(|tenth| f64::from(tenth) / 10.0);
        let squares = times.map(|time| (at(a, time) - at(b, time)).powi(2));
        (squares.sum::<f64>() / 20.0).sqrt()
    };
    let ratio = distance(&middle, &fine) / distance(&coarse, &middle);
    Finding {
        experiment: "convergence",
        description: "The dam break with 800, 3,200 and 12,800 particles. The difference from the finer resolution shrinks.",
        measured: vec![("front at 2× the spacing from that at 1×, over that at 4× from 2×", ratio)],
        plots: vec![plot(
            "Front of a dam break by resolution",
            "s",
            "front, in widths a",
            vec![line("800", coarse), line("3,200", middle), line("12,800", fine)],
        )],
    }
}
