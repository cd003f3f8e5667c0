//! Tests how often a pixel of a surface reads a texture.

use bevy::render::render_resource::ShaderType;
use bevy::render::view::ViewUniform;
use naga::{Block, Expression, Function, Literal, Module, Statement, TypeInner};

use super::compose::compose;
use super::{FLAGS, MODULES, ShaderSource, library};

/// The module of a shader with these flags.
fn module(source: ShaderSource, flags: &[&str]) -> Module {
    let (name, text) = source.built_in().expect("of this crate");
    let composed = compose(library(), name, text, flags).unwrap_or_else(|error| panic!("{error}"));
    naga::front::wgsl::parse_str(&composed).unwrap_or_else(|error| {
        panic!("{name} with {flags:?}: {}", error.emit_to_string(&composed))
    })
}

/// Numbers of texture reads on the control-flow paths through a part of a function; `None` if there is no such path.
#[derive(Clone, Copy)]
struct Ways {
    /// Up to the part's end.
    through: Option<u32>,
    /// Up to where the function ends within it.
    left: Option<u32>,
}

/// The fewest or the most reads, as `choose` says. A loop with a known number of rounds takes all, and any other loop
/// one.
struct Reads<'a> {
    module: &'a Module,
    choose: fn(u32, u32) -> u32,
}

impl Reads<'_> {
    fn either(&self, one: Option<u32>, other: Option<u32>) -> Option<u32> {
        one.zip(other).map_or(one.or(other), |(one, other)| Some((self.choose)(one, other)))
    }

    fn either_way(&self, one: Ways, other: Ways) -> Ways {
        Ways {
            through: self.either(one.through, other.through),
            left: self.either(one.left, other.left),
        }
    }

    /// The reads of a whole function.
    fn of(&self, function: &Function) -> u32 {
        let Ways { through, left } = self.of_block(function, &function.body);
        self.either(through, left).unwrap_or(0)
    }

    fn of_block(&self, function: &Function, block: &Block) -> Ways {
        let (mut so_far, mut left) = (0, None);
        for statement in block {
            let ways = self.of_statement(function, statement);
            left = self.either(left, ways.left.map(|reads| so_far + reads));
            let Some(reads) = ways.through else { return Ways { through: None, left } };
            so_far += reads;
        }
        Ways { through: Some(so_far), left }
    }

    fn of_statement(&self, function: &Function, statement: &Statement) -> Ways {
        let reads = match statement {
            Statement::Emit(range) => {
                let is_read = |expression: &Expression| {
                    matches!(
                        expression,
                        Expression::ImageSample { .. } | Expression::ImageLoad { .. }
                    )
                };
                let emitted = range.clone().filter(|at| is_read(&function.expressions[*at]));
                emitted.count() as u32
            }
            Statement::Call { function, .. } => self.of(&self.module.functions[*function]),
            Statement::Return { .. } | Statement::Kill => {
                return Ways { through: None, left: Some(0) };
            }
            Statement::Block(block) => return self.of_block(function, block),
            Statement::If { accept, reject, .. } => {
                let [accept, reject] = [accept, reject].map(|block| self.of_block(function, block));
                return self.either_way(accept, reject);
            }
            Statement::Switch { cases, .. } => {
                let ways = cases.iter().map(|case| self.of_block(function, &case.body));
                return ways
                    .reduce(|one, other| self.either_way(one, other))
                    .unwrap_or(Ways { through: Some(0), left: None });
            }
            Statement::Loop { body, .. } => {
                let round = self.of_block(function, body);
                let through = round.through.map(|reads| reads * rounds(function, body));
                return Ways { through, left: round.left };
            }
            _ => 0,
        };
        Ways { through: Some(reads), left: None }
    }
}

/// Number of rounds of a loop that counts from 0 to a number; 1 for any other loop.
fn rounds(function: &Function, body: &Block) -> u32 {
    let end = body.iter().find_map(|statement| {
        let Statement::If { condition, reject, .. } = statement else { return None };
        if !matches!(reject.first(), Some(Statement::Break)) {
            return None;
        }
        let Expression::Binary { op: naga::BinaryOperator::Less, right, .. } =
            function.expressions[*condition]
        else {
            return None;
        };
        match function.expressions[right] {
            Expression::Literal(Literal::I32(end)) => u32::try_from(end).ok(),
            Expression::Literal(Literal::U32(end)) => Some(end),
            _ => None,
        }
    });
    end.unwrap_or(1)
}

