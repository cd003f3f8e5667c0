//! example_support
