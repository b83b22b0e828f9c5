//! Stand-ins for an LLM service, for demos and tests: one that fails as told, one that fails by chance.

mod flaky;
mod mock_client;

pub use flaky::{FlakyConfig, FlakyLlmClient};
pub use mock_client::MockLlmClient;
