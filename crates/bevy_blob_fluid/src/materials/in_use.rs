//! The materials that are in use, and their classes.

use bevy::asset::{AssetLoadFailedEvent, AssetPath};
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::{HashMap, HashSet};
use bevy::prelude::*;
use blob_fluid::material::{Material, MaterialLook};
use blob_fluid::{ClassFilter, ClassId, ClassPair, ClassTable, DensityClass, FluidPaint};
use thiserror::Error;

use crate::bevy_names::OnInsert;
use crate::simulation::FluidClasses;

/// The materials in use.
///
/// Call [`request`](Self::request) before you need a material. [`are_loading`](Self::are_loading) tells whether a
/// requested material is still being loaded.
#[derive(Resource, Reflect, Clone, Debug, Default)]
#[reflect(opaque, Resource, Default, Debug)]
pub struct FluidMaterials {
    /// Assets in the order of their requests.
    pub(super) handles: Vec<Handle<FluidMaterialAsset>>,
    /// Names of the classes of the materials in use.
    pub(super) names: HashMap<AssetId<FluidMaterialAsset>, String>,
    /// The classes and pairs that materials have added.
    pub(super) brought: Brought,
    /// Looks, by the names of their classes.
    looks: HashMap<String, MaterialLook>,
    /// The looks of the materials that the scene names.
    scene_looks: HashMap<String, MaterialLook>,
    pub(super) loading: bool,
    /// Assets whose classes take paint.
    pub(super) paintable: HashSet<AssetId<FluidMaterialAsset>>,
}

/// The classes and pairs of materials.
#[derive(Clone, Debug, Default)]
pub(super) struct Brought {
    pub classes: Vec<DensityClass>,
    pub pairs: Vec<ClassPair>,
}

impl FluidMaterials {
    /// Requests a material. The class is added when the material and all materials into which it turns are loaded.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn setup(assets: Res<AssetServer>, mut materials: ResMut<FluidMaterials>) {
    ///     materials.request(FluidMadeOf::LAVA.0);
    ///     materials.request(assets.load("materials/sap.fluid.ron"));
    /// }
    /// ```
    pub fn request(&mut self, material: Handle<FluidMaterialAsset>) {
        if !self.handles.contains(&material) {
            self.handles.push(material);
            self.loading = true;
        }
    }

    /// Requests a material and makes its class take [paint](FluidPaint), even if its file does not. Particles without
    /// paint of their own have the colour of the material. The material may be in use already.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// fn setup(mut commands: Commands, mut materials: ResMut<FluidMaterials>) {
    ///     materials.request_paintable(FluidMadeOf::WATER.0);
    ///     let red = Color::srgb(0.9, 0.1, 0.1);
    ///     commands.spawn((FluidBlob::from(Circle::new(80.0)).with_paint(red), FluidMadeOf::WATER));
    /// }
    /// ```
    pub fn request_paintable(&mut self, material: Handle<FluidMaterialAsset>) {
        self.loading |= self.paintable.insert(material.id());
        self.request(material);
    }

    /// Whether a requested material is still being loaded.
    ///
    /// While a material is loading, no class of a new material is added.
    pub fn are_loading(&self) -> bool {
        self.loading
    }

