/// What a breaker has seen since it was made. Counters saturate in practice only: 2⁶⁴ calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BreakerStats {
    /// Results counted as success.
    pub successes: u64,
    /// Results counted as failure.
    pub failures: u64,
    /// Results that say nothing about the service.
    pub neutral: u64,
    /// Results that came too late to count.
    pub stale: u64,
    /// Calls not admitted.
    pub rejected: u64,
    /// Times it opened.
    pub opened: u64,
    /// Times it became half-open.
    pub half_opened: u64,
    /// Times it closed again.
    pub closed: u64,
    /// Listeners that panicked, and changes that were not told: see [`CircuitBreaker::subscribe`](super::CircuitBreaker::subscribe).
    pub listener_errors: u64,
}
