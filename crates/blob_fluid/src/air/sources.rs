//! The effect of sources on their cells.

use crate::air::{Air, AirChannel, AirSource};

impl Air {
    /// Adds the output of the sources in a step, and removes bursts.
    pub(super) fn apply_sources(&mut self, time_step: f32) {
        let mut sources = std::mem::take(&mut self.sources);
        for source in sources.iter_mut() {
            if source.is_lit() {
                self.fill(source, time_step);
            }
            self.blow(source, time_step);
            source.embers = self.tend(source, time_step).or(source.embers);
        }
        self.sources = sources;
        self.sources.retain(|_, source| !source.burst);
    }

    /// Red, green and blue of added smoke. If the air has colours, smoke without a colour is white.
    pub(super) fn colours_of(&mut self, smoke: f32, colour: Option<[f32; 3]>) -> [f32; 3] {
        if colour.is_some() && smoke != 0.0 {
            self.use_colours();
        }
        let colour = if self.has_colours() { colour.unwrap_or([1.0; 3]) } else { [0.0; 3] };
        colour.map(|part| part * smoke)
    }

    fn fill(&mut self, source: &AirSource, time_step: f32) {
        let time = if source.burst { 1.0 } else { time_step };
        let [red, green, blue] = self.colours_of(source.smoke, source.colour);
        let rates = [source.smoke, source.heat, source.fuel, source.vapour, red, green, blue];
        let grid = self.grid;
        // Flames burn only in air. In liquid, heat would accumulate, because liquid holds the air
        // that would carry it away.
        let drowns = source.embers.is_some();
        let strength = source.strength();
        let mut filled = Vec::new();
        grid.for_each_cell_in(&source.region, |cell| {
            if self.solids.passages[cell] != 0 {
                let wet = if drowns { self.liquid_share_of(cell) } else { 0.0 };
                filled.push((cell, strength * (1.0 - wet)));
            }
        });
        for (channel, rate) in AirChannel::ALL.into_iter().zip(rates) {
            if rate == 0.0 {
                continue;
            }
            // Only heat may be negative.
            let least = if channel == AirChannel::Heat { f32::MIN } else { 0.0 };
            let added = rate * time;
            let cells = self.channel_mut(channel);
            for (cell, part) in &filled {
                let sum = cells[*cell] + part * added;
                cells[*cell] = sum.clamp(least.max(-LARGEST_AMOUNT), LARGEST_AMOUNT);
            }
        }
        if source.expansion != 0.0 {
            // The projection takes a rate. Its bound keeps velocities finite in the shortest steps.
            let rate = if source.burst {
                (source.expansion / time_step).clamp(-1e12, 1e12)
            } else {
                source.expansion
            };
            self.expansion.resize(grid.cells(), 0.0);
            for (cell, part) in &filled {
                self.expansion[*cell] += part * rate;
            }
        }
    }

    fn blow(&mut self, source: &AirSource, time_step: f32) {
        let Some(wind) = source.wind else { return };
        // Each cell gives half of its share to each of its two faces along an axis.
        let share = wind.strength.map_or(1.0, |strength| {
            let way = strength * time_step;
            if way.is_finite() { way / (1.0 + way) } else { 1.0 }
        });
        let each = 0.5 * share;
        let (grid, columns) = (self.grid, self.grid.columns);
        let mut faces_x = vec![0.0_f32; 0];
        let mut faces_y = vec![0.0_f32; 0];
        faces_x.resize(grid.faces_x(), 0.0);
        faces_y.resize(grid.faces_y(), 0.0);
        grid.for_each_cell_in(&source.region, |index| {
            let left = index / columns * (columns + 1) + index % columns;
            for face in [left, left + 1] {
                faces_x[face] += each;
            }
            for face in [index, index + columns] {
                faces_y[face] += each;
            }
        });
        let lists = [
            (&mut self.velocity_x, faces_x, wind.velocity.x),
            (&mut self.velocity_y, faces_y, wind.velocity.y),
        ];
        for (velocities, parts, goal) in lists {
            for (velocity, part) in velocities.iter_mut().zip(parts) {
                *velocity += part * (goal - *velocity);
            }
        }
    }
}

/// Largest value of a channel, so that nothing overflows.
pub(super) const LARGEST_AMOUNT: f32 = 1e9;
