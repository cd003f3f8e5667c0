//! Wear: liquid that corrodes, erodes or melts tiles and colliders, and blasts that break them.

use std::collections::BTreeMap;
use std::iter;

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::transform::helper::TransformHelper;
use blob_fluid::ranges::Limits;
use blob_fluid::{
    BlastHits, CapacityPolicy, ClassFilter, ClassId, Collider, FluidRegion, FluidShape, OutOfRange,
    ParticleId, ParticleSpawn,
};

use super::collider::FluidColliders;
use super::tiles::{FluidTiles, MergedTiles, merge_tiles_of_levels};
use crate::concern;
use crate::materials::{FilteredClasses, FluidClassFilter};
use crate::placing::Placement;
use crate::schedule::{FluidEntitySystems, FluidOrder, FluidSchedule, FluidTickSystems, Ranks};
#[cfg(feature = "gpu")]
use crate::simulation::DeviceLiquid;
use crate::simulation::{FluidSimulation, RestartApp};
use crate::warnings::Warnings;

/// Adds the types and systems below.
pub(super) fn add_wear(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidWear>()
        .register_type::<FluidWearRate>()
        .register_type::<FluidStrength>()
        .register_type::<FluidWornOut>()
        .add_message::<FluidWornOut>()
        .add_systems(
            schedule,
            open_worn_tiles
                .in_set(FluidEntitySystems::Tiles)
                .before(merge_tiles_of_levels)
                .run_if(any_with_component::<FluidWear>),
        )
        .add_systems(
            FluidSchedule,
            wear_walls.before(FluidTickSystems::Sources).run_if(any_with_component::<FluidWear>),
        )
        .begins_anew::<FluidWear>();
}

/// Distance within which a particle touches a wall, in particle spacings. It lies between the first two layers of a pool.
const TOUCH: f32 = 1.25;

/// Lets liquid wear the [`FluidTiles`] or the [`FluidCollider`](crate::FluidCollider) of the entity: acid
/// corrodes, a stream erodes, lava melts.
///
/// Each tile, or the collider, has a strength, which touching particles reduce at the [rates](Self::rates). A particle
/// touches a wall within 1.25 particle spacings, so the first layer of a pool touches its floor. A particle touches
/// only the nearest tile. A tile without strength disappears with the next run of [`FluidEntitySystems::Tiles`], and
/// may [loosen](Self::loosens) particles. A collider stays: the game reacts to [`FluidWornOut`], which reports worn
/// tiles and colliders. [`FluidStrength`] has the strength that is left, and counts; snapshots and rollback contain
/// this component and the tiles. Inserting `FluidWear` again renews all strength, but restores no tile.
///
/// Only contacts at the beginning of a tick count. A component with values out of range, or a rate with unknown
/// classes, does nothing; there is one warning. Liquid on the graphics card
/// ([`FluidBackend::Gpu`](crate::FluidBackend::Gpu)) wears nothing. Without this component nothing is computed.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     // Ten particles take a strength of 1 in a second, and each is used up by a strength of 0.5.
///     let acid = FluidWearRate::by_contact("acid", 0.1).with_particle_strength(0.5);
///     let floor = FluidTiles::from_fn(UVec2::new(20, 4), Vec2::splat(16.0), |_| true);
///     commands.spawn((floor, FluidWear::new(3.0, [acid])));
/// }
///
/// /// A post that has been eaten through.
/// fn fall(worn: On<FluidWornOut>, mut commands: Commands) {
///     if worn.tile.is_none() {
///         commands.entity(worn.entity).despawn();
///     }
/// }
/// # App::new().add_systems(Startup, setup).add_observer(fall);
/// ```
#[doc = guide!("tiles")]
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform, FluidOrder)]
#[component(on_insert = concern::insert::<FluidStrength>, on_remove = concern::remove::<FluidStrength>)]
pub struct FluidWear {
    /// Strength of each new tile, or of the collider; above 0, up to 1e9. Default 1.
    pub strength: f32,
    /// The liquids that wear the wall, and their rates. Default none.
    pub rates: Vec<FluidWearRate>,
    /// Name of the class of the particles into which a worn tile turns; `None`, the default, for no particles. While
    /// the world is full, these particles wait.
    pub loosens: Option<String>,
    /// Number of particles from a worn tile, as a fraction of the number that fills the tile; 0 to 1. One particle
    /// fills one square of the particle spacing. Default 1. Fractions of particles add up over tiles.
    pub loosened_share: f32,
    /// Pressure of a [`FluidBlast`](crate::FluidBlast) above which a tile of full strength, or the collider, breaks, in
    /// masses/s²; above 0, up to 1e12. A worn tile breaks at the same fraction of the pressure as its remaining
    /// strength. `None`, the default, if no blast breaks it.
    pub breaks_at: Option<f32>,
}

