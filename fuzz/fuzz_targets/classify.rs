#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| resilience_fuzz::classify::run(data));
