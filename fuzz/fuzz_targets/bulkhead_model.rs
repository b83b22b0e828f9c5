#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| resilience_fuzz::bulkhead_model::run(data));
