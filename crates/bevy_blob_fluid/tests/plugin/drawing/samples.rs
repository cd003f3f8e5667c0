//! How often a pixel of a surface reads a texture: counts in its shaders, which cannot grow unseen.

use std::collections::HashMap;

use bevy::shader::Shader;
use naga::{Block, Expression, Function, Literal, Module, Statement};
use naga_oil::compose::{Composer, NagaModuleDescriptor, ShaderDefValue};

use super::flat::{body, flat, set};
use crate::app::*;
use crate::pictures::shoot;

/// All shaders of an app, put together as Bevy does.
struct Shaders {
    composer: Composer,
    all: Vec<Shader>,
}

impl Shaders {
    fn of(app: &App) -> Self {
        let all = app.world().resource::<Assets<Shader>>();
        let all = all.iter().map(|(_, shader)| shader.clone()).collect();
        Self { composer: Composer::default(), all }
    }

    fn named(&self, end: &str) -> Shader {
        let found = self.all.iter().find(|shader| shader.path.ends_with(end));
        found.unwrap_or_else(|| panic!("no {end}")).clone()
    }

    /// Adds what a shader imports, and what that imports.
    fn import(&mut self, shader: &Shader) {
        for import in &shader.imports {
            if self.composer.contains_module(&import.module_name()) {
                continue;
            }
            let found = self.all.iter().find(|other| other.import_path == *import);
            let found = found.unwrap_or_else(|| panic!("no {import:?}")).clone();
            self.import(&found);
            self.composer.add_composable_module((&found).into()).expect("composed");
        }
    }

    /// The module of a shader with these definitions.
    fn module(&mut self, shader: &Shader, defs: &[&str]) -> Module {
        self.import(shader);
        let shader_defs: HashMap<String, ShaderDefValue> =
            defs.iter().map(|def| ((*def).to_owned(), ShaderDefValue::Bool(true))).collect();
        assert!(shader.shader_defs.is_empty(), "none of its own");
        let described = NagaModuleDescriptor { shader_defs, ..shader.into() };
        self.composer.make_naga_module(described).expect("a shader")
    }
}

/// How often the ways through a part of a function read textures: `None` where there is no such way.
#[derive(Clone, Copy)]
struct Ways {
    /// Up to the part's end.
    through: Option<u32>,
    /// Up to where the function ends within it.
    left: Option<u32>,
}

/// The fewest or the most reads, as `choose` says. A loop with a number of rounds takes all of them, and any other loop
/// one round.
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

    /// All of a function.
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

/// How often a loop runs that counts from 0 to a number, and 1 for any other.
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
    let Some((mut app, picture)) = flat() else { return };
    // What is drawn has been loaded.
    set(&mut app, body(0, |at| at.length() < 40.0));
    shoot(&mut app, &picture);
    let mut shaders = Shaders::of(&app);
    let mut wrong = Vec::new();
    // Far from the surface, and near it. Whoever makes a shader read more says so here, and in docs/rendering.md.
    for (pass, defs, expected) in [
        ("draw", &["ONE_LIQUID"][..], [5, 9]),
        ("draw", &["ONE_LIQUID", "CAUSTICS"], [5, 9]),
        ("draw", &["ONE_LIQUID", "DETAILS"], [5, 9]),
        ("draw", &["ONE_LIQUID", "REFRACTION"], [5, 10]),
        // With the nearest of the walls around.
        ("draw", &["ONE_LIQUID", "WALLS"], [6, 37]),
        ("draw", &["ONE_LIQUID", "DETAILS", "HAZE"], [6, 10]),
        ("draw", &["ONE_LIQUID", "DETAILS", "GLOW", "CRUST"], [5, 13]),
        ("draw", &["FOUR_LIQUIDS", "DETAILS", "GLOW", "CRUST"], [7, 19]),
        ("draw", &["TILES", "DETAILS", "GLOW", "CRUST"], [3, 19]),
        ("draw", &["ONE_LIQUID", "DETAILS", "GLOW", "HAZE"], [6, 10]),
        // Where there are only gases, their haze is all that is read.
        ("draw", &["NO_LIQUID", "DETAILS", "HAZE"], [1, 1]),
        ("haze", &["FROM_GASES", "DETAILS"], [0, 6]),
        ("haze", &["FROM_GASES", "DETAILS", "GLOW"], [0, 19]),
        ("draw", &["FOUR_LIQUIDS"], [5, 13]),
        ("draw", &["FOUR_LIQUIDS", "DETAILS"], [7, 15]),
        // For each of the liquids of a strip.
        ("draw", &["TILES"], [1, 13]),
        ("draw", &["TILES", "DETAILS"], [3, 15]),
        ("shape", &[], [48, 48]),
        ("coarser", &[], [4, 4]),
        ("coarser", &["FROM_FIELD", "NO_LIQUID"], [0, 0]),
        ("field", &["ONE_LIQUID"], [0, 0]),
    ] {
        let shader = shaders.named(&format!("surface/passes/{pass}.wgsl"));
        let count = of_pixel(&shaders.module(&shader, defs));
        if count != expected {
            wrong.push(format!("{pass} with {defs:?}: {count:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
