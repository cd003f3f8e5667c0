//! Settings of every subject as data, so that a path finds each of their numbers.

use blob_fluid::air::{Air, AirSettings, AirSource, Projection, Side, Sides, Slip, Wind};
use blob_fluid::scene::Scene;
use blob_fluid::shape::{Polyline, Shape};
use blob_fluid::{
    Blob, Body, Bounds, Budget, ClassFilter, ClassPair, ClassTable, ClassViscosity, DensityClass,
    Drain, Elasticity, EmitterSettings, FillLevels, FluidParameters, Force, IntoAir, Lifetime,
    Motion, Nozzle, Reaction, Region, Sensor, SplashDetection, Substeps, Thermal, Transition,
    WallProperties, ranges::SettingRange,
};
use glam::Vec2;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Numbers that are not settings with a range: bits, indices of classes, positions, and what has rows
/// of its own.
const NO_SETTINGS: [&str; 5] = ["collision_layers", "class", "classes", "points", "region"];

/// Valid settings of a subject with defaults, and with all optional settings.
pub fn examples(subject: &str) -> Vec<Value> {
    match subject {
        "fluid parameters" => {
            let default =
                FluidParameters { rest_density: Some(10.0), ..FluidParameters::default() };
            let substeps = Substeps::Fixed(2);
            vec![data(default), data(FluidParameters { substeps, ..default })]
        }
        "class" => {
            let transition = || Some(Transition { temperature: 1.0, becomes: "any".into() });
            vec![data(DensityClass {
                name: "any".into(),
                viscosity: Some(ClassViscosity::default()),
                elasticity: Some(Elasticity::default()),
                thermal: Thermal {
                    temperature: Some(1.0),
                    above: transition(),
                    below: transition(),
                    into_air: Some(IntoAir {
                        above: 1.0,
                        colour: Some([1.0; 3]),
                        rains: transition(),
                        ..IntoAir::default()
                    }),
                    ..Thermal::default()
                },
                ..DensityClass::default()
            })]
        }
        "pair" => {
            let becomes = [None, None];
            vec![data(ClassPair {
                viscosity: Some(ClassViscosity::default()),
                segregation: Some(1.0),
                reaction: Some(Reaction { rate: 1.0, becomes, temperature: Some(1.0) }),
                ..ClassPair::new("heavy", "light")
            })]
        }
        "shape" => vec![
            data(Shape::Rectangle { half_size: Vec2::ONE }),
            data(Shape::Capsule { half_length: 1.0, radius: 1.0 }),
            data(Shape::Circle { radius: 1.0 }),
        ],
        "polyline" => vec![data(Polyline::new([Vec2::ZERO, Vec2::ONE], 0.0).expect("valid"))],
        "wall" => vec![data(WallProperties {
            friction: Some(0.5),
            temperature: Some(1.0),
            ..WallProperties::default()
        })],
        "motion" => vec![data(Motion::default())],
        "body" => vec![data(Body::new(1.0, 1.0))],
        "lifetime" => vec![data(Lifetime::new(1.0))],
        "emitter" => {
            let EmitterSettings { spread, inherit_velocity, .. } = EmitterSettings::jet(1.0, 1.0);
            vec![json!({
                "width": 1, "rate": 1, "speed": 1, "mix": [1, 1], "temperature": 1, "burst": 1,
                "spread": spread, "inherit_velocity": inherit_velocity,
            })]
        }
        "blob" => vec![json!({ "spacing": 1.03, "velocity": [0, 0], "temperature": 1 })],
        "drain" => vec![json!({ "rate": 1 })],
        "force" => vec![data(Force::default())],
        // The limits of these two depend on each other.
        "fill levels" => vec![
            data(FillLevels::default()),
            data(FillLevels { full_at: 1.0, empty_below: f32::MIN_POSITIVE }),
        ],
        "sensor" => vec![json!({ "smoothing": sensor().smoothing() })],
        "splash detection" => vec![data(SplashDetection::default())],
        "budget" => vec![data(Budget::default())],
        "scene" => {
            let Scene { duration, tick_rate, .. } = Scene::default();
            vec![json!({ "duration": duration, "tick_rate": tick_rate })]
        }
        "air" => {
            let default = AirSettings::default();
            let projection = Projection::GaussSeidel { iterations: 9, over_relaxation: 1.5 };
            let other = AirSettings { projection, ..default };
            vec![data(default), data(other), json!({ "cell_size": 1 })]
        }
        "air side" => {
            let sticky = Side::Closed { slip: Slip::NoSlip { velocity: 1.0 } };
            let inflow = Side::Inflow { velocity: Vec2::ONE, smoke: 0.0, heat: 0.0 };
            vec![data(inflow), data(sticky)]
        }
        "air source" => {
            let wind = Some(Wind { velocity: Vec2::ONE, strength: Some(1.0) });
            vec![data(AirSource { colour: Some([1.0; 3]), wind, ..AirSource::new(region()) })]
        }
        _ => panic!("no example of {subject}"),
    }
}

