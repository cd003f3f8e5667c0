//! The looks of a closed surface, in the tab of the looks.

use bevy::prelude::*;
use bevy_blob_fluid::blob_fluid::{ClassId, DensityClass};
use bevy_egui::egui;
use egui::Ui;

use crate::form::{Form, Number};
use bevy_blob_fluid::render::{
    FluidSurface, FluidSurfaceLook, FluidSurfaceMixing, FluidSurfaceQuality,
};
use bevy_blob_fluid::{FluidClassFilter, FluidMaterials};

const SMOOTHING: Number = Number::new(
    "Smoothing",
    "spacings",
    1.2,
    4.0,
    "How far a particle counts: little is bumpy, much is round and without detail.",
);
const THRESHOLD: Number =
    Number::new("Threshold", "", 0.1, 0.9, "Where the surface lies, from far out to far in.");
const LOOK_OPACITY: Number = Number::new(
    "Surface opacity",
    "",
    0.0,
    1.0,
    "Opacity of the liquid, times the alpha of the class's colour.",
);
const OUTLINE: Number =
    Number::new("Outline width", "spacings", 0.0, 3.0, "Width of the line along the surface.");
const RIM: Number = Number::new(
    "Rim light",
    "",
    0.0,
    2.0,
    "A band of light where the surface faces up, shade where it faces down and at walls.",
);
const DEPTH: Number = Number::new(
    "Depth",
    "spacings",
    1.0,
    60.0,
    "Depth at which the depth colour has nearly its full strength.",
);
const SPECULAR: Number =
    Number::new("Highlights", "", 0.0, 2.0, "Where the surface is turned towards the light.");
const GLOSS: Number = Number::new("Gloss", "", 0.0, 1.0, "How small and sharp the highlights are.");
const REFRACTION: Number = Number::new(
    "Refraction",
    "spacings",
    0.0,
    4.0,
    "Shift of the picture behind the liquid. Above 0, it costs a full-screen pass.",
);
const CAUSTICS: Number =
    Number::new("Caustics", "", 0.0, 1.0, "Moving lines of light below the surface.");
const REFLECTION: Number = Number::new(
    "Reflection",
    "",
    0.0,
    1.0,
    "How much it mirrors soft light: at its edges, and everywhere at 1, as metal does.",
);
const GLOW: Number = Number::new(
    "Glow",
    "",
    0.0,
    10.0,
    "Light of its own where it is hot; above 1 it blooms on an HDR camera.",
);

const GRAIN: Number =
    Number::new("Grain", "", 0.0, 1.0, "Contrast of the grains that powders show.");
const GRAIN_SIZE: Number = Number::new("Grain size", "spacings", 0.2, 4.0, "Width of a grain.");

const HAZE: Number = Number::new(
    "Haze",
    "",
    0.0,
    20.0,
    "How much light a gas takes. At 0 it is a liquid with a surface.",
);

/// Edits a surface. `chosen` is the class whose look is edited; `None` edits the look of all other
/// classes.
pub(crate) fn show(
    ui: &mut Ui,
    surface: &mut FluidSurface,
    chosen: &mut Option<ClassId>,
    classes: &[DensityClass],
    materials: &FluidMaterials,
) {
    let form = Form::default();
    let usual = FluidSurface::default();
    form.choice(
        ui,
        "Quality",
        "Texels per particle spacing: 2, 3 or 4. Low has neither foam nor glow.",
        &mut surface.quality,
        &[
            (FluidSurfaceQuality::Low, "Low"),
            (FluidSurfaceQuality::Medium, "Medium"),
            (FluidSurfaceQuality::High, "High"),
        ],
    );
    form.choice(
        ui,
        "Mixing",
        "Which classes blend into each other.",
        &mut surface.mixing,
        &[
            (FluidSurfaceMixing::ByPair, "By pair"),
            (FluidSurfaceMixing::Sharp, "Sharp"),
            (FluidSurfaceMixing::Blended, "Blended"),
        ],
    );
    form.choice(
        ui,
        "Walls",
        "Whether the liquid fills corners and ends at walls, or ends where its particles end.",
        &mut surface.meets_walls,
        &[(true, "Met"), (false, "Ignored")],
    );
    form.choice(
        ui,
        "Materials",
        "Whether classes of materials have the looks of their materials, or that of all classes.",
        &mut surface.material_looks,
        &[(true, "Own looks"), (false, "One look")],
    );
    form.number(ui, &SMOOTHING, &mut surface.smoothing, usual.smoothing);
    form.number(ui, &THRESHOLD, &mut surface.threshold, usual.threshold);
    let names: Vec<String> = classes.iter().map(|class| class.name.clone()).collect();
    let mut name = chosen.and_then(|class| names.get(class.index()).cloned());
    let help = "Looks are for all classes, or for one its own.";
    form.name(ui, "Look of", help, &mut name, &names, Some("all classes"));
    let index = name.and_then(|name| names.iter().position(|known| *known == name));
    *chosen = index.and_then(|index| u8::try_from(index).ok()).map(ClassId);
    let Some(class) = *chosen else {
        look_rows(ui, &mut surface.look);
        return;
    };
    let filter = FluidClassFilter::from(class);
    let place = surface.class_looks.iter().rposition(|(known, _)| *known == filter);
    let mut look = place.map(|place| surface.class_looks[place].1);
    let is_gas = classes.get(class.index()).is_some_and(DensityClass::is_gas);
    let shared = if is_gas { surface.gas_look } else { surface.look };
    let of_material = classes.get(class.index()).and_then(|class| materials.look(&class.name));
    let of_material = of_material.filter(|_| surface.material_looks).map(FluidSurfaceLook::from);
    let otherwise = of_material.unwrap_or(shared);
    let help = "Otherwise that of its material, or of all classes.";
    form.option(ui, "Own look", help, &mut look, || otherwise);
    if let Some(look) = &mut look {
        look_rows(ui, look);
    }
    match (place, look) {
        (Some(place), Some(look)) => surface.class_looks[place].1 = look,
        (None, Some(look)) => surface.class_looks.push((filter, look)),
        (Some(_), None) => surface.class_looks.retain(|(known, _)| *known != filter),
        (None, None) => {}
    }
}