    /// The material assets of the class named `class`, in the order of their requests; empty for a class without a
    /// material.
    ///
    /// ```
    /// use bevy::prelude::*;
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// /// Whether a class follows a file, so that edits of it belong into the asset.
    /// fn has_a_file(class: &str, materials: &FluidMaterials) -> bool {
    ///     materials.assets_of(class).next().is_some()
    /// }
    ///
    /// assert!(!has_a_file("water", &FluidMaterials::default()));
    /// ```
    pub fn assets_of<'a>(
        &'a self,
        class: &'a str,
    ) -> impl Iterator<Item = AssetId<FluidMaterialAsset>> + 'a {
        let ids = self.handles.iter().map(Handle::id);
        ids.filter(move |id| self.names.get(id).is_some_and(|name| name == class))
    }

    /// The look in the material of a class; `None` for a class without a material, and for a material
    /// without a look.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// assert_eq!(FluidMaterials::default().look("lava"), None, "it is not in use");
    /// ```
    pub fn look(&self, class: &str) -> Option<&MaterialLook> {
        self.looks.get(class).or_else(|| self.scene_looks.get(class))
    }

    /// Replaces the looks of the materials that a scene names.
    pub(crate) fn set_scene_looks(&mut self, materials: &[Material]) {
        self.scene_looks = looks_of(materials.iter());
    }

    /// The class of a material; `None` until the material is in use.
    pub fn class(
        &self,
        material: &Handle<FluidMaterialAsset>,
        classes: &FluidClasses,
    ) -> Option<ClassId> {
        classes.find(self.names.get(&material.id())?)
    }
}

// Adds materials to the classes.

/// Requests the material of an entity when the component is inserted.
pub(crate) fn request_material(
    made: OnInsert<FluidMadeOf>,
    entities: Query<&FluidMadeOf>,
    mut materials: ResMut<FluidMaterials>,
) {
    if let Ok(FluidMadeOf(material)) = entities.get(made.entity) {
        materials.request(material.clone());
    }
}

/// Adds the classes of all materials again, to the classes at the app's startup.
pub(crate) fn start_over(world: &mut World) {
    if let Some(mut materials) = world.get_resource_mut::<FluidMaterials>() {
        materials.brought = Brought::default();
        // Without assets there are no materials.
        _ = world.run_system_cached(sync_materials);
    }
}

/// Adds loaded and changed materials, with all materials into which they turn, or refuses them with a
/// warning.
pub(crate) fn sync_materials(
    mut events: MessageReader<AssetEvent<FluidMaterialAsset>>,
    assets: Res<Assets<FluidMaterialAsset>>,
    server: Res<AssetServer>,
    mut materials: ResMut<FluidMaterials>,
    mut classes: ResMut<FluidClasses>,
    mut failures: MessageReader<AssetLoadFailedEvent<FluidMaterialAsset>>,
    mut warnings: Local<Vec<String>>,
) {
    let changed = events.read().count() + failures.read().count() > 0;
    // The app may have replaced the classes, including those of materials.
    if !changed && !materials.loading && !classes.is_changed() {
        return;
    }
    let materials = materials.bypass_change_detection();
    let mut loaded: Vec<(Handle<FluidMaterialAsset>, &Material)> = Vec::new();
    let mut index = 0;
    let mut complete = true;
    while let Some(handle) = materials.handles.get(index).cloned() {
        index += 1;
        let Some(FluidMaterialAsset(material)) = assets.get(&handle) else {
            // Failed assets do not delay the others.
            complete &= server.load_state(&handle).is_failed();
            continue;
        };
        for product in material.products(loaded.iter().map(|(_, other)| *other)) {
            let known = loaded.iter().any(|(_, other)| other.class.name == product)
                || material.class.name == product
                || classes.find(product).is_some();
            if FluidMadeOf::is_built_in(&handle)
                && !known
                && let Some(built_in) = FluidMadeOf::built_in(product)
            {
                materials.request(built_in.0);
            }
            let path = server.get_path(&handle);
            let beside =
                path.and_then(|path| path.resolve_embed_str(&format!("{product}.fluid.ron")).ok());
            // Requesting a failed asset again would reload it forever.
            let asked = |path: &AssetPath| {
                materials.handles.iter().any(|other| server.get_path(other).as_ref() == Some(path))
            };
            if let Some(path) = beside.filter(|path| !known && !asked(path)) {
                materials.request(server.load(path));
            }
        }
        loaded.push((handle, material));
    }
    materials.loading = !complete;
    if !complete {
        return;
    }
    let incomplete = drop_incomplete(&mut loaded, &classes);
    for warning in incomplete.iter().filter(|warning| !warnings.contains(warning)) {
        warn!("{warning}");
    }
    *warnings = incomplete;
    let plain: Vec<&Material> = loaded.iter().map(|(_, material)| *material).collect();
    let mut brings = brought_by(&classes, &plain);
    for (handle, material) in &loaded {
        let mut brought = brings.classes.iter_mut();
        let class = brought.find(|class| class.name == material.class.name);
        if let Some(class) = class.filter(|_| materials.paintable.contains(&handle.id())) {
            let [red, green, blue, _] = class.color;
            let LinearRgba { red, green, blue, .. } = Color::srgb(red, green, blue).to_linear();
            let color = [red, green, blue];
            class.paint.get_or_insert(FluidPaint { color, ..default() });
        }
    }
    let wanted = with_new(&classes, &materials.brought, &brings);
    if let Err(error) = ClassTable::with_pairs(wanted.classes.clone(), wanted.pairs.clone()) {
        warn!("fluid materials refused, the last valid ones stay: {error}");
        return;
    }
    materials.brought = brings;
    materials.looks = looks_of(plain.into_iter());
    for (handle, material) in loaded {
        materials.names.insert(handle.id(), material.class.name.clone());
    }
    classes.set_if_neq(wanted);
}

