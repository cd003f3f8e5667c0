//! Particles: their arrays, handles, lifetimes, tags and springs, and their sleep. Lists of particles are cloned in place,
//! because states are kept and restored repeatedly.

pub(crate) mod arrays;
pub(crate) mod columns;
pub(crate) mod life;
pub(crate) mod optional;
pub(crate) mod reorder;
#[cfg(feature = "snapshot")]
mod stored;

/// Declares a struct that clones field by field. Its `clone_from` reuses the allocations of long lists.
macro_rules! clone_in_place {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$meta])*
        $visibility struct $name {
            $($(#[$field_meta])* $field_visibility $field: $type),*
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),* }
            }

            fn clone_from(&mut self, from: &Self) {
                $(self.$field.clone_from(&from.$field);)*
            }
        }
    };
}
pub(crate) use clone_in_place;

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::arrays::Particles;
    use super::life::ParticleSpawn;
    use super::reorder::ReorderScratch;
    use crate::SerialExecutor;
    use crate::solver::neighbours::grid::Order;

    fn at(x: f32) -> ParticleSpawn {
        ParticleSpawn { position: Vec2::new(x, 0.0), ..Default::default() }
    }

    #[test]
    fn handles_survive_sorting_and_die_with_their_particle() {
        let mut particles = Particles::default();
        let ids: Vec<_> = (0..4).map(|x| particles.push(at(x as f32))).collect();
        let mut scratch = ReorderScratch::default();
        for (old, range) in [([3, 1, 0, 2], 0..4), ([9, 2, 1, 9], 1..3)] {
            let order = Order { old: &old, changed: std::slice::from_ref(&range) };
            particles.reorder(order, true, &mut scratch, &SerialExecutor);
        }
        for (x, id) in ids.iter().enumerate() {
            let index = particles.index_of(*id).expect("alive");
            assert_eq!(particles.position[index].x, x as f32);
        }
        let index = particles.index_of(ids[1]).expect("alive");
        particles.swap_remove(index);
        assert_eq!(particles.index_of(ids[1]), None);
        let reborn = particles.push(at(9.0));
        assert_eq!(reborn.slot(), ids[1].slot());
        assert_ne!(reborn, ids[1]);
        assert_eq!(particles.index_of(ids[1]), None);
        assert_eq!(particles.len(), 4);
        for id in [ids[0], ids[2], ids[3], reborn] {
            assert_eq!(particles.id[particles.index_of(id).expect("alive")], id);
        }
    }

    #[test]
    fn removal_visits_each_particle_once() {
        let mut particles = Particles::default();
        for x in 0..10 {
            particles.push(at(x as f32));
        }
        let removed = particles.remove_where(|all, index| all.position[index].x as i32 % 2 == 0);
        assert_eq!(removed, 5);
        assert!(particles.position.iter().all(|p| p.x as i32 % 2 == 1));
    }
}
