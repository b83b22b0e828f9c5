//! Enums as ArkTS compiles its own: an object whose keys can be listed, and for numbers the way back
//! (`BreakerState[0] === 'CLOSED'`). napi-ohos makes objects with hidden keys and no way back.

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Object;
use napi_ohos::{Env, JsValue, Result};

use super::constants;
use super::js::{Scope, Type, Value};

/// Once, when all is registered; where the constants come in, too.
#[napi(module_exports)]
pub fn complete_exports(exports: Object, env: Env) -> Result<()> {
    let (scope, exports) = (Scope::of(env), exports.raw());
    for key in scope.keys(exports, u32::MAX) {
        let value = scope.get_by(exports, key);
        // Classes and functions have the type of a function; an array is a constant.
        if scope.type_of(value) == Type::Object && scope.array_length(value).is_none() {
            scope.set_own(exports, key, rebuilt(scope, value));
        }
    }
    constants::set(scope, exports);
    Ok(())
}

fn rebuilt(scope: Scope, hidden: Value) -> Value {
    let listed = scope.object();
    for key in scope.all_keys(hidden) {
        let value = scope.get_by(hidden, key);
        scope.set_own(listed, key, value);
        if let Some(number) = scope.as_number(value) {
            scope.set_own(listed, scope.string(&number.to_string()), key);
        }
    }
    listed
}
