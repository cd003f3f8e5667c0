//! Shapes of text.

use bevy::ecs::schedule::InternedScheduleLabel;
use bevy::prelude::*;
use bevy::text::Font;
use blob_fluid::FluidShape;
use blob_fluid::shape::Polygon;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider};

use super::shape_source::{FluidShapeTarget, ShapeSource, ShapeSourcePlugin};

/// Adds the types and systems below.
pub(super) fn add_texts(app: &mut App, schedule: InternedScheduleLabel) {
    app.register_type::<FluidText>().add_plugins(ShapeSourcePlugin::<FluidText>::new(schedule));
}

/// Number of straight pieces for a curve of a glyph.
const PIECES: u16 = 8;

/// Gives its entity liquid, a collider or a container in the shape of text. The shape is made once
/// the font has been loaded, and again when the font or this component changes.
///
/// Letters are polygons with holes, from left to right in left-aligned lines, without kerning or
/// joining; the centre of the text is at the entity. Areas where two letters, or two strokes of a
/// letter, overlap are empty. Removing this component keeps the components that were already added.
/// The plugin warns if the font cannot be loaded or read, the text has no outline, or the size is
/// out of range. The entity then keeps its last shape.
///
/// The component needs Bevy's text plugin and the feature `text`; without that plugin it does
/// nothing.
///
/// ```
/// use bevy::prelude::*;
/// use bevy_blob_fluid::prelude::*;
///
/// fn setup(mut commands: Commands) {
///     commands.spawn((FluidText::new("HELLO", 90.0, FluidBlob::default()), FluidClass::LIGHT));
/// }
/// ```
#[derive(Component, FromTemplate, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq)]
#[require(Transform)]
pub struct FluidText {
    /// The text; lines end with `\n`.
    pub text: String,
    /// Height of the font, in the entity's own units; above 0 and at most 1e6.
    pub size: f32,
    /// The font. Default Bevy's own font, if that is compiled in.
    pub font: Handle<Font>,
    /// Component that the entity gets.
    pub target: FluidShapeTarget,
}

impl Default for FluidText {
    /// A component without text: set one before use.
    fn default() -> Self {
        Self::new("", 40.0, FluidShapeTarget::default())
    }
}

impl FluidText {
    /// Liquid, a collider or a container in the shape of a text in Bevy's own font. `size` is the
    /// height of the font, in the entity's own units.
    pub fn new(text: impl Into<String>, size: f32, target: impl Into<FluidShapeTarget>) -> Self {
        Self { text: text.into(), size, font: Handle::default(), target: target.into() }
    }

    /// The same text in another font.
    pub fn with_font(mut self, font: Handle<Font>) -> Self {
        self.font = font;
        self
    }
}

impl ShapeSource for FluidText {
    type Material = Font;

    const NAME: &'static str = "fluid text";

    fn material(&self) -> &Handle<Font> {
        &self.font
    }

    fn target(&self) -> &FluidShapeTarget {
        &self.target
    }

    fn work(&self, font: &Font) -> impl FnOnce() -> Result<FluidShape, String> + Send + 'static {
        let (text, size, font) = (self.text.clone(), self.size, font.data.clone());
        move || written(&text, size, font.data())
    }
}

/// The outlines of a text, with its centre at the origin.
fn written(text: &str, size: f32, font: &[u8]) -> Result<FluidShape, String> {
    if !(size > 0.0 && size <= 1e6) {
        return Err(format!("size is {size}, and must be above 0 and at most 1e6"));
    }
    let font = FontRef::from_index(font, 0).map_err(|error| error.to_string())?;
    let (em, upright) = (Size::new(size), LocationRef::default());
    let (characters, glyphs) = (font.charmap(), font.outline_glyphs());
    let (line_metrics, glyph_metrics) =
        (font.metrics(em, upright), font.glyph_metrics(em, upright));
    let line_height = line_metrics.ascent - line_metrics.descent + line_metrics.leading;
    let mut rings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut pen = Contours::at(Vec2::new(0.0, -line_height * number as f32));
        for character in line.chars() {
            let glyph = characters.map(character).unwrap_or(GlyphId::NOTDEF);
            if let Some(glyph) = glyphs.get(glyph) {
                let settings = DrawSettings::unhinted(em, upright);
                glyph.draw(settings, &mut pen).map_err(|error| error.to_string())?;
            }
            // The boxes of letters may overlap, but no letter is a hole of another.
            let contours = std::mem::take(&mut pen.contours);
            if contours.iter().any(|contour| contour.len() > 2) {
                let letter = Polygon::from_contours(contours).map_err(|error| error.to_string())?;
                rings.extend(letter.rings().iter().cloned());
            }
            pen.origin.x += glyph_metrics.advance_width(glyph).unwrap_or_default();
        }
    }
    if rings.is_empty() {
        return Err("it has no outline".into());
    }
    let corners = || rings.iter().flatten().copied();
    let low = corners().fold(Vec2::INFINITY, Vec2::min);
    let high = corners().fold(Vec2::NEG_INFINITY, Vec2::max);
    let middle = 0.5 * (low + high);
    rings.iter_mut().flatten().for_each(|corner| *corner -= middle);
    Polygon::with_holes(rings).map(FluidShape::Polygon).map_err(|error| error.to_string())
}

/// Collects the contours of a glyph, with curves as straight pieces.
struct Contours {
    origin: Vec2,
    contours: Vec<Vec<Vec2>>,
}

impl Contours {
    fn at(origin: Vec2) -> Self {
        Self { origin, contours: Vec::new() }
    }

    fn push(&mut self, point: Vec2) {
        if let Some(contour) = self.contours.last_mut()
            && contour.last() != Some(&point)
        {
            contour.push(point);
        }
    }

    /// Adds points along a curve from the present position.
    fn curve(&mut self, curve: impl Fn(Vec2, f32) -> Vec2) {
        let last = self.contours.last().and_then(|contour| contour.last());
        if let Some(start) = last.copied() {
            for piece in 1..=PIECES {
                self.push(curve(start, f32::from(piece) / f32::from(PIECES)));
            }
        }
    }
}

impl OutlinePen for Contours {
    fn move_to(&mut self, x: f32, y: f32) {
        self.contours.push(vec![self.origin + Vec2::new(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.push(self.origin + Vec2::new(x, y));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        let (bend, end) = (self.origin + Vec2::new(cx, cy), self.origin + Vec2::new(x, y));
        self.curve(|start, part| start.lerp(bend, part).lerp(bend.lerp(end, part), part));
    }

    fn curve_to(&mut self, cx0: f32, cy0: f32, cx1: f32, cy1: f32, x: f32, y: f32) {
        let (first, second) =
            (self.origin + Vec2::new(cx0, cy0), self.origin + Vec2::new(cx1, cy1));
        let end = self.origin + Vec2::new(x, y);
        self.curve(|start, part| {
            let middle = first.lerp(second, part);
            let (before, after) = (start.lerp(first, part), second.lerp(end, part));
            before.lerp(middle, part).lerp(middle.lerp(after, part), part)
        });
    }

    fn close(&mut self) {
        // Polygons are closed: the last corner is joined to the first anyway.
        if let Some(contour) = self.contours.last_mut()
            && contour.len() > 1
            && contour.first() == contour.last()
        {
            contour.pop();
        }
    }
}