/// The looks of materials, by the names of their classes.
fn looks_of<'a>(materials: impl Iterator<Item = &'a Material>) -> HashMap<String, MaterialLook> {
    materials.filter_map(|material| Some((material.class.name.clone(), material.look?))).collect()
}

/// Removes materials that turn into a missing material, and returns a warning for each.
fn drop_incomplete(
    loaded: &mut Vec<(Handle<FluidMaterialAsset>, &Material)>,
    classes: &FluidClasses,
) -> Vec<String> {
    let mut warnings = Vec::new();
    loop {
        let known = |name: &str| {
            classes.find(name).is_some()
                || loaded.iter().any(|(_, material)| material.class.name == name)
        };
        let lacking = loaded.iter().enumerate().find_map(|(index, (_, material))| {
            let others = loaded.iter().map(|(_, other)| *other);
            let missing = material.products(others).find(|name| !known(name))?;
            Some((index, missing))
        });
        let Some((index, missing)) = lacking else { return warnings };
        let (_, material) = loaded.remove(index);
        let name = &material.class.name;
        warnings.push(format!(
            "fluid material `{name}` is left out: it turns into `{missing}`, which is missing"
        ));
    }
}

/// The classes and pairs of materials. If two materials have the same name, the later one is used. Pairs
/// with missing classes are left out.
fn brought_by(classes: &FluidClasses, materials: &[&Material]) -> Brought {
    let mut brings = Brought::default();
    for Material { class, .. } in materials {
        put(&mut brings.classes, class.clone(), |other| other.name == class.name);
    }
    for pair in materials.iter().flat_map(|material| material.class_pairs()) {
        let [_, other] = &pair.classes;
        let known = brings.classes.iter().any(|class| class.name == *other);
        if known || classes.find(other).is_some() {
            let names = pair.classes.clone();
            put(&mut brings.pairs, pair, |other| is_between(other, &names));
        }
    }
    brings
}

/// Adds to the classes those classes and pairs of materials that differ from the ones `before`, or that the game has
/// removed since then. New classes and pairs replace those with the same names, or are appended.
fn with_new(classes: &FluidClasses, before: &Brought, brings: &Brought) -> FluidClasses {
    let mut wanted = classes.clone();
    let is_new = |class: &&DensityClass| {
        !before.classes.contains(class) || classes.find(&class.name).is_none()
    };
    for class in brings.classes.iter().filter(is_new) {
        put(&mut wanted.classes, class.clone(), |other| other.name == class.name);
    }
    for pair in &brings.pairs {
        let came_back = pair.classes.iter().any(|name| classes.find(name).is_none());
        if came_back || !before.pairs.contains(pair) {
            put(&mut wanted.pairs, pair.clone(), |other| is_between(other, &pair.classes));
        }
    }
    wanted
}

