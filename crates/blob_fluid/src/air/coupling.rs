//! What a liquid does to the air: its share of the faces, and the volume that it adds.

/// The liquid's share of every face, and its velocity there. Empty lists stand for no liquid.
///
/// The flux through a face is `open ((1 - a) u + a u_liquid) + (1 - open) u_solid`, and the pressure
/// changes it in proportion to `open ((1 - a) + a r)`, where `a` is the liquid's share and `r` the
/// ratio of the densities of air and liquid.
#[derive(Clone, Debug, Default)]
pub(crate) struct LiquidShare {
    /// Shares of the vertical faces, 0 to 1; empty, or one for each.
    pub share_x: Vec<f32>,
    /// Shares of the horizontal faces, 0 to 1; empty, or one for each.
    pub share_y: Vec<f32>,
    /// Velocity of the liquid across the vertical faces, in world units/s. The projection changes
    /// it like the air's.
    pub velocity_x: Vec<f32>,
    /// Velocity of the liquid across the horizontal faces, in world units/s.
    pub velocity_y: Vec<f32>,
    /// Density of air over that of the liquid, above 0 up to 1.
    pub density_ratio: f32,
}

impl LiquidShare {
    /// Whether there is any liquid.
    pub(crate) fn is_present(&self) -> bool {
        !self.share_x.is_empty()
    }
}
