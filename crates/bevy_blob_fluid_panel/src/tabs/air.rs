//! The tab of the air.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::air::{Advection, Projection, Side, Sides, ranges as row};
use bevy_egui::egui::Ui;

use crate::controls::form::{Form, Number, derived, section, short};
use bevy_blob_fluid::render::{FluidAirLook, FluidAirShow, FluidStreamlines};
use bevy_blob_fluid::{FluidAir, FluidAirReport};

const CELL_SIZE: Number = Number::of(
    "Cell size",
    row::CELL_SIZE,
    "Side of a cell. Half as large takes four times as long; another begins with still air.",
)
.at_least(1.0)
.usually(2.0, 24.0);
const DENSITY_RATIO: Number = Number::new(
    "Density ratio",
    "",
    "",
    (1e-6, 1.0),
    "Density over that of the liquid: dense air drives spray and slows what falls.",
)
.usually(0.001, 0.2)
.by_factors();
const DRAG: Number =
    Number::of("Drag", row::DRAG, "How strongly wind and spray drag on each other.")
        .usually(0.0, 10.0);
const VISCOSITY: Number =
    Number::of("Air viscosity", row::VISCOSITY, "How thick the air is.").usually(0.0, 1000.0);
const CONFINEMENT: Number = Number::of(
    "Swirls",
    row::VORTICITY_CONFINEMENT,
    "Strength of the force that keeps eddies alive.",
)
.usually(0.0, 1.0);
const BUOYANCY: Number =
    Number::of("Buoyancy", row::BUOYANCY, "How fast hot air rises.").usually(-5.0, 10.0);
const SMOKE_WEIGHT: Number =
    Number::of("Smoke weight", row::SMOKE_WEIGHT, "How fast smoke sinks.").usually(-2.0, 5.0);
const COOLING: Number =
    Number::of("Cooling", row::COOLING, "How fast heat is lost.").usually(0.0, 5.0);
const DISSIPATION: Number =
    Number::of("Dissipation", row::SMOKE_DISSIPATION, "How fast smoke disappears.")
        .usually(0.0, 2.0);
const DEGREES: Number = Number::of(
    "Degrees",
    row::DEGREES_PER_HEAT,
    "How much warmer than the surroundings air of heat 1 is, for liquid that it heats.",
)
.usually(10.0, 2000.0);
const CAPACITY: Number = Number::of(
    "Heat capacity",
    row::HEAT_CAPACITY,
    "Of air, relative to that of liquid: with less, fire heats liquid more slowly.",
)
.usually(0.0003, 1.0)
.by_factors();
const RAIN_RATE: Number = Number::of(
    "Rain rate",
    row::CONDENSATION_RATE,
    "How fast vapour becomes drops where it is cold.",
)
.usually(0.0, 10.0);
const BURN_RATE: Number =
    Number::of("Burn rate", row::BURN_RATE, "How fast hot fuel burns.").usually(0.0, 20.0);
const IGNITION: Number =
    Number::of("Ignition", row::IGNITION_HEAT, "Heat above which fuel burns.").usually(0.0, 2.0);
const FIRE_HEAT: Number =
    Number::of("Fire heat", row::FIRE_HEAT, "Heat that fuel releases.").usually(0.0, 5.0);
const SOOT: Number = Number::of("Soot", row::SOOT, "Smoke that fuel releases.").usually(0.0, 3.0);
const EXPANSION: Number =
    Number::of("Expansion", row::EXPANSION, "Volume of gas that fuel releases.").usually(0.0, 10.0);
const RESIDUAL: Number = Number::of(
    "Residual",
    row::RESIDUAL,
    "Divergence that the pressure leaves, relative to what it finds.",
)
.by_factors();
const MAX_CYCLES: Number =
    Number::of("Most cycles", row::MAX_CYCLES, "Most multigrid cycles per step.")
        .usually(1.0, 100.0);
const SWEEPS: Number =
    Number::of("Sweeps", row::SWEEPS, "Sweeps of Gauss-Seidel in a step.").usually(1.0, 200.0);
const OVER_RELAXATION: Number =
    Number::of("Over-relaxation", row::OVER_RELAXATION, "Factor on every change of a sweep.");
const INFLOW: Number =
    Number::new("Wind speed", "", "world units/s", (-1e4, 1e4), "How fast it comes in.")
        .usually(-400.0, 400.0);
const THICKNESS: Number =
    Number::new("Thickness", "", "", (0.0, 100.0), "How much light smoke takes.")
        .usually(0.0, 10.0);
const VAPOUR: Number =
    Number::new("Steam", "", "", (0.0, 1000.0), "How thick vapour is, compared with smoke.")
        .usually(0.0, 40.0);
const SHADOW: Number =
    Number::new("Shadow", "", "", (0.0, 1.0), "How dark the shadows of smoke on smoke are.");
const FIRE: Number =
    Number::new("Flames", "", "", (0.0, 10.0), "Brightness of fire.").usually(0.0, 3.0);