impl Default for FluidWear {
    /// A wall that nothing wears.
    fn default() -> Self {
        let (rates, loosens, breaks_at) = (Vec::new(), None, None);
        Self { strength: 1.0, rates, loosens, loosened_share: 1.0, breaks_at }
    }
}

impl FluidWear {
    /// A wall with a strength, above 0 and up to 1e9, and the rates at which liquids wear it.
    pub fn new(strength: f32, rates: impl Into<Vec<FluidWearRate>>) -> Self {
        Self { strength, rates: rates.into(), ..Self::default() }
    }

    /// The same wall, whose worn tiles turn into particles of the class with this name.
    pub fn loosening(mut self, class: impl Into<String>) -> Self {
        self.loosens = Some(class.into());
        self
    }

    /// The same wall, which blasts break above this pressure, in masses/s²; above 0, up to 1e12.
    pub const fn breaking_at(mut self, pressure: f32) -> Self {
        self.breaks_at = Some(pressure);
        self
    }

    fn validate(&self) -> Result<(), OutOfRange> {
        STRENGTHS.check("fluid wear", "strength", self.strength)?;
        let pressure = self.breaks_at.unwrap_or(1.0);
        Limits::above(0.0, 1e12).check("fluid wear", "breaks_at", pressure)?;
        Limits::between(0.0, 1.0).check("fluid wear", "loosened_share", self.loosened_share)?;
        self.rates.iter().try_for_each(FluidWearRate::validate)
    }
}

/// Strengths above 0.
const STRENGTHS: Limits = Limits::above(0.0, 1e9);

/// Rates of wear.
const RATES: Limits = Limits::between(0.0, 1e9);

/// A rate at which some liquids wear a wall ([`FluidWear`]): the sum of wear by contact, by flow and by heat, for each
/// touching particle. The default rate is 0.
///
/// ```
/// use bevy_blob_fluid::prelude::*;
///
/// let stream = FluidWearRate::by_flow("water", 0.01);
/// // Stagnant water softens the bank as well.
/// let stream = FluidWearRate { contact: 0.001, ..stream };
/// // Lava freezes while it melts ice: a particle for each strength of 2.
/// let lava = FluidWearRate::by_heat("lava", 0.002, 0.0).with_particle_strength(2.0).becoming("stone");
/// let wear = FluidWear::new(1.0, [stream, lava]);
/// assert_eq!(wear.rates[1].particle_strength, Some(2.0));
/// ```
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidWearRate {
    /// The liquids that wear the wall. Default all.
    pub classes: FluidClassFilter,
    /// Wear by contact, in strength/s for each touching particle; 0 to 1e9.
    pub contact: f32,
    /// Wear by flow along or into the wall; 0 to 1e9. The unit is strength per world unit of the path of each
    /// touching particle, relative to the wall.
    pub flow: f32,
    /// Wear by heat, in strength/s for each touching particle and each degree above [`heat_above`](Self::heat_above); 0
    /// to 1e9.
    pub heat: f32,
    /// Temperature above which heat wears the wall, in degrees; within ±1e6.
    pub heat_above: f32,
    /// Strength that a particle takes from the wall before it is used up; above 0, up to 1e9. `None`, the default, if
    /// particles are not used up. The strengths taken by all particles are added, and each multiple of this strength
    /// uses up exactly one particle. In one tick, a particle takes at most this strength.
    pub particle_strength: Option<f32>,
    /// Name of the class into which used up particles change; `None`, the default, removes these particles.
    pub becomes: Option<String>,
}

impl FluidWearRate {
    /// Wear by contact, in strength/s for each touching particle.
    pub fn by_contact(classes: impl Into<FluidClassFilter>, rate: f32) -> Self {
        Self { classes: classes.into(), contact: rate, ..Self::default() }
    }

    /// Wear by flow along or into the wall, in strength per world unit of path of each touching particle.
    pub fn by_flow(classes: impl Into<FluidClassFilter>, rate: f32) -> Self {
        Self { classes: classes.into(), flow: rate, ..Self::default() }
    }

