//! Faults that other libraries really had: each test carries the number of the public thread.

mod classify_quota;
mod classify_retry_after;
