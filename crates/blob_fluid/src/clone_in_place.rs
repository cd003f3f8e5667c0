//! Clones that reuse allocations, for states that are kept and restored repeatedly.

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