    /// Wear by heat, in strength/s for each touching particle and each degree by which its temperature exceeds `above`.
    pub fn by_heat(classes: impl Into<FluidClassFilter>, rate: f32, above: f32) -> Self {
        Self { classes: classes.into(), heat: rate, heat_above: above, ..Self::default() }
    }

    /// The same rate, but particles are used up: one particle each time the particles together have taken this
    /// strength from the wall.
    pub const fn with_particle_strength(mut self, strength: f32) -> Self {
        self.particle_strength = Some(strength);
        self
    }

    /// The same rate, whose used up particles change into the class with this name.
    pub fn becoming(mut self, class: impl Into<String>) -> Self {
        self.becomes = Some(class.into());
        self
    }

    fn validate(&self) -> Result<(), OutOfRange> {
        for (field, value) in [("contact", self.contact), ("flow", self.flow), ("heat", self.heat)]
        {
            RATES.check("fluid wear rate", field, value)?;
        }
        Limits::within(1e6).check("fluid wear rate", "heat_above", self.heat_above)?;
        let strength = self.particle_strength.unwrap_or(1.0);
        STRENGTHS.check("fluid wear rate", "particle_strength", strength)
    }

    /// Strength that a particle takes in a second.
    fn strength_per_second(&self, speed: f32, temperature: f32) -> f64 {
        let degrees = (temperature - self.heat_above).max(0.0);
        f64::from(self.contact)
            + f64::from(self.flow) * f64::from(speed)
            + f64::from(self.heat) * f64::from(degrees)
    }
}

/// The strength that is left of a [`FluidWear`], and the amounts of strength and particles used up so far. For reading
/// only.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[cfg_attr(feature = "snapshot", derive(serde::Serialize, serde::Deserialize))]
pub struct FluidStrength {
    /// Strength that is left of each tile, in the order of [`FluidTiles::solid`]; 0 where no tile is. A
    /// collider has one entry.
    pub remaining: Vec<f64>,
    /// Strength that each of the [rates](FluidWear::rates) has removed.
    pub removed: Vec<f64>,
    /// Number of particles that each of the rates has used up.
    pub used_up: Vec<u64>,
    /// Number of worn out tiles, or 1 for a worn out collider.
    pub worn_out: u64,
    /// Number of particles that worn out tiles have turned into.
    pub loosened: u64,
    /// Tiles without strength that still have a collider.
    #[reflect(ignore)]
    closed: Vec<u32>,
    /// Opened tiles whose particles have not appeared.
    #[reflect(ignore)]
    opened: Vec<u32>,
}

impl FluidStrength {
    /// Whether each tile has a collider.
    #[cfg(feature = "snapshot")]
    pub(crate) fn solid_tiles(&self) -> Vec<bool> {
        let mut solid: Vec<bool> = self.remaining.iter().map(|strength| *strength > 0.0).collect();
        for tile in &self.closed {
            if let Some(solid) = solid.get_mut(*tile as usize) {
                *solid = true;
            }
        }
        solid
    }

    /// Whether all amounts are possible.
    #[cfg(feature = "snapshot")]
    pub(crate) fn is_sound(&self) -> bool {
        let mut amounts = self.remaining.iter().chain(&self.removed);
        amounts.all(|amount| amount.is_finite() && *amount >= 0.0)
            && (self.closed.len() + self.opened.len()) as u64 <= self.worn_out
    }
}

/// The strength of a tile or of a collider is used up ([`FluidWear`]). The message is also triggered for observers,
/// once for each tile or collider.
#[derive(Message, EntityEvent, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Clone, Debug, PartialEq)]
pub struct FluidWornOut {
    /// The entity with the [`FluidWear`].
    pub entity: Entity,
    /// Column and row of the tile; `None` for a collider.
    pub tile: Option<UVec2>,
}

