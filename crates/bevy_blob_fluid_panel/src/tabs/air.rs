//! The tab of the air.

use std::mem::discriminant;

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::air::{
    AirAdvection, AirProjection, AirSettings, AirSide, AirSides,
};
use bevy_blob_fluid::blob_fluid::ranges;
use bevy_egui::egui::Ui;

use crate::form::{Declared, Form, Number, Shown, derived, section, section_of, short, shown};
use bevy_blob_fluid::render::{FluidAirLook, FluidAirShow, FluidStreamlines};
use bevy_blob_fluid::{FluidAir, FluidAirReport};

/// The paths and groups of the sections. The section of the flow has all other settings.
const SECTIONS: &[&[&str]] = &[
    &[
        "buoyancy",
        "cooling",
        "smoke_weight",
        "smoke_dissipation",
        "degrees_per_heat",
        "heat_capacity",
        "condensation_rate",
    ],
    &["fire"],
    &["projection"],
    // These are not shown: the component has a ratio of densities, and gravity is that of the liquid.
    &["density", "gravity"],
];
const SMOKE: Option<usize> = Some(0);
const BURNING: Option<usize> = Some(1);
const PROJECTION: Option<usize> = Some(2);

/// The presentation of settings, beyond their declarations.
const SHOWN: &[Shown] = &[
    shown("cell_size")
        .at_least(1.0)
        .usually(2.0, 24.0)
        .hint("Half as large takes four times as long; another begins with still air."),
    shown("drag").usually(0.0, 10.0),
    shown("viscosity").named("Air viscosity").usually(0.0, 1000.0),
    shown("vorticity_confinement").named("Swirls").usually(0.0, 1.0),
    shown("buoyancy").usually(-5.0, 10.0),
    shown("smoke_weight").usually(-2.0, 5.0),
    shown("cooling").usually(0.0, 5.0),
    shown("smoke_dissipation").named("Dissipation").usually(0.0, 2.0),
    shown("degrees_per_heat").named("Degrees").usually(10.0, 2000.0),
    shown("heat_capacity")
        .usually(0.0003, 1.0)
        .by_factors()
        .hint("With less, fire heats liquid more slowly."),
    shown("condensation_rate").named("Rain rate").usually(0.0, 10.0),
    shown("fire.burn_rate").usually(0.0, 20.0),
    shown("fire.ignition_heat").named("Ignition").usually(0.0, 2.0),
    shown("fire.heat").named("Fire heat").usually(0.0, 5.0),
    shown("fire.soot").usually(0.0, 3.0),
    shown("fire.expansion").usually(0.0, 10.0),
    shown("projection.residual").by_factors(),
    shown("projection.max_cycles").named("Most cycles").usually(1.0, 100.0),
    shown("projection.iterations").named("Sweeps").usually(1.0, 200.0),
    shown("projection.over_relaxation").named("Over-relaxation"),
];
const DENSITY_RATIO: Number = Number::new(
    "Density ratio",
    "",
    1e-6,
    1.0,
    "Density over that of the liquid: dense air drives spray and slows falling liquid.",
)
.usually(0.001, 0.2)
.by_factors();
const INFLOW: Number =
    Number::new("Wind speed", "world units/s", -1e4, 1e4, "How fast it comes in.")
        .usually(-400.0, 400.0);
const THICKNESS: Number =
    Number::new("Thickness", "", 0.0, 100.0, "How much light smoke takes.").usually(0.0, 10.0);
const VAPOUR: Number =
    Number::new("Steam", "", 0.0, 1000.0, "How thick vapour is, compared with smoke.")
        .usually(0.0, 40.0);
const SHADOW: Number =
    Number::new("Shadow", "", 0.0, 1.0, "How dark the shadows of smoke on smoke are.");
const FIRE: Number = Number::new("Flames", "", 0.0, 10.0, "Brightness of fire.").usually(0.0, 3.0);
const LINE_SPACING: Number =
    Number::new("Line spacing", "world units", 4.0, 1000.0, "Distance of streamlines.")
        .usually(10.0, 100.0);
const LINE_LENGTH: Number =
    Number::new("Line length", "world units", 1.0, 10_000.0, "Length of streamlines.")
        .usually(10.0, 400.0);

/// Whether the world has any air.
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
        // Several airs have rows with the same names, so they need ids of their own.
        ui.push_id(*entity, |ui| {
            section(ui, &title("Flow"), true, |ui| flow(ui, &mut edited, report));
            let (settings, usual) = (&mut edited.settings, FluidAir::default().settings);
            section(ui, &title("Smoke and heat"), true, |ui| rows(ui, settings, &usual, SMOKE));
            section(ui, &title("Fire"), false, |ui| rows(ui, settings, &usual, BURNING));
            section(ui, &title("Sides"), false, |ui| sides(ui, &mut edited.sides));
            section(ui, &title("Projection"), false, |ui| projection(ui, &mut edited.settings));
            if let Some(look) = look {
                let mut edited = (**look).clone();
                section(ui, &title("Air look"), true, |ui| look_rows(ui, &mut edited));
                look.set_if_neq(edited);
            }
        });
        air.set_if_neq(edited);
    }
}

