//! Settings of a tick's budget.

/// Settings of [`Budget`].
pub mod budget {
    use crate::settings::effort::Budget;
    use crate::settings::range::{SettingRange, find_in};
    use crate::settings::visit::Settings;

    const ROWS: &[SettingRange] = Budget::ROWS;

    /// `milliseconds`.
    pub const MILLISECONDS: SettingRange = *find_in(ROWS, "milliseconds");
    /// `min_substeps`.
    pub const MIN_SUBSTEPS: SettingRange = *find_in(ROWS, "min_substeps");
    /// `min_viscosity_sweeps`.
    pub const MIN_VISCOSITY_SWEEPS: SettingRange = *find_in(ROWS, "min_viscosity_sweeps");
}
