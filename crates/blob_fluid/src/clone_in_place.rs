//! Clones that take over memory, for states that are kept and restored again and again.

/// Implements `Clone` field by field, with a `clone_from` that keeps the memory of long lists. A field
/// that is added to the type and not to the list does not compile.
macro_rules! clone_in_place {
    ($name:ident { $($field:ident),* $(,)? }) => {
        impl Clone for $name {
            fn clone(&self) -> Self {
                let Self { $($field),* } = self;
                Self { $($field: $field.clone()),* }
            }

            fn clone_from(&mut self, from: &Self) {
                let Self { $($field),* } = from;
                $(self.$field.clone_from($field);)*
            }
        }
    };
}
pub(crate) use clone_in_place;