/// Removes tiles without strength. Gives tiles that the game has added or removed their strength.
fn open_worn_tiles(mut walls: Query<(&FluidWear, &mut FluidStrength, Option<&mut FluidTiles>)>) {
    for (wear, mut strength, tiles) in &mut walls {
        if wear.validate().is_err() {
            continue;
        }
        let full = f64::from(wear.strength);
        let Some(mut tiles) = tiles else {
            if strength.remaining.len() != 1 {
                strength.remaining = vec![full];
            }
            continue;
        };
        let mut changed = tiles.is_changed();
        if !strength.closed.is_empty() {
            changed = true;
            for tile in std::mem::take(&mut strength.closed) {
                if let Some(solid) = tiles.solid.get_mut(tile as usize) {
                    *solid = false;
                }
                strength.opened.push(tile);
            }
        }
        if changed || strength.remaining.len() != tiles.solid.len() {
            strength.remaining.resize(tiles.solid.len(), 0.0);
            for (left, solid) in strength.remaining.iter_mut().zip(&tiles.solid) {
                *left = match solid {
                    true if *left > 0.0 => *left,
                    true => full,
                    false => 0.0,
                };
            }
        }
    }
}

/// A particle that touches a tile or a collider.
struct Touch {
    id: ParticleId,
    index: usize,
    /// Index into [`FluidStrength::remaining`].
    part: usize,
    /// Velocity of the wall at the particle.
    wall_velocity: Vec2,
}

/// Wears all walls by the contacts at the beginning of a tick.
fn wear_walls(
    mut walls: Query<(
        Entity,
        &FluidWear,
        &mut FluidStrength,
        Option<&FluidTiles>,
        Option<&Children>,
    )>,
    merged: Query<(), With<MergedTiles>>,
    colliders: Res<FluidColliders>,
    transforms: TransformHelper,
    ranks: Ranks,
    classes: FilteredClasses,
    time: Res<Time>,
    mut fluid: ResMut<FluidSimulation>,
    mut commands: Commands,
    mut worn: MessageWriter<FluidWornOut>,
    mut refused: Warnings,
    mut unknown: Warnings,
    mut misplaced: Warnings,
    #[cfg(feature = "gpu")] on_device: Option<Res<DeviceLiquid>>,
) {
    refused.retain(|entity| walls.contains(entity));
    unknown.retain(|entity| walls.contains(entity));
    misplaced.retain(|entity| walls.contains(entity));
    #[cfg(feature = "gpu")]
    if on_device.is_some() {
        warn_once!("`FluidWear` does nothing while the liquid is on the graphics card");
        return;
    }
    let elapsed = f64::from(time.delta_secs().min(fluid.parameters().max_time_step));
    let mut walls: Vec<_> = walls.iter_mut().collect();
    // A particle may touch several walls: a fixed order keeps the results deterministic.
    walls.sort_unstable_by_key(|(entity, ..)| ranks.of(*entity));
    for (entity, wear, mut strength, tiles, children) in walls {
        if refused.check(entity, "fluid wear", wear.validate()).is_none() {
            continue;
        }
        let names = wear.loosens.iter().chain(wear.rates.iter().flat_map(|rate| &rate.becomes));
        let known = wear.rates.iter().map(|rate| classes.check(&rate.classes));
        let known = known.chain(names.map(|name| classes.check(&name.as_str().into())));
        unknown.check(entity, "a class of fluid wear", known.collect::<Result<(), _>>());
        let placed = Placement::of(entity, &transforms);
        let Some(placement) = misplaced.check(entity, "fluid wear", placed) else { continue };
        let strength = &mut *strength;
        strength.removed.resize(wear.rates.len(), 0.0);
        strength.used_up.resize(wear.rates.len(), 0);
        if let Some(tiles) = tiles {
            loosen(tiles, placement, wear, strength, &mut fluid);
        }
        let mut touches = match tiles {
            Some(tiles) => {
                let mut children = children.into_iter().flatten();
                let child = children.find(|child| merged.contains(**child));
                let collider = child.and_then(|child| fluid.collider(colliders.id(*child)?));
                tile_touches(tiles, placement, &strength.remaining, collider, &fluid)
            }
            None => {
                let pieces = colliders.ids(entity).filter_map(|id| fluid.collider(id));
                collider_touches(&pieces.collect::<Vec<_>>(), &fluid)
            }
        };
        // A particle between two pieces touches the entity once.
        touches.sort_by_key(|touch| touch.id);
        touches.dedup_by_key(|touch| touch.id);
        let rates = wear.rates.iter().enumerate();
        let rates: Vec<KnownRate> =
            rates.filter_map(|(row, rate)| KnownRate::new(row, rate, &classes, &fluid)).collect();
        let worn_parts = wear_by_touches(&touches, &rates, elapsed, strength, &mut fluid);
        for part in worn_parts {
            report_worn_out(entity, part, tiles, strength, &mut worn, &mut commands);
        }
    }
}

