//! The two fields that are read of each answer.
//!
//! A name that Node-API is given as text is looked up among the engine's strings each time, for more than half of what
//! the property itself costs. A JS string needs no looking up, but no reference can keep one. A bound function can: that
//! of a [slot](super::promise) is called with these names before what its promise came to.

use std::ffi::CStr;

use super::Runtime;
use crate::napi::js::{Scope, Value};

#[derive(Clone, Copy)]
pub enum AnswerField {
    Text,
    FinishReason,
}

/// The names of [`AnswerField::ALL`], as values of the native call that is running.
pub type FieldNames = [Value; 2];

impl AnswerField {
    pub const ALL: [Self; 2] = [Self::Text, Self::FinishReason];

    const fn c_name(self) -> &'static CStr {
        match self {
            Self::Text => c"text",
            Self::FinishReason => c"finishReason",
        }
    }

    pub fn name(self) -> &'static str {
        self.c_name().to_str().expect("field names are ASCII")
    }
}

impl Runtime {
    /// A field of what is known to be an object.
    pub fn answer_field(&self, scope: Scope, answer: Value, field: AnswerField) -> Value {
        match self.names.get() {
            Some(names) => scope.get_by(answer, names[field as usize]),
            None => scope.get_of(answer, field.c_name()),
        }
    }
}
