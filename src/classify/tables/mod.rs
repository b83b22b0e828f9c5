//! What codes, names and words mean, whoever the provider is. Data; [`judge`](super::judge) walks it.

pub(super) mod finish_reason;
pub(super) mod harmony;
pub(super) mod phrases;
pub(super) mod status;
pub(super) mod transport;