/// Reports a tile or a collider whose strength is used up.
fn report_worn_out(
    entity: Entity,
    part: usize,
    tiles: Option<&FluidTiles>,
    strength: &mut FluidStrength,
    worn: &mut MessageWriter<FluidWornOut>,
    commands: &mut Commands,
) {
    strength.worn_out += 1;
    let tile = tiles.map(|tiles| tiles.tile(part));
    if tile.is_some() {
        strength.closed.push(part as u32);
    }
    worn.write(FluidWornOut { entity, tile });
    commands.trigger(FluidWornOut { entity, tile });
}

// Walls that blasts break.

/// The walls that blasts may break, with everything needed for it.
#[derive(SystemParam)]
pub(crate) struct BreakableWalls<'w, 's> {
    walls: Query<
        'w,
        's,
        (
            Entity,
            &'static FluidWear,
            &'static mut FluidStrength,
            Option<&'static FluidTiles>,
            Option<&'static Children>,
        ),
    >,
    merged: Query<'w, 's, (), With<MergedTiles>>,
    colliders: Res<'w, FluidColliders>,
    worn: MessageWriter<'w, FluidWornOut>,
    commands: Commands<'w, 's>,
    pub transforms: TransformHelper<'w, 's>,
    pub ranks: Ranks<'w, 's>,
}

/// A tile or a collider that a blast meets.
struct BlastedPart {
    entity: Entity,
    /// Index into [`FluidStrength::remaining`].
    part: usize,
    /// The largest pressure of the blast on it.
    pressure: f32,
    breaks_at: f32,
    /// The energy that it takes when it breaks.
    energy: f32,
}

/// The walls that a blast has broken in a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Breakage {
    pub broken: u32,
    pub energy: f32,
    /// Whether tiles are about to disappear.
    pub opens_tiles: bool,
}

impl BreakableWalls<'_, '_> {
    /// Breaks the walls that a blast of this energy meets, if their strength does not suffice.
    pub(crate) fn break_by(
        &mut self,
        hits: &BlastHits,
        energy: f32,
        fluid: &FluidSimulation,
    ) -> Breakage {
        let Some(mut parts) = self.parts(hits, fluid) else {
            return Breakage { opens_tiles: true, ..Breakage::default() };
        };
        let excess = |part: &BlastedPart| part.pressure / part.breaks_at;
        parts.sort_by(|one, other| excess(other).total_cmp(&excess(one)));
        let mut breakage = Breakage::default();
        for part in &parts {
            let left = energy - breakage.energy;
            if part.pressure * left > part.breaks_at * energy && part.energy <= left {
                self.break_part(part, &mut breakage);
            }
        }
        let weakest = parts.iter().min_by(|one, other| one.breaks_at.total_cmp(&other.breaks_at));
        if breakage.broken == 0
            && let Some(part) = weakest
            && hits.enclosed_pressure > part.breaks_at
            && part.energy <= energy
        {
            self.break_part(part, &mut breakage);
        }
        breakage
    }

    /// The breakable tiles and colliders that a blast meets, in a fixed order; `None` while any of the tiles is about to
    /// disappear.
    fn parts(&self, hits: &BlastHits, fluid: &FluidSimulation) -> Option<Vec<BlastedPart>> {
        let reach = 0.25 * fluid.parameters().particle_spacing;
        let mut walls: Vec<_> = self.walls.iter().collect();
        walls.sort_unstable_by_key(|(entity, ..)| self.ranks.of(*entity));
        let mut parts = Vec::new();
        for (entity, wear, strength, tiles, children) in walls {
            let (Some(pressure), Ok(())) = (wear.breaks_at, wear.validate()) else { continue };
            let Ok(Placement { pose, scale }) = Placement::of(entity, &self.transforms) else {
                continue;
            };
            let children = children.into_iter().flatten().copied();
            let children = children.filter(|child| tiles.is_some() && self.merged.contains(*child));
            let pieces = iter::once(entity).filter(|_| tiles.is_none()).chain(children);
            let ids: Vec<_> = pieces.flat_map(|piece| self.colliders.ids(piece)).collect();
            let area = tiles.map_or(0.0, |tiles| (tiles.tile_size * scale).element_product().abs());
            let mut pressures = BTreeMap::new();
            for hit in
                hits.list.iter().filter(|hit| hit.collider.is_some_and(|id| ids.contains(&id)))
            {
                let is_solid =
                    |tile: usize| tiles.and_then(|tiles| tiles.solid.get(tile)) == Some(&true);
                let local = pose.to_local(hit.point) / scale;
                let part = match tiles {
                    Some(tiles) => tiles.nearest(local, reach / scale.abs(), scale.abs(), is_solid),
                    None => Some(0),
                };
                if let Some(part) = part {
                    let most = pressures.entry(part).or_insert(0.0);
                    *most = hit.pressure.max(*most);
                }
            }
            for (part, most) in pressures {
                let Some(left) = strength.remaining.get(part) else { continue };
                if *left <= 0.0 {
                    if tiles.is_some() {
                        return None;
                    }
                    continue;
                }
                let breaks_at = pressure * (*left / f64::from(wear.strength)) as f32;
                let energy = breaks_at * area;
                parts.push(BlastedPart { entity, part, pressure: most, breaks_at, energy });
            }
        }
        Some(parts)
    }

