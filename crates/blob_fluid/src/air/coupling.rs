//! What a liquid does to the air: its share of the faces, and the volume that it adds.

/// Density ratios below this would leave liquid without any effect of the air's pressure, and with it
/// closed pockets of air without a solution.
pub(crate) const LEAST_RATIO: f32 = 1e-6;

/// The liquid's share of every face, and its velocity there. Empty lists stand for no liquid.
///
/// The flux through a face is `open ((1 - a) u + a u_liquid) + (1 - open) u_solid`, and the pressure
/// changes it in proportion to `open ((1 - a) + a r)`, where `a` is the liquid's share and `r` the
/// ratio of the densities of air and of the liquid there.
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
    /// Density of air over that of the liquid on the vertical faces, above 0 up to 1.
    pub ratio_x: Vec<f32>,
    /// Density of air over that of the liquid on the horizontal faces.
    pub ratio_y: Vec<f32>,
}

impl LiquidShare {
    /// Whether there is any liquid.
    pub(crate) fn is_present(&self) -> bool {
        !self.share_x.is_empty()
    }

    /// Takes all liquid out.
    pub(crate) fn clear(&mut self) {
        let Self { share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y } = self;
        for list in [share_x, share_y, velocity_x, velocity_y, ratio_x, ratio_y] {
            list.clear();
        }
    }
}
