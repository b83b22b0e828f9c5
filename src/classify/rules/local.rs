//! Servers on the device or in the house: Ollama, vLLM, llama.cpp.

use super::*;
use ErrorClass::*;

/// <https://docs.ollama.com/api/errors>, vLLM `ErrorResponse`, llama.cpp `format_error_response`.
#[rustfmt::skip]
pub(super) const LOCAL: &[Rule] = &[
    code(&["exceed_context_size_error"], ContextLength),
    code(&["NotFoundError", "not_found_error"], ModelNotFound),
    code(&["unavailable_error"], Overloaded), // the model is loading
    code(&["not_supported_error"], Protocol),
    code(&["authentication_error"], Auth),
    code(&["InternalServerError"], Server),
    code(&["BadRequestError"], BadRequest).vague(),
    any(Cancelled).text(&["request canceled"]),
];