    fn break_part(&mut self, blasted: &BlastedPart, breakage: &mut Breakage) {
        let BlastedPart { entity, part, energy, .. } = *blasted;
        let Ok((_, _, mut strength, tiles, _)) = self.walls.get_mut(entity) else { return };
        strength.remaining[part] = 0.0;
        report_worn_out(entity, part, tiles, &mut strength, &mut self.worn, &mut self.commands);
        breakage.broken += 1;
        breakage.energy += energy;
        breakage.opens_tiles |= tiles.is_some();
    }
}

/// A rate whose classes exist.
struct KnownRate<'a> {
    /// Index into [`FluidWear::rates`].
    row: usize,
    rate: &'a FluidWearRate,
    classes: ClassFilter,
    becomes: Option<ClassId>,
}

impl<'a> KnownRate<'a> {
    /// `None` while used up particles would get a class that does not exist.
    fn new(
        row: usize,
        rate: &'a FluidWearRate,
        classes: &FilteredClasses,
        fluid: &FluidSimulation,
    ) -> Option<Self> {
        let becomes = match &rate.becomes {
            Some(name) => Some(fluid.classes().find(name)?),
            None => None,
        };
        Some(Self { row, rate, classes: classes.of(&rate.classes), becomes })
    }
}

/// Takes strength from touched tiles or colliders, and uses up particles. Returns the worn out parts.
fn wear_by_touches(
    touches: &[Touch],
    rates: &[KnownRate],
    elapsed: f64,
    strength: &mut FluidStrength,
    fluid: &mut FluidSimulation,
) -> Vec<usize> {
    let mut worn_parts = Vec::new();
    let mut used_up = Vec::new();
    let particles = fluid.particles();
    for touch in touches {
        let Some(left) = strength.remaining.get_mut(touch.part) else { continue };
        if *left <= 0.0 {
            continue;
        }
        let class = particles.classes()[touch.index];
        let speed = (particles.velocities()[touch.index] - touch.wall_velocity).length();
        let temperature = particles.temperatures()[touch.index];
        for KnownRate { row, rate, becomes, .. } in
            rates.iter().filter(|rate| rate.classes.contains(class))
        {
            let most = rate.particle_strength.map_or(f64::INFINITY, f64::from);
            let taken = (elapsed * rate.strength_per_second(speed, temperature)).min(most);
            let rest = (*left - taken).max(0.0);
            strength.removed[*row] += *left - rest;
            *left = rest;
            if strength.removed[*row] / most >= (strength.used_up[*row] + 1) as f64 {
                strength.used_up[*row] += 1;
                used_up.push((touch.id, *becomes));
                break;
            }
        }
        if *left <= 0.0 {
            worn_parts.push(touch.part);
        }
    }
    for (id, becomes) in used_up {
        match becomes {
            // The class exists, so this does not fail.
            Some(class) => _ = fluid.world_mut().set_class(id, class),
            None => _ = fluid.world_mut().despawn(id),
        }
    }
    worn_parts
}