/// Checks settings of a subject.
pub fn apply(subject: &str, value: &Value) -> Result<(), String> {
    let float = |name: &str| number_at(value, name).expect("a number");
    match subject {
        "fluid parameters" => text(read::<FluidParameters>(value)?.validate()),
        "class" => text(ClassTable::new(vec![read(value)?])),
        "pair" => {
            let classes = ClassTable::default().iter().cloned().collect();
            text(ClassTable::with_pairs(classes, vec![read(value)?]))
        }
        "shape" => text(read::<Shape>(value)?.validate()),
        "polyline" => text(read::<Polyline>(value)),
        "wall" => text(read::<WallProperties>(value)?.validate()),
        "motion" => text(read::<Motion>(value)?.validate()),
        "body" => text(read::<Body>(value)?.validate()),
        "lifetime" => text(read::<Lifetime>(value)?.validate()),
        "emitter" => {
            let share = float("mix");
            let settings = EmitterSettings {
                rate: Some(float("rate")),
                speed: Some(float("speed")),
                spread: float("spread"),
                inherit_velocity: float("inherit_velocity"),
                // There is another error if all shares are 0.
                mix: vec![(Default::default(), 1.0), (Default::default(), share)],
                temperature: Some(float("temperature")),
                burst: Some(float("burst") as u32),
                ..EmitterSettings::jet(1.0, 1.0)
            };
            let nozzle = Nozzle::Slot { width: float("width") };
            text(EmitterSettings { nozzle, ..settings }.validate())
        }
        "blob" => {
            let speed = Vec2::splat(float("velocity"));
            text(
                Blob {
                    spacing: float("spacing"),
                    velocity: speed,
                    temperature: Some(float("temperature")),
                    ..Blob::new(region(), Default::default())
                }
                .validate(),
            )
        }
        "drain" => text(Drain::new(region()).set_rate(Some(float("rate")))),
        "force" => text(read::<Force>(value)?.validate()),
        "fill levels" => text(read::<FillLevels>(value)?.validate()),
        "sensor" => text(sensor().set_smoothing(float("smoothing"))),
        "splash detection" => text(read::<SplashDetection>(value)?.validate()),
        "budget" => text(read::<Budget>(value)?.validate()),
        "scene" => text(read::<Scene>(value)?.build()),
        "air" => match number_at(value, "cell_size") {
            Some(cell) => {
                let bounds = Bounds { low: Vec2::ZERO, high: Vec2::splat(cell) };
                text(Air::new(bounds, cell, AirSettings::default(), Sides::default()))
            }
            None => text(read::<AirSettings>(value)?.validate()),
        },
        "air side" => text(Sides { left: read(value)?, ..Sides::default() }.validate()),
        "air source" => text(read::<AirSource>(value)?.validate()),
        _ => panic!("no {subject}"),
    }
}

fn region() -> Region {
    Region::circle(Vec2::ZERO, 1.0).expect("valid")
}

fn sensor() -> Sensor {
    Sensor::new(region(), ClassFilter::ALL)
}

fn data(settings: impl Serialize) -> Value {
    serde_json::to_value(settings).expect("data")
}

fn read<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_json::from_value(value.clone()).map_err(|error| error.to_string())
}

fn text<T, E: ToString>(result: Result<T, E>) -> Result<(), String> {
    result.map(|_| ()).map_err(|error| error.to_string())
}

/// Whether an object's field is a variant of an enum rather than a field of a struct.
fn is_variant(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_uppercase())
}

/// The value at a path: a number or an array of numbers. Paths do not contain variants of enums.
fn at<'a>(value: &'a mut Value, path: &str) -> Option<&'a mut Value> {
    let variant = value.as_object().and_then(|fields| fields.keys().find(|name| is_variant(name)));
    if let Some(variant) = variant.cloned() {
        return at(&mut value[variant], path);
    }
    if path.is_empty() {
        let of_numbers = |items: &Vec<Value>| items.iter().all(Value::is_number);
        let found = value.is_number() || value.as_array().is_some_and(of_numbers);
        return found.then_some(value);
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    at(value.get_mut(name)?, rest)
}

/// The number at a path, if there is one. If there are several, they must be equal.
pub fn number_at(value: &Value, path: &str) -> Option<f32> {
    let mut value = value.clone();
    let found = at(&mut value, path)?;
    let number = match found {
        Value::Array(items) => items.iter().find(|item| **item != items[0]).or(items.first())?,
        number => number,
    };
    // This also holds for numbers that are too large.
    number.as_f64().map(|number| number as f32)
}

/// Writes a number to a row's path. If there are several numbers, it writes to the last.
pub fn set(value: &mut Value, row: &SettingRange, number: f64) {
    // Infinity cannot be written, but a number that is read as infinity can.
    let written = number.clamp(-1e300, 1e300);
    let number = if row.whole { Value::from(written as i64) } else { Value::from(written) };
    match at(value, row.path).expect("checked") {
        Value::Array(items) => *items.last_mut().expect("some") = number,
        single => *single = number,
    }
}

/// Paths of all numbers that are settings.
pub fn numbers_in(value: &Value) -> Vec<String> {
    match value {
        Value::Number(_) => vec![String::new()],
        Value::Array(items) => items.first().map(numbers_in).unwrap_or_default(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| !NO_SETTINGS.contains(&name.as_str()));
            let paths = fields.flat_map(|(name, value)| {
                numbers_in(value).into_iter().map(move |rest| match (is_variant(name), &*rest) {
                    (true, _) => rest,
                    (false, "") => name.clone(),
                    (false, _) => format!("{name}.{rest}"),
                })
            });
            paths.collect()
        }
        _ => Vec::new(),
    }
}
