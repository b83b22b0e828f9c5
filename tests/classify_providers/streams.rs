//! Errors and keep-alives inside streams.

use super::*;
use ErrorClass::*;

const PART: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n";
const END: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn stream(text: impl AsRef<str>) -> Option<CallError> {
    let whole = answer(None, &Value::from(text.as_ref()));
    // The same with the line ends of Windows and a byte order mark.
    let other = format!("\u{feff}{}", text.as_ref().replace('\n', "\r\n"));
    assert_eq!(whole, answer(None, &Value::from(other)));
    whole
}

#[test]
fn a_whole_stream() {
    assert_eq!(stream(format!("{PART}{PART}{END}")), None);
    assert_eq!(
        stream(format!(": keep-alive\n\n{PART}data: {{\"choices\":[],\"usage\":{{\"total_tokens\":9}}}}\n\n{END}")),
        None
    );
    assert_eq!(stream(format!(": OPENROUTER PROCESSING\n\n{PART}{END}")), None);
    assert_eq!(stream("data: \"Rate limit\"\n\ndata: [DONE]\n\n"), None, "bare text is a part of the answer");
}

#[test]
#[rustfmt::skip]
fn the_first_error_counts() {
    for (name, text, class) in [
        ("OpenAI chat", format!("{PART}data: {{\"error\":{{\"message\":\"Broke.\",\"type\":\"server_error\",\"code\":null}}}}\n\n"), Server),
        ("OpenAI Responses", "event: error\ndata: {\"type\":\"error\",\"code\":\"rate_limit_exceeded\",\"message\":\"Fast.\",\"param\":null,\"sequence_number\":3}\n\n".to_owned(), RateLimit),
        ("OpenAI Responses, failed", "event: response.failed\ndata: {\"type\":\"response.failed\",\"response\":{\"object\":\"response\",\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":\"Broke.\"}}}\n\n".to_owned(), Server),
        ("Anthropic", "event: ping\ndata: {\"type\":\"ping\"}\n\nevent: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n".to_owned(), Overloaded),
        ("Anthropic, vague", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"Broke\"}}\n\n".to_owned(), Server),
        ("Gemini, raw", "data: {\"candidates\":[{\"content\":{}}]}\n\n{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"Busy.\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n".to_owned(), Overloaded),
        ("DashScope", "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Throttling.RateQuota\",\"message\":\"Fast.\",\"request_id\":\"r\"}\n\n".to_owned(), RateLimit),
        ("DashScope, unknown code", "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Odd\",\"message\":\"Odd.\",\"request_id\":\"r\"}\n\n".to_owned(), RateLimit),
        ("DashScope, status line", "id:1\nevent:error\nstatus:500\ndata:{\"code\":\"Odd\",\"message\":\"Odd.\",\"request_id\":\"r\"}\n\n".to_owned(), Server),
        ("DashScope compatible", "data: {\"error\":{\"code\":\"data_inspection_failed\",\"message\":\"No.\",\"type\":\"data_inspection_failed\"}}\n\n".to_owned(), ContentFilter),
        ("Qianfan v1", "{\"error_code\":336501,\"error_msg\":\"rpm\"}".to_owned(), RateLimit),
        ("Ark", "data: {\"error\":{\"code\":\"ServerOverloaded\",\"message\":\"Busy.\"}}\n\n".to_owned(), Overloaded),
        ("Ark images", "data: {\"code\":\"ServerOverloaded\",\"message\":\"Busy.\"}\n\n".to_owned(), Overloaded),
        ("Ark agent", "data: {\"type\":\"session.error\",\"error\":{\"type\":\"model_overloaded_error\",\"message\":\"Busy.\"}}\n\n".to_owned(), Overloaded),
        ("Ark agent", "data: {\"type\":\"session.error\",\"error\":{\"type\":\"model_rate_limited_error\"}}\n\n".to_owned(), RateLimit),
        ("Ark agent", "data: {\"type\":\"session.error\",\"error\":{\"type\":\"billing_error\"}}\n\n".to_owned(), Quota),
        ("Zhipu", "data: {\"choices\":[{\"finish_reason\":\"network_error\",\"delta\":{}}]}\n\ndata: [DONE]\n\n".to_owned(), Server),
        ("Hunyuan", "data: {\"Choices\":[],\"ErrorMsg\":{\"Code\":\"FailedOperation.EngineServerLimitExceeded\",\"Msg\":\"Busy.\"}}\n\n".to_owned(), Overloaded),
        ("MiniMax", format!("{PART}data: {{\"choices\":null,\"base_resp\":{{\"status_code\":1027,\"status_msg\":\"output\"}}}}\n\ndata: [DONE]\n\n"), ContentFilter),
        ("Spark", "{\"header\":{\"code\":10008,\"message\":\"busy\",\"sid\":\"s\",\"status\":2}}".to_owned(), Overloaded),
        ("InferHub", "data:{\"text\":\"[DONE]\",\"error_code\":\"InferHub.4291.200\",\"error_msg\":\"used up\"}\n\n".to_owned(), Quota),
        ("OpenRouter", ": OPENROUTER PROCESSING\n\ndata: {\"id\":\"g\",\"choices\":[],\"error\":{\"code\":502,\"message\":\"Lost.\",\"metadata\":{\"provider_name\":\"P\"}}}\n\n".to_owned(), Server),
        ("OpenRouter", "data: {\"id\":\"g\",\"error\":{\"code\":429,\"message\":\"Fast.\"},\"choices\":[{\"delta\":{},\"finish_reason\":\"error\"}]}\n\n".to_owned(), RateLimit),
        ("Ollama", "{\"model\":\"m\",\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"error\":\"the runner is overloaded\"}\n".to_owned(), Overloaded),
        ("vLLM", format!("{PART}data: {{\"error\":{{\"message\":\"Broke.\",\"type\":\"InternalServerError\",\"code\":500}}}}\n\ndata: [DONE]\n\n"), Server),
        ("llama.cpp", format!("{PART}error: {{\"code\":500,\"message\":\"Broke.\",\"type\":\"server_error\"}}\n\n"), Server),
        ("several lines of data", "data: {\"error\":\ndata: {\"code\":503,\"message\":\"Busy.\"}}\n\n".to_owned(), Overloaded),
        ("several objects in a line", "data: {\"choices\":[]} {\"error\":{\"code\":503,\"message\":\"Busy.\"}}\n\n".to_owned(), Overloaded),
        ("an event without JSON", "event: error\ndata: rate limit reached\n\n".to_owned(), RateLimit),
        ("no empty line at the end", "data: {\"error\":{\"code\":503,\"message\":\"Busy.\"}}".to_owned(), Overloaded),
    ] {
        let found = stream(&text).map(|error| error.class);
        assert_eq!(found, Some(class), "{name}: {text}");
        // The same text may be the body of a failed reply; a code in it wins over the status.
        let facts = ErrorFacts { status: Some(400), body: Some(Value::from(text.as_str())), ..Default::default() };
        if !["Zhipu", "Anthropic, vague", "Ollama", "an event without JSON"].contains(&name) {
            assert_eq!(classify(&facts, now()).class, class, "{name} as a failed reply");
        }
    }
}

#[test]
fn an_error_is_found_after_three_lines_of_broken_json_and_not_after_four() {
    let error = "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"Out.\"}}\n";
    let failed =
        |text: String| classify(&ErrorFacts { body: Some(Value::from(text)), ..Default::default() }, now()).class;
    let broken = |lines| "{\"message\":{\"content\":\"Hel\n".repeat(lines);
    assert_eq!([3, 4].map(|lines| failed(format!("{}{error}", broken(lines)))), [Quota, Unknown]);
    assert_eq!(failed(format!("{}data: {error}", broken(4))), Quota, "what is named data is read all the same");
}

#[test]
fn broken_json_is_no_message_of_the_provider() {
    let answer_cut_off = "{\"choices\":[{\"message\":{\"content\":\"A context window is";
    assert_eq!(reply(None, 400, &Value::from(answer_cut_off)).class, BadRequest);
    assert_eq!(reply(None, 400, &Value::from("A context window is")).class, ContextLength);
}

#[test]
fn words_in_brackets_are_no_json() {
    for text in ["[ERROR] insufficient balance", "{error: insufficient balance}"] {
        assert_eq!(reply(None, 400, &Value::from(text)).class, Quota, "{text}");
    }
    let cut_off = "[ { \"text\": \"insufficient balance";
    assert_eq!(reply(None, 400, &Value::from(cut_off)).class, BadRequest, "an answer that talks of it");
}

#[test]
fn a_status_in_a_comment_line_is_kept() {
    let text = "id:1\nevent:error\n:HTTP_STATUS/429\ndata:{\"code\":\"Throttling\",\"message\":\"Fast.\",\"request_id\":\"r\"}\n\n";
    assert_eq!(stream(text).unwrap().status, Some(429));
    let fine =
        "id:1\nevent:result\n:HTTP_STATUS/200\ndata:{\"output\":{\"choices\":[{\"finish_reason\":\"stop\"}]}}\n\n";
    assert_eq!(stream(fine), None);
}

#[test]
fn an_end_without_a_mark_is_an_interruption() {
    let error = stream(PART).unwrap();
    assert!(error.class == Interrupted && error.maybe_billed);
    for end in [
        "data: [DONE]\n\n",
        "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"object\":\"response\",\"status\":\"completed\",\"error\":null}}\n\n",
        "data: {\"choices\":[{\"finish_reason\":\"length\"}]}\n\n",
        "data: {\"result\":\"\",\"is_end\":true}\n\n",
        "data: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\n",
        "data: {\"header\":{\"code\":0,\"status\":2}}\n\n",
    ] {
        assert_eq!(stream(format!("{PART}{end}")), None, "{end}");
    }
    for no_end in
        ["data: {\"choices\":[{\"finish_reason\":\"\"}]}\n\n", "data: {\"choices\":[{\"finish_reason\":\"null\"}]}\n\n"]
    {
        assert_eq!(stream(format!("{PART}{no_end}")).map(|error| error.class), Some(Interrupted), "{no_end}");
    }
    assert_eq!(stream("{\"message\":{\"content\":\"Hi\"},\"done\":false}\n{\"message\":{},\"done\":true}\n"), None);
    assert_eq!(stream("{\"message\":{\"content\":\"Hi\"},\"done\":false}\n").unwrap().class, Interrupted);
}

#[test]
fn an_error_at_the_end_of_a_long_answer_is_found() {
    let long = PART.repeat(20_000);
    let error = format!("{long}data: {{\"error\":{{\"code\":503,\"message\":\"Busy.\"}}}}\n\n");
    assert!(error.len() > 1_000_000);
    assert_eq!(stream(&error).unwrap().class, Overloaded);
    assert_eq!(stream(format!("{long}{END}")), None);
    assert_eq!(stream(&long).unwrap().class, Interrupted);
}

#[test]
fn no_data_at_all_is_no_answer() {
    for text in [
        "",
        "  \n\n",
        "data: [DONE]\n\n",
        ": keep-alive\n\n: keep-alive\n\n",
        "event: ping\n\n",
        "event: error\ndata:\n\n",
    ] {
        assert_eq!(answer(None, &Value::from(text)).unwrap().class, InvalidResponse, "{text:?}");
    }
}

#[test]
fn text_out_of_its_envelope_is_an_answer() {
    for text in [
        "Hello",
        "error: none of your tests fail",
        ":) hello",
        "The status is 500.",
        "[1, 2, 3]",
        "Rate limit reached? Wait.",
    ] {
        assert_eq!(answer(None, &Value::from(text)), None, "{text:?}");
    }
}

#[test]
fn a_portal_page_is_no_answer() {
    assert_eq!(
        answer(None, &body("<!DOCTYPE html><html>Sign in to the network</html>")).unwrap().class,
        InvalidResponse
    );
}