/// The particles that touch a solid tile. `collider` moves as the tiles do.
fn tile_touches(
    tiles: &FluidTiles,
    placement: Placement,
    remaining: &[f64],
    collider: Option<&Collider>,
    fluid: &FluidSimulation,
) -> Vec<Touch> {
    let reach = TOUCH * fluid.parameters().particle_spacing;
    let Placement { pose, scale } = placement;
    let half_size = 0.5 * tiles.size.as_vec2() * tiles.tile_size;
    let shape = FluidShape::Rectangle { half_size: half_size * scale.abs() + reach };
    let centre = pose.to_world((tiles.origin + half_size) * scale);
    let region = FluidRegion::new(shape, centre, pose.rotation).ok();
    let mut touches = Vec::new();
    for_each_within(region, fluid, |index| {
        let position = fluid.particles().positions()[index];
        let local = pose.to_local(position) / scale;
        let is_solid = |tile: usize| remaining.get(tile).is_some_and(|left| *left > 0.0);
        if let Some(part) = tiles.nearest(local, reach / scale.abs(), scale.abs(), is_solid) {
            let id = fluid.particles().ids()[index];
            let wall_velocity = collider
                .map_or(Vec2::ZERO, |collider| collider.motion().at(position - collider.centre()));
            touches.push(Touch { id, index, part, wall_velocity });
        }
    });
    touches
}

/// The particles that touch a piece of a collider, and that it stops.
fn collider_touches(pieces: &[&Collider], fluid: &FluidSimulation) -> Vec<Touch> {
    let reach = TOUCH * fluid.parameters().particle_spacing;
    let mut touches: Vec<Touch> = Vec::new();
    for piece in pieces {
        let options = piece.options();
        let bounds = piece.shape().bounds();
        let radius = bounds.low.abs().max(bounds.high.abs()).length();
        let disc = FluidRegion::circle(piece.centre(), radius + reach);
        let region = disc.ok().filter(|_| !options.inside_out);
        for_each_within(region, fluid, |index| {
            let particles = fluid.particles();
            let position = particles.positions()[index];
            let is_stopped = options.classes.contains(particles.classes()[index]);
            if is_stopped && piece.distance(position) <= reach {
                let wall_velocity = piece.motion().at(position - piece.centre());
                touches.push(Touch { id: particles.ids()[index], index, part: 0, wall_velocity });
            }
        });
    }
    touches
}

/// Visits the particles in a region, or all particles.
fn for_each_within(region: Option<FluidRegion>, fluid: &FluidSimulation, visit: impl FnMut(usize)) {
    match region {
        Some(region) => fluid.for_each_in(&region, ClassFilter::ALL, visit),
        None => (0..fluid.particles().len()).for_each(visit),
    }
}

/// Adds the particles of opened tiles, while there is room for all particles of a tile.
fn loosen(
    tiles: &FluidTiles,
    placement: Placement,
    wear: &FluidWear,
    strength: &mut FluidStrength,
    fluid: &mut FluidSimulation,
) {
    let Some(name) = wear.loosens.as_ref().filter(|_| !strength.opened.is_empty()) else {
        strength.opened.clear();
        return;
    };
    let Some(class) = fluid.classes().find(name) else { return };
    let spacing = fluid.parameters().particle_spacing;
    let size = tiles.tile_size * placement.scale.abs();
    let content = f64::from(wear.loosened_share)
        * (f64::from(size.x) * f64::from(size.y) / f64::from(spacing).powi(2));
    let waiting = (strength.closed.len() + strength.opened.len()) as u64;
    let first = strength.worn_out.saturating_sub(waiting);
    let mut done = 0;
    for (number, tile) in (first..).zip(&strength.opened) {
        let until = |tiles: u64| (tiles as f64 * content).floor();
        let count = (until(number + 1) - until(number)) as usize;
        let room = fluid.capacity().saturating_sub(fluid.particles().len());
        if room < count && fluid.capacity_policy() == CapacityPolicy::Refuse {
            break;
        }
        let corner = tiles.corner(tiles.tile(*tile as usize));
        let columns =
            (count as f32 * size.x / size.y).sqrt().ceil().clamp(1.0, count.max(1) as f32);
        let rows = (count as f32 / columns).ceil();
        for index in 0..count {
            let (column, row) = (index as f32 % columns, (index as f32 / columns).floor());
            let share = (Vec2::new(column, row) + 0.5) / Vec2::new(columns, rows);
            let local = (corner + share * tiles.tile_size) * placement.scale;
            let position = placement.pose.to_world(local);
            let spawned = fluid.world_mut().spawn(ParticleSpawn { position, class, ..default() });
            strength.loosened += u64::from(spawned.is_ok());
        }
        done += 1;
    }
    strength.opened.drain(..done);
}
