//! Text in the corners of the picture.

use bevy::prelude::*;
use bevy::sprite::Anchor;

/// Distance of the text from the picture's edge, in logical pixels.
const MARGIN: f32 = 16.0;
/// Width below which the text shrinks with the picture, in logical pixels.
const FULL_SIZE_WIDTH: f32 = 1100.0;
/// Depth of the text, in front of everything else.
const DEPTH: f32 = 100.0;

/// Text in a corner of the camera's view. It has the same size at any zoom, and is smaller if the
/// picture is small.
///
/// The text itself is the entity's [`Text2d`].
#[derive(Component, Clone, Copy, Debug, PartialEq)]
#[require(Text2d, Transform)]
pub struct Hud {
    corner: Anchor,
}

impl Hud {
    /// Text in the upper left corner.
    pub fn top_left(text: impl Into<String>) -> impl Bundle {
        Self::at(Anchor::TOP_LEFT, Justify::Left, text.into())
    }

    /// Text in the upper right corner.
    pub fn top_right(text: impl Into<String>) -> impl Bundle {
        Self::at(Anchor::TOP_RIGHT, Justify::Right, text.into())
    }

    fn at(corner: Anchor, justify: Justify, text: String) -> impl Bundle {
        (
            Self { corner },
            corner,
            Text2d::new(text),
            TextFont::from_font_size(FontSize::Px(16.0)),
            TextLayout::justify(justify),
            TextColor(Color::srgb(0.72, 0.77, 0.88)),
        )
    }
}

/// Keeps every [`Hud`] in its corner.
#[derive(Clone, Copy, Debug, Default)]
pub struct HudPlugin;

impl Plugin for HudPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PostUpdate, place_texts.before(TransformSystems::Propagate));
    }
}

fn place_texts(
    cameras: Query<(&Camera, &Projection, &Transform), Without<Hud>>,
    mut texts: Query<(&Hud, &mut Transform)>,
) {
    let seen = cameras.iter().find_map(|(camera, projection, transform)| {
        let Projection::Orthographic(projection) = projection else {
            return None;
        };
        let size = camera.logical_viewport_size().filter(|size| size.min_element() > 0.0)?;
        Some((projection.area, size, transform.translation.truncate()))
    });
    let Some((area, size, camera_position)) = seen else {
        return;
    };
    let scale = area.width() / size.x * (size.x / FULL_SIZE_WIDTH).clamp(0.5, 1.0);
    for (hud, mut transform) in &mut texts {
        let corner = hud.corner.as_vec() * (area.size() - Vec2::splat(2.0 * MARGIN * scale));
        let position = camera_position + area.center() + corner;
        *transform =
            Transform::from_translation(position.extend(DEPTH)).with_scale(Vec3::splat(scale));
    }
}