/// Whether a pair consists of the classes with these names.
fn is_between(pair: &ClassPair, names: &[String; 2]) -> bool {
    names.iter().all(|name| pair.classes.contains(name))
}

/// Replaces the first item that is the `same`, or appends the new one.
fn put<T>(items: &mut Vec<T>, item: T, same: impl Fn(&T) -> bool) {
    match items.iter_mut().find(|other| same(other)) {
        Some(other) => *other = item,
        None => items.push(item),
    }
}

// Selects liquids, possibly before their classes exist.

/// The liquids that a [`FluidDrain`](crate::FluidDrain) takes or a [`FluidSensor`](crate::FluidSensor)
/// counts, given by ids of classes, names of classes, and materials. Default all.
///
/// A name or a material selects no class until the class exists: until the material is
/// [in use](FluidMaterials::request) and loaded. There is one warning for a name without a class.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidEmitter::jet(40.0, 300.0), FluidMadeOf::LAVA));
///     // The class of lava, and that of the stone that it becomes, do not exist yet.
///     commands.spawn(FluidSensor::from(Circle::new(40.0)).with_classes(FluidMadeOf::LAVA));
///     commands.spawn(FluidDrain::from(Circle::new(40.0)).taking(["stone", "heavy"]));
/// }
/// ```
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Debug, PartialEq)]
pub struct FluidClassFilter {
    /// Ids of the selected classes.
    pub ids: ClassFilter,
    /// Names of further selected classes.
    pub names: Vec<String>,
    /// Materials whose classes are selected too.
    pub materials: Vec<FluidMadeOf>,
}

impl FluidClassFilter {
    /// Every class.
    pub const ALL: Self = Self::of(ClassFilter::ALL);

    const fn of(ids: ClassFilter) -> Self {
        Self { ids, names: Vec::new(), materials: Vec::new() }
    }

    /// The existing classes that the filter selects.
    ///
    /// ```
    /// use bevy_blob_fluid::prelude::*;
    ///
    /// let classes = FluidClasses::default();
    /// let filter = FluidClassFilter::from(["light", "tar"]);
    /// let known = filter.known(&classes, &FluidMaterials::default());
    /// assert_eq!(known, ClassFilter::from(ClassId::LIGHT));
    /// ```
    pub fn known(&self, classes: &FluidClasses, materials: &FluidMaterials) -> ClassFilter {
        let by_name = self.names.iter().filter_map(|name| classes.find(name));
        let made_of = self.materials.iter();
        let by_material = made_of.filter_map(|FluidMadeOf(asset)| materials.class(asset, classes));
        by_name.chain(by_material).fold(self.ids, ClassFilter::with)
    }
}

/// `Unpin` makes the filter a plain value in Bevy's scenes. Otherwise scenes treat a type that contains a handle as a
/// template.
impl Unpin for FluidClassFilter {}

impl Default for FluidClassFilter {
    fn default() -> Self {
        Self::ALL
    }
}

impl From<ClassFilter> for FluidClassFilter {
    fn from(ids: ClassFilter) -> Self {
        Self::of(ids)
    }
}

impl From<ClassId> for FluidClassFilter {
    fn from(class: ClassId) -> Self {
        Self::of(class.into())
    }
}

impl From<&str> for FluidClassFilter {
    fn from(name: &str) -> Self {
        Self { names: vec![name.into()], ..Self::of(ClassFilter::NONE) }
    }
}

impl From<FluidMadeOf> for FluidClassFilter {
    fn from(material: FluidMadeOf) -> Self {
        Self { materials: vec![material], ..Self::of(ClassFilter::NONE) }
    }
}

impl From<Handle<FluidMaterialAsset>> for FluidClassFilter {
    fn from(material: Handle<FluidMaterialAsset>) -> Self {
        FluidMadeOf(material).into()
    }
}