fn look_rows(ui: &mut Ui, look: &mut FluidSurfaceLook) {
    let form = Form::default();
    let usual = FluidSurfaceLook::default();
    form.choice(
        ui,
        "Start from",
        "Replaces all of the look.",
        look,
        &[
            (FluidSurfaceLook::default(), "Soft"),
            (FluidSurfaceLook::WATER, "Water"),
            (FluidSurfaceLook::OIL, "Oil"),
            (FluidSurfaceLook::HONEY, "Honey"),
            (FluidSurfaceLook::SLIME, "Slime"),
            (FluidSurfaceLook::MERCURY, "Mercury"),
            (FluidSurfaceLook::LAVA, "Lava"),
            (FluidSurfaceLook::POWDER, "Powder"),
            (FluidSurfaceLook::FLAT, "Flat"),
            (FluidSurfaceLook::GAS, "Gas"),
        ],
    );
    // Destructured completely, so that a new field without a control is a compile error.
    let FluidSurfaceLook {
        opacity,
        outline_width,
        outline_color,
        rim_light,
        sky_color,
        depth,
        depth_color,
        specular,
        gloss,
        reflection,
        refraction,
        caustics,
        foam_color,
        glow,
        crust_color,
        grain,
        grain_size,
        haze,
    } = look;
    form.number(ui, &LOOK_OPACITY, opacity, usual.opacity);
    form.number(ui, &OUTLINE, outline_width, usual.outline_width);
    let help = "Its alpha says how much of the liquid's own colour it replaces.";
    form.look_colour(ui, "Outline colour", help, outline_color);
    form.number(ui, &RIM, rim_light, usual.rim_light);
    let help = "Colour of the light from above; its alpha says how much of the band is not the liquid's own.";
    form.look_colour(ui, "Sky colour", help, sky_color);
    form.number(ui, &DEPTH, depth, usual.depth);
    let help = "Colour far from the surface; its alpha says how much of it.";
    form.look_colour(ui, "Depth colour", help, depth_color);
    form.number(ui, &SPECULAR, specular, usual.specular);
    form.number(ui, &GLOSS, gloss, usual.gloss);
    form.number(ui, &REFLECTION, reflection, usual.reflection);
    form.number(ui, &REFRACTION, refraction, usual.refraction);
    form.number(ui, &CAUSTICS, caustics, usual.caustics);
    let help = "Colour of foam and spray; its alpha is their opacity.";
    form.look_colour(ui, "Foam colour", help, foam_color);
    form.number(ui, &GLOW, glow, usual.glow);
    let help = "Colour of the crust on hot liquid; its alpha is the part that it covers.";
    form.look_colour(ui, "Crust colour", help, crust_color);
    form.number(ui, &GRAIN, grain, usual.grain);
    form.number(ui, &GRAIN_SIZE, grain_size, usual.grain_size);
    form.number(ui, &HAZE, haze, usual.haze);
}
