use crate::sync::atomic::{AtomicU64, Ordering};

/// One where threads are those of a model: their stacks lie elsewhere each time.
const SHARDS: usize = if cfg!(loom) { 1 } else { 8 };

/// A count that several threads add to at once without waiting for each other: most have a cache line of their own.
#[derive(Default)]
pub(super) struct Counter([Shard; SHARDS]);

#[derive(Default)]
#[repr(align(64))]
struct Shard(AtomicU64);

impl Counter {
    #[inline]
    pub fn add_one(&self) {
        // Threads differ in where their stacks are. A thread-local number would do as well, but is slow to read in a
        // library that is loaded at run time, above all on HarmonyOS (emulated TLS).
        let on_stack = 0_u8;
        let address = std::ptr::from_ref(&on_stack) as usize;
        let shard = (address >> 16).wrapping_mul(0x9E37_79B9) >> 16;
        self.0[shard % SHARDS].0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.iter().map(|shard| shard.0.load(Ordering::Relaxed)).sum()
    }
}