impl<T: Into<Self>, const N: usize> From<[T; N]> for FluidClassFilter {
    /// A filter that selects the liquids of all given filters.
    fn from(filters: [T; N]) -> Self {
        let none = Self::of(ClassFilter::NONE);
        filters.into_iter().map(Into::into).fold(none, |mut all, mut more: Self| {
            let ids: Vec<ClassId> = more.ids.into();
            all.ids = ids.into_iter().fold(all.ids, ClassFilter::with);
            all.names.append(&mut more.names);
            all.materials.append(&mut more.materials);
            all
        })
    }
}

/// A name in a filter that no class has.
#[derive(Error, Clone, Debug, PartialEq, Eq)]
#[error("there is no class `{0}`, or not yet")]
pub(crate) struct UnknownClass(String);

/// Finds the classes of a filter. Without the plugin of materials there are no materials, and
/// without the simulation only ids.
#[derive(SystemParam)]
pub(crate) struct FilteredClasses<'w> {
    classes: Option<Res<'w, FluidClasses>>,
    materials: Option<Res<'w, FluidMaterials>>,
}

impl FilteredClasses<'_> {
    /// The classes that a filter selects at present.
    pub(crate) fn of(&self, filter: &FluidClassFilter) -> ClassFilter {
        match (&self.classes, &self.materials) {
            _ if filter.names.is_empty() && filter.materials.is_empty() => filter.ids,
            (None, _) => filter.ids,
            (Some(classes), Some(materials)) => filter.known(classes, materials),
            (Some(classes), None) => filter.known(classes, &FluidMaterials::default()),
        }
    }

    /// The classes whose materials have a look, with these looks.
    pub(crate) fn material_looks(&self) -> impl Iterator<Item = (ClassId, &MaterialLook)> {
        let materials = self.materials.as_deref();
        let classes = self.classes.iter().flat_map(|classes| classes.iter());
        let classes = (0..=u8::MAX).map(ClassId).zip(classes);
        classes.filter_map(move |(id, class)| Some((id, materials?.look(&class.name)?)))
    }

    /// Returns an error for a name without a class, unless materials are loading that may add the class.
    pub(crate) fn check(&self, filter: &FluidClassFilter) -> Result<(), UnknownClass> {
        if self.materials.as_ref().is_some_and(|materials| materials.are_loading()) {
            return Ok(());
        }
        let is_known =
            |name: &str| self.classes.as_ref().is_some_and(|all| all.find(name).is_some());
        match filter.names.iter().find(|name| !is_known(name)) {
            Some(name) => Err(UnknownClass(name.clone())),
            None => Ok(()),
        }
    }
}

// A liquid as an asset.

/// A liquid as an asset: a built-in [`Material`], or one from a `*.fluid.ron` file.
///
/// A material is in use once an entity has a [`FluidMadeOf`](crate::FluidMadeOf) of it, or the game requests it by
/// [`FluidMaterials::request`](crate::FluidMaterials::request). Then [`FluidClasses`](crate::FluidClasses) contains
/// its class, which replaces another class with the same name. If a material turns into other materials, their files
/// are loaded from the same folder. Built-in materials need no files. If Bevy watches files, changes of the file are
/// applied while the game runs. An invalid file is logged as an error with line and column, and the last valid
/// material stays in use.
#[derive(Asset, TypePath, Clone, Debug, PartialEq, Deref)]
pub struct FluidMaterialAsset(pub Material);

// The component for the material of liquid.

/// The material of a [`FluidBlob`](crate::FluidBlob) or a [`FluidEmitter`](crate::FluidEmitter).
///
/// The constants are built-in materials, which need no file. A blob of a material from a file is
/// filled when the material has been loaded.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((FluidBlob::from(Circle::new(150.0)), FluidMadeOf::HONEY));
///     commands.spawn((
///         FluidEmitter::jet(40.0, 300.0),
///         FluidMadeOf(assets.load("materials/sap.fluid.ron")),
///     ));
/// }
/// ```
#[doc = guide!("own_material")]
#[derive(Component, FromTemplate, Reflect, Clone, Debug, Default, PartialEq)]
#[component(immutable)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct FluidMadeOf(pub Handle<FluidMaterialAsset>);
