//! Stand-ins for an LLM service, for demos and tests: one that fails as told, one that fails by chance. And what comes of
//! calls that nothing protects.

mod flaky;
mod mock_client;
mod scenario;

pub use flaky::{FlakyConfig, FlakyLlmClient};
pub use mock_client::MockLlmClient;
pub use scenario::{BadScenario, demo_bad_scenario};