/// The settings of a section.
fn rows(ui: &mut Ui, settings: &mut AirSettings, usual: &AirSettings, section: Option<usize>) {
    let form = Form::default();
    let wanted = |path: &str| section_of(path, SECTIONS) == section;
    Declared { form: &form, shown: SHOWN }.rows(ui, settings, usual, wanted);
}

fn flow(ui: &mut Ui, air: &mut FluidAir, report: &FluidAirReport) {
    let (form, usual) = (Form::default(), FluidAir::default());
    if let Some(row) = ranges::find("air", "cell_size") {
        let declared = Declared { form: &form, shown: SHOWN };
        declared.row(ui, row, 0, &mut air.cell_size, Some(usual.cell_size));
    }
    form.number(ui, &DENSITY_RATIO, &mut air.density_ratio, usual.density_ratio);
    let settings = &mut air.settings;
    rows(ui, settings, &usual.settings, None);
    form.choice(
        ui,
        "Advection",
        "How air carries itself and smoke along: sharp, or smooth at half the work.",
        &mut settings.advection,
        &[
            (AirAdvection::MacCormack, "MacCormack"),
            (AirAdvection::SemiLagrangian, "Semi-Lagrangian"),
        ],
    );
    form.choice(
        ui,
        "Solids",
        "Whether air slips along solids or sticks to them.",
        &mut settings.solids_no_slip,
        &[(false, "Slip"), (true, "Stick")],
    );
    derived(ui, "Fastest air", "In world units/s.", short(report.max_speed));
}

/// Kinds of sides, with their names on the panel.
const KINDS: [(&str, AirSide); 5] = [
    ("closed", AirSide::CLOSED),
    ("sticky", AirSide::STICKY),
    ("open", AirSide::Open),
    ("wind", AirSide::Inflow { velocity: Vec2::ZERO, smoke: 0.0, heat: 0.0 }),
    ("periodic", AirSide::Periodic),
];

fn name_of(side: &AirSide) -> &'static str {
    match side {
        AirSide::Closed { .. } if *side == AirSide::CLOSED => "closed",
        AirSide::Closed { .. } => "sticky",
        AirSide::Open => "open",
        AirSide::Inflow { .. } => "wind",
        AirSide::Periodic => "periodic",
    }
}

fn sides(ui: &mut Ui, sides: &mut AirSides) {
    let AirSides { left, right, bottom, top } = sides;
    let pairs = [
        (["Left side", "Left wind"], left, ["Right side", "Right wind"], right, Vec2::X),
        (["Lower side", "Lower wind"], bottom, ["Upper side", "Upper wind"], top, Vec2::Y),
    ];
    for (low_names, low, high_names, high, inwards) in pairs {
        side(ui, low_names, low, high, inwards);
        side(ui, high_names, high, low, -inwards);
    }
}

/// Edits a side. Opposite sides are periodic only together.
fn side(
    ui: &mut Ui,
    [name, wind]: [&'static str; 2],
    edited: &mut AirSide,
    opposite: &mut AirSide,
    inwards: Vec2,
) {
    let form = Form::default();
    let names = KINDS.map(|(name, _)| name.to_owned());
    let before = name_of(edited);
    let mut chosen = Some(before.to_owned());
    let help = "A wall that air slips along or sticks to, an opening, a wind that comes in, or what leaves \
        here comes in at the opposite side.";
    form.name(ui, name, help, &mut chosen, &names, None);
    let kind = KINDS.iter().find(|(name, _)| chosen.as_deref() == Some(*name));
    if let Some((name, side)) = kind.filter(|(name, _)| *name != before) {
        *edited = *side;
        if *name == "periodic" {
            *opposite = AirSide::Periodic;
        } else if *opposite == AirSide::Periodic {
            *opposite = AirSide::CLOSED;
        }
    }
    if let AirSide::Inflow { velocity, .. } = edited {
        // Adding 0 turns -0 into 0, which looks better.
        let mut speed = velocity.dot(inwards) + 0.0;
        let across = *velocity - speed * inwards;
        if form.number(ui, &Number { name: wind, ..INFLOW }, &mut speed, 0.0) {
            *velocity = across + speed * inwards;
        }
    }
}

fn projection(ui: &mut Ui, settings: &mut AirSettings) {
    let usual = [
        AirProjection::default(),
        AirProjection::GaussSeidel { iterations: 40, over_relaxation: 1.9 },
    ];
    // The chosen projection keeps its numbers.
    let is_chosen =
        |usual: &AirProjection| discriminant(usual) == discriminant(&settings.projection);
    let chosen = usual.map(|usual| if is_chosen(&usual) { settings.projection } else { usual });
    Form::default().choice(
        ui,
        "Method",
        "How the pressure is found: to a residual, or with a fixed number of sweeps.",
        &mut settings.projection,
        &[(chosen[0], "Multigrid"), (chosen[1], "Gauss-Seidel")],
    );
    let is_chosen =
        |usual: &AirProjection| discriminant(usual) == discriminant(&settings.projection);
    let projection = usual.into_iter().find(is_chosen).unwrap_or_default();
    rows(ui, settings, &AirSettings { projection, ..AirSettings::default() }, PROJECTION);
}

fn look_rows(ui: &mut Ui, look: &mut FluidAirLook) {
    let (form, usual) = (Form::default(), FluidAirLook::default());
    form.choice(
        ui,
        "Show",
        "The quantity that is drawn with the smoke.",
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
