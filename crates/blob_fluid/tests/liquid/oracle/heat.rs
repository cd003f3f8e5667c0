//! Heat, and changes of class by temperature and by contact.

use super::{EPSILON, Oracle};

impl Oracle {
    /// Computes conduction between particles, then from walls, then to the surroundings.
    pub fn exchange_heat(&mut self) {
        let per_time = self.dt / self.time_unit();
        let thermal = |class: usize| &self.classes[class].thermal;
        let conductivity = |class: usize| f64::from(thermal(class).conductivity);
        let change = |i: usize| {
            let here = &self.particles[i];
            let (mut weights, mut gain, mut magnitude) = (0.0, 0.0, 0.0);
            for (j, other) in self.particles.iter().enumerate() {
                let q = 1.0 - here.position.distance(other.position) / self.radius();
                if j == i || q <= 0.0 {
                    continue;
                }
                let (a, b) = (conductivity(here.class), conductivity(other.class));
                let mean = if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 };
                let share = self.share(here.class, other.class);
                let most = 0.06 / f64::max(share, self.share(other.class, here.class));
                let rate = (mean * per_time).min(most) * share;
                weights += rate * q;
                gain += rate * q * (other.temperature - here.temperature);
                magnitude += rate * (other.temperature.abs() + here.temperature.abs());
            }
            let bounded = f64::max(weights, 1.0);
            (gain / bounded, EPSILON * (40.0 + 16.0 * weights) * magnitude / bounded)
        };
        let changes: Vec<_> = (0..self.particles.len()).map(change).collect();
        let reach = 0.5 * self.radius();
        for (index, (change, error)) in changes.into_iter().enumerate() {
            let mut particle = self.particles[index];
            particle.temperature += change;
            particle.errors.temperature = error + EPSILON * particle.temperature.abs();
            let mut approach = |temperature: f64, rate: f64| {
                // Implicit: T' = (T + rate T_other)/(1 + rate).
                let magnitude = temperature.abs() + particle.temperature.abs();
                particle.temperature = (particle.temperature + rate * temperature) / (1.0 + rate);
                particle.errors.temperature += 8.0 * EPSILON * magnitude;
            };
            for (near, _) in self.surfaces(particle.position, particle.position, reach) {
                if let Some(temperature) = near.properties.temperature {
                    let closeness = 1.0 - near.distance.max(0.0) / reach;
                    let rate = 6.0 * conductivity(particle.class) * per_time * closeness;
                    approach(f64::from(temperature), rate);
                }
            }
            let cooling = f64::from(self.classes[particle.class].thermal.cooling) * per_time;
            if cooling > 0.0 {
                approach(f64::from(self.settings.ambient_temperature), cooling);
            }
            self.particles[index] = particle;
        }
    }

    /// Returns the class that `a` becomes next to class `b`, the rate, and the temperature.
    fn reaction(&self, a: usize, b: usize) -> Option<(usize, f64, Option<f32>)> {
        let names = [&self.classes[a].name, &self.classes[b].name];
        self.pairs.iter().find_map(|pair| {
            let side = (0..2).find(|side| {
                pair.classes[*side] == *names[0] && pair.classes[1 - *side] == *names[1]
            })?;
            let reaction = pair.reaction.as_ref()?;
            let becomes = self.class_called(reaction.becomes[side].as_ref()?);
            Some((becomes, f64::from(reaction.rate), reaction.temperature))
        })
    }

    fn class_called(&self, name: &str) -> usize {
        self.classes.iter().position(|class| class.name == name).expect("a class of the table")
    }

    /// Changes classes by temperature, or otherwise by contact.
    pub fn react(&mut self) {
        let per_time = self.dt / self.time_unit();
        let before = self.clone();
        for particle in &mut self.particles {
            let thermal = &before.classes[particle.class].thermal;
            let heated =
                thermal.above.iter().filter(|t| particle.temperature > f64::from(t.temperature));
            let cooled =
                thermal.below.iter().filter(|t| particle.temperature < f64::from(t.temperature));
            if let Some(transition) = heated.chain(cooled).next() {
                particle.class = before.class_called(&transition.becomes);
                particle.exposure = 0.0;
                continue;
            }
            // Reaction partners, by distance.
            let mut partners: Vec<(f64, _)> = before
                .particles
                .iter()
                .filter_map(|other| {
                    let distance = particle.position.distance(other.position);
                    let reaction = before.reaction(particle.class, other.class)?;
                    (distance < before.radius()).then_some((distance, reaction))
                })
                .collect();
            partners.sort_by(|a, b| a.0.total_cmp(&b.0));
            let Some((nearest, (becomes, rate, temperature))) = partners.first().copied() else {
                continue;
            };
            let contact: f64 = partners.iter().map(|(r, _)| 1.0 - r / before.radius()).sum();
            particle.exposure += rate * per_time * contact.min(1.0);
            let rounding = EPSILON * (8.0 + 8.0 * partners.len() as f64);
            particle.errors.exposure = rounding * (particle.exposure + rate * per_time);
            let tie = partners.get(1).is_some_and(|(r, other)| {
                r - nearest < 1e-5 * before.radius() && (other.0, other.1) != (becomes, rate)
            });
            particle.errors.undecided |=
                tie || (particle.exposure - 1.0).abs() <= particle.errors.exposure;
            if particle.exposure >= 1.0 {
                particle.class = becomes;
                particle.exposure = 0.0;
                particle.temperature = temperature.map_or(particle.temperature, f64::from);
            }
        }
    }
}