const LINE_SPACING: Number =
    Number::new("Line spacing", "", "world units", (4.0, 1000.0), "Distance of streamlines.")
        .usually(10.0, 100.0);
const LINE_LENGTH: Number =
    Number::new("Line length", "", "world units", (1.0, 10_000.0), "Length of streamlines.")
        .usually(10.0, 400.0);

/// Whether there is any air.
pub(crate) fn is_there(world: &mut World) -> bool {
    world.query::<&FluidAir>().iter(world).next().is_some()
}

/// Edits every [`FluidAir`].
pub(crate) fn show(ui: &mut Ui, world: &mut World) {
    let mut airs =
        world.query::<(Entity, &mut FluidAir, Option<&mut FluidAirLook>, &FluidAirReport)>();
    let mut all: Vec<_> = airs.iter_mut(world).collect();
    if all.is_empty() {
        ui.label("There is no air.");
    }
    all.sort_by_key(|(entity, ..)| *entity);
    let several = all.len() > 1;
    for (index, (entity, air, look, report)) in all.iter_mut().enumerate() {
        let title = |name: &str| match several {
            true => format!("{name} {}", index + 1),
            false => name.to_owned(),
        };
        let mut edited = (**air).clone();
        // Rows of several airs have the same names.
        ui.push_id(*entity, |ui| {
            section(ui, &title("Flow"), true, |ui| flow(ui, &mut edited, report));
            section(ui, &title("Smoke and heat"), true, |ui| smoke(ui, &mut edited));
            section(ui, &title("Fire"), false, |ui| fire(ui, &mut edited));
            section(ui, &title("Sides"), false, |ui| sides(ui, &mut edited.sides));
            section(ui, &title("Projection"), false, |ui| projection(ui, &mut edited));
            if let Some(look) = look {
                let mut edited = (**look).clone();
                section(ui, &title("Air look"), true, |ui| look_rows(ui, &mut edited));
                look.set_if_neq(edited);
            }
        });
        air.set_if_neq(edited);
    }
}

fn flow(ui: &mut Ui, air: &mut FluidAir, report: &FluidAirReport) {
    let (form, usual) = (Form::default(), FluidAir::default());
    form.number(ui, &CELL_SIZE, &mut air.cell_size, usual.cell_size);
    form.number(ui, &DENSITY_RATIO, &mut air.density_ratio, usual.density_ratio);
    let (own, usual) = (&mut air.settings, &usual.settings);
    form.number(ui, &DRAG, &mut own.drag, usual.drag);
    form.number(ui, &VISCOSITY, &mut own.viscosity, usual.viscosity);
    form.number(ui, &CONFINEMENT, &mut own.vorticity_confinement, usual.vorticity_confinement);
    form.choice(
        ui,
        "Advection",
        "How air carries itself and smoke along: sharp, or smooth at half the work.",
        &mut own.advection,
        &[(Advection::MacCormack, "MacCormack"), (Advection::SemiLagrangian, "Semi-Lagrangian")],
    );
    form.choice(
        ui,
        "Solids",
        "Whether air slips along solids or sticks to them.",
        &mut own.solids_no_slip,
        &[(false, "Slip"), (true, "Stick")],
    );
    derived(ui, "Fastest air", "In world units/s.", short(report.max_speed));
}

fn smoke(ui: &mut Ui, air: &mut FluidAir) {
    let (form, usual) = (Form::default(), FluidAir::default().settings);
    let own = &mut air.settings;
    form.number(ui, &BUOYANCY, &mut own.buoyancy, usual.buoyancy);
    form.number(ui, &COOLING, &mut own.cooling, usual.cooling);
    form.number(ui, &SMOKE_WEIGHT, &mut own.smoke_weight, usual.smoke_weight);
    form.number(ui, &DISSIPATION, &mut own.smoke_dissipation, usual.smoke_dissipation);
    form.number(ui, &DEGREES, &mut own.degrees_per_heat, usual.degrees_per_heat);
    form.number(ui, &CAPACITY, &mut own.heat_capacity, usual.heat_capacity);
    form.number(ui, &RAIN_RATE, &mut own.condensation_rate, usual.condensation_rate);
}

fn fire(ui: &mut Ui, air: &mut FluidAir) {
    let (form, usual) = (Form::default(), FluidAir::default().settings.fire);
    let own = &mut air.settings.fire;
    form.number(ui, &BURN_RATE, &mut own.burn_rate, usual.burn_rate);
    form.number(ui, &IGNITION, &mut own.ignition_heat, usual.ignition_heat);
    form.number(ui, &FIRE_HEAT, &mut own.heat, usual.heat);
    form.number(ui, &SOOT, &mut own.soot, usual.soot);
    form.number(ui, &EXPANSION, &mut own.expansion, usual.expansion);
}

/// Kinds of sides, by the names that are shown.
const KINDS: [(&str, Side); 5] = [
    ("closed", Side::CLOSED),
    ("sticky", Side::STICKY),
    ("open", Side::Open),
    ("wind", Side::Inflow { velocity: Vec2::ZERO, smoke: 0.0, heat: 0.0 }),
    ("periodic", Side::Periodic),
];

