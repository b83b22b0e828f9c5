//! Why a model stopped, when that means the answer is no answer. Normal ends and cuts by length have no row.

use crate::classify::ErrorClass::{self, *};

/// In lower case. All providers in one table: no word means two things.
#[rustfmt::skip]
const REASONS: [(&str, ErrorClass); 34] = [
    // OpenAI, Azure, DeepSeek, Qianfan, Moonshot, Ark, OpenRouter
    ("content_filter",               ContentFilter),
    ("refusal",                      ContentFilter), // Anthropic
    ("sensitive",                    ContentFilter), // Zhipu, Hunyuan
    ("guardrail",                    ContentFilter),
    // Gemini finishReason and promptFeedback.blockReason
    ("safety",                       ContentFilter),
    ("recitation",                   ContentFilter),
    ("blocklist",                    ContentFilter),
    ("prohibited_content",           ContentFilter),
    ("spii",                         ContentFilter),
    ("jailbreak",                    ContentFilter),
    ("model_armor",                  ContentFilter),
    ("image_safety",                 ContentFilter),
    ("image_prohibited_content",     ContentFilter),
    ("image_recitation",             ContentFilter),
    ("language",                     InvalidResponse),
    ("other",                        InvalidResponse),
    ("image_other",                  InvalidResponse),
    ("no_image",                     InvalidResponse),
    ("malformed_function_call",      InvalidResponse),
    ("unexpected_tool_call",         InvalidResponse),
    ("too_many_tool_calls",          InvalidResponse),
    ("insufficient_system_resource", Overloaded),    // DeepSeek
    ("network_error",                Server),        // Zhipu
    ("error",                        Server),        // OpenRouter
    ("failed",                       Server),        // OpenAI Responses
    ("cancelled",                    Cancelled),     // OpenAI Responses
    ("aborted",                      Interrupted),   // DeepSeek
    ("abort",                        Interrupted),   // vLLM
    // A gateway that puts the error type of Anthropic here
    ("overloaded_error",             Overloaded),
    ("api_error",                    Server),
    ("rate_limit_error",             RateLimit),
    ("timeout_error",                Timeout),
    ("authentication_error",         Auth),
    ("invalid_request_error",        BadRequest),
];

/// The class of a finish reason; none for a normal end.
pub(in crate::classify) fn class(reason: &str) -> Option<ErrorClass> {
    REASONS.iter().find(|row| row.0.eq_ignore_ascii_case(reason.trim())).map(|row| row.1)
}

/// End marks of streams besides a finish reason.
pub(in crate::classify) const TERMINAL_EVENTS: [&str; 4] =
    ["message_stop", "response.completed", "response.incomplete", "response.done"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_normal_end_or_a_cut_by_length_is_no_fault() {
        let fine = [
            "stop",
            "length",
            "tool_calls",
            "function_call",
            "max_tokens",
            "MAX_TOKENS",
            "STOP",
            "end_turn",
            "stop_sequence",
            "tool_use",
            "pause_turn",
            "model_context_window_exceeded",
            "max_output_tokens",
            "normal",
            "load",
            "null",
            "",
            "FINISH_REASON_UNSPECIFIED",
        ];
        for reason in fine {
            assert_eq!(class(reason), None, "{reason}");
        }
    }
}