/// The fewest and the most reads of a pixel.
fn of_pixel(module: &Module) -> [u32; 2] {
    let entry = module.entry_points.iter().find(|entry| entry.name == "fragment");
    let function = &entry.expect("a fragment shader").function;
    [u32::min, u32::max].map(|choose| Reads { module, choose }.of(function))
}

#[test]
fn a_pixel_reads_textures_as_often_as_it_is_said_to() {
    let mut wrong = Vec::new();
    // Far from the surface, and near it. Whoever makes a shader read more says so here, and in docs/rendering.md.
    for (source, flags, expected) in [
        (ShaderSource::Draw, &["ONE_LIQUID"][..], [5, 9]),
        (ShaderSource::Draw, &["ONE_LIQUID", "CAUSTICS"], [5, 9]),
        (ShaderSource::Draw, &["ONE_LIQUID", "DETAILS"], [5, 9]),
        (ShaderSource::Draw, &["ONE_LIQUID", "DETAILS", "GRAIN"], [5, 9]),
        (ShaderSource::Draw, &["ONE_LIQUID", "REFRACTION"], [5, 10]),
        // With the nearest of the walls around.
        (ShaderSource::Draw, &["ONE_LIQUID", "WALLS"], [6, 37]),
        (ShaderSource::Draw, &["ONE_LIQUID", "DETAILS", "HAZE"], [6, 10]),
        (ShaderSource::Draw, &["ONE_LIQUID", "DETAILS", "GLOW", "CRUST"], [5, 13]),
        (ShaderSource::Draw, &["FOUR_LIQUIDS", "DETAILS", "GLOW", "CRUST"], [7, 24]),
        (ShaderSource::Draw, &["TILES", "DETAILS", "GLOW", "CRUST"], [3, 24]),
        (ShaderSource::Draw, &["ONE_LIQUID", "DETAILS", "GLOW", "HAZE"], [6, 10]),
        // Where there are only gases, their haze is all that is read.
        (ShaderSource::Draw, &["NO_LIQUID", "DETAILS", "HAZE"], [1, 1]),
        (ShaderSource::Haze, &["FROM_GASES", "DETAILS"], [0, 6]),
        (ShaderSource::Haze, &["FROM_GASES", "DETAILS", "GLOW"], [0, 19]),
        (ShaderSource::Draw, &["FOUR_LIQUIDS"], [5, 18]),
        (ShaderSource::Draw, &["FOUR_LIQUIDS", "DETAILS"], [7, 20]),
        // For each of the liquids of a strip.
        (ShaderSource::Draw, &["TILES"], [1, 18]),
        (ShaderSource::Draw, &["TILES", "DETAILS"], [3, 20]),
        (ShaderSource::Shape, &[], [48, 48]),
        (ShaderSource::Coarser, &[], [4, 4]),
        (ShaderSource::Coarser, &["FROM_FIELD", "NO_LIQUID"], [0, 0]),
        (ShaderSource::Field, &["ONE_LIQUID"], [0, 0]),
    ] {
        let count = of_pixel(&module(source, flags));
        if count != expected {
            wrong.push(format!("{source:?} with {flags:?}: {count:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_uniform_of_a_view_is_that_of_bevy() {
    let module = module(ShaderSource::Dots, &[]);
    let view = module.types.iter().find(|(_, of)| of.name.as_deref() == Some("View"));
    let TypeInner::Struct { span, .. } = view.expect("imported").1.inner else {
        panic!("a struct")
    };
    assert_eq!(u64::from(span), ViewUniform::min_size().get());
}

#[test]
fn each_method_of_tone_mapping_is_valid() {
    let methods = FLAGS.iter().filter(|flag| flag.starts_with("TONEMAP_METHOD"));
    for method in methods.copied().chain(["WALLS"]) {
        for output in ["SRGB_OUTPUT", "OKLAB_OUTPUT"] {
            let flags = ["ONE_LIQUID", "TONEMAP_IN_SHADER", method, output];
            for source in [ShaderSource::Draw, ShaderSource::Dots, ShaderSource::Air] {
                module(source, &flags);
            }
        }
    }
}

#[test]
fn modules_are_sorted_by_path() {
    assert!(MODULES.is_sorted_by_key(|(path, _)| path));
}