fn name_of(side: &Side) -> &'static str {
    match side {
        Side::Closed { .. } if *side == Side::CLOSED => "closed",
        Side::Closed { .. } => "sticky",
        Side::Open => "open",
        Side::Inflow { .. } => "wind",
        Side::Periodic => "periodic",
    }
}

fn sides(ui: &mut Ui, sides: &mut Sides) {
    let Sides { left, right, bottom, top } = sides;
    let pairs = [
        (["Left side", "Left wind"], left, ["Right side", "Right wind"], right, Vec2::X),
        (["Lower side", "Lower wind"], bottom, ["Upper side", "Upper wind"], top, Vec2::Y),
    ];
    for (low_names, low, high_names, high, inwards) in pairs {
        side(ui, low_names, low, high, inwards);
        side(ui, high_names, high, low, -inwards);
    }
}

/// Edits a side; the opposite one is periodic with it or not at all.
fn side(
    ui: &mut Ui,
    [name, wind]: [&'static str; 2],
    own: &mut Side,
    opposite: &mut Side,
    inwards: Vec2,
) {
    let form = Form::default();
    let names = KINDS.map(|(name, _)| name.to_owned());
    let before = name_of(own);
    let mut chosen = Some(before.to_owned());
    let help = "A wall that air slips along or sticks to, an opening, a wind that comes in, or what leaves \
        here comes in at the opposite side.";
    form.name(ui, name, help, &mut chosen, &names, None);
    let kind = KINDS.iter().find(|(name, _)| chosen.as_deref() == Some(*name));
    if let Some((name, side)) = kind.filter(|(name, _)| *name != before) {
        *own = *side;
        if *name == "periodic" {
            *opposite = Side::Periodic;
        } else if *opposite == Side::Periodic {
            *opposite = Side::CLOSED;
        }
    }
    if let Side::Inflow { velocity, .. } = own {
        // Not -0.
        let mut speed = velocity.dot(inwards) + 0.0;
        let across = *velocity - speed * inwards;
        if form.number(ui, &Number { name: wind, ..INFLOW }, &mut speed, 0.0) {
            *velocity = across + speed * inwards;
        }
    }
}

fn projection(ui: &mut Ui, air: &mut FluidAir) {
    let form = Form::default();
    let (usual_residual, usual_cycles) = (1e-4, 100);
    let (usual_sweeps, usual_factor) = (40, 1.9);
    let own = &mut air.settings.projection;
    let mut multigrid =
        Projection::Multigrid { residual: usual_residual, max_cycles: usual_cycles };
    let mut gauss_seidel =
        Projection::GaussSeidel { iterations: usual_sweeps, over_relaxation: usual_factor };
    // The chosen one keeps its numbers.
    match own {
        Projection::Multigrid { .. } => multigrid = *own,
        Projection::GaussSeidel { .. } => gauss_seidel = *own,
    }
    form.choice(
        ui,
        "Method",
        "How the pressure is found: to a residual, or with a fixed number of sweeps.",
        own,
        &[(multigrid, "Multigrid"), (gauss_seidel, "Gauss-Seidel")],
    );
    match own {
        Projection::Multigrid { residual, max_cycles } => {
            form.number(ui, &RESIDUAL, residual, usual_residual);
            form.count(ui, &MAX_CYCLES, max_cycles, usual_cycles);
        }
        Projection::GaussSeidel { iterations, over_relaxation } => {
            form.count(ui, &SWEEPS, iterations, usual_sweeps);
            form.number(ui, &OVER_RELAXATION, over_relaxation, usual_factor);
        }
    }
}

fn look_rows(ui: &mut Ui, look: &mut FluidAirLook) {
    let (form, usual) = (Form::default(), FluidAirLook::default());
    form.choice(
        ui,
        "Show",
        "What is drawn besides smoke and fire.",
        &mut look.show,
        &[
            (FluidAirShow::Smoke, "Smoke"),
            (FluidAirShow::Pressure, "Pressure"),
            (FluidAirShow::Speed, "Wind"),
            (FluidAirShow::Vorticity, "Vorticity"),
        ],
    );
    form.number(ui, &THICKNESS, &mut look.thickness, usual.thickness);
    form.number(ui, &VAPOUR, &mut look.vapour, usual.vapour);
    form.number(ui, &SHADOW, &mut look.shadow, usual.shadow);
    form.number(ui, &FIRE, &mut look.fire, usual.fire);
    let help = "Colour of smoke without one of its own.";
    form.look_colour(ui, "Smoke colour", help, &mut look.smoke);
    let help = "Lines along the wind.";
    form.option(ui, "Streamlines", help, &mut look.streamlines, FluidStreamlines::default);
    if let Some(lines) = &mut look.streamlines {
        let usual = FluidStreamlines::default();
        form.number(ui, &LINE_SPACING, &mut lines.spacing, usual.spacing);
        form.number(ui, &LINE_LENGTH, &mut lines.length, usual.length);
    }
}
