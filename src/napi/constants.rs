//! The constants of article 004 that are objects, made of the defaults themselves. No macro makes such constants: their
//! types stand in the header of index.d.ts, see Cargo.toml.

use super::bulkhead::write_config as bulkhead_options;
use super::create_breaker::default_options as breaker_options;
use super::js::{Scope, Value};
use crate::bulkhead::{BulkheadConfig, Preset};

pub fn set(scope: Scope, exports: Value) {
    scope.set(exports, c"DEFAULT_BREAKER_OPTIONS", breaker_options(scope));
    let presets = scope.object();
    for preset in Preset::ALL {
        let options = bulkhead_options(scope, preset.name(), &BulkheadConfig::preset(preset));
        scope.set_own(presets, scope.string(preset.name()), options);
    }
    scope.set(exports, c"PRESET_BULKHEADS", presets);
}
