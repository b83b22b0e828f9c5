//! An allocator that counts what the running thread asks of it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// For each thread: other tests of the same process allocate too.
    static COUNTED: Cell<Allocations> = const { Cell::new(Allocations { count: 0, bytes: 0 }) };
    static IN_USE: Cell<isize> = const { Cell::new(0) };
}

/// Allocations, and growing ones again. What is freed is not subtracted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocations {
    pub count: u64,
    pub bytes: u64,
}

/// What `work` allocates on this thread.
#[allow(dead_code)] // not every program asks for it
pub fn allocations(work: impl FnOnce()) -> Allocations {
    let before = COUNTED.get();
    work();
    let after = COUNTED.get();
    Allocations { count: after.count - before.count, bytes: after.bytes - before.bytes }
}

/// Bytes that this thread has asked for and not given back.
#[allow(dead_code)]
pub fn bytes_in_use() -> isize {
    IN_USE.get()
}

/// More or fewer bytes in use.
fn change(bytes: isize) {
    let _ = IN_USE.try_with(|in_use| in_use.set(in_use.get() + bytes));
}

fn count(bytes: usize) {
    change(bytes as isize);
    // Fails only while the thread ends.
    let _ = COUNTED.try_with(|counted| {
        let Allocations { count, bytes: sum } = counted.get();
        counted.set(Allocations { count: count + 1, bytes: sum + bytes as u64 });
    });
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: hands everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        change(-(layout.size() as isize));
        count(new_size);
        unsafe { System.realloc(memory, layout, new_size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        change(-(layout.size() as isize));
        unsafe { System.dealloc(memory, layout) }
    }
}
