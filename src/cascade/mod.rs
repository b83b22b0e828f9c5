//! Models of different strength, in both directions: when one fails, a cheaper one is asked; when its answer is not good
//! enough, a stronger one.
//!
//! The models stand from the strongest to the cheapest. Each is asked once in a call at most (with the retries of its own),
//! so a call ends after as many steps as there are models, whatever they answer.
//!
//! | what happens | next is | if there is none left |
//! |---|---|---|
//! | the model fails | the nearest cheaper one that has not been asked | the nearest stronger one, see [`CascadeConfig::stronger_after_error`] |
//! | its answer is below the threshold | the nearest stronger one that has not been asked | the nearest cheaper one |
//! | an error that each model would give (a wrong request, no network) | – | |
//! | the limit of models or of time is reached | – | |
//!
//! In the end the best answer that came is given, marked as not accepted when it is below the threshold
//! ([`Outcome::accepted`](crate::client::Outcome::accepted)); without any answer the fallback text.
//!
//! Article 004's own cascade goes back and forth between two models until its attempts are used up, and gives a static text
//! although it holds answers; this one does neither.

mod config;
mod quality;
mod service;

pub use config::{BelowThreshold, CascadeConfig, Model};
pub use quality::{DefaultQualityCheck, QualityCheck};
pub use service::ModelCascade;
