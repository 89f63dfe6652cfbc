//! A pool of freed blocks. A fresh page costs eight times what the arithmetic on it costs, so the memory of a freed
//! storage waits here for the next storage of about its size, up to a limit.
//!
//! Sizes are rounded up to classes, four between two powers of two. The blocks that waited longest go first when the
//! limit is reached. Blocks below one kilobyte never come here: the smallest wait in `share.rs`, and for others the system's allocator is fast enough.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::block::{Block, nowhere};
use crate::error::{Error, Result};
use crate::process::{PerProcess, left_behind, locked};

/// Blocks below this size are left to the system's allocator.
const SMALLEST: usize = 1 << SMALLEST_LOG;
const SMALLEST_LOG: u32 = 10;
/// Zeros below this size come from a waiting block, by clearing it; larger ones are fresh pages, touched when used.
const CLEARED: usize = 1 << 18;
const CLASSES: usize = 4 * (usize::BITS - SMALLEST_LOG) as usize + 1;
const LIMIT: usize = 1 << 30;
/// The environment variable that sets the limit, in bytes.
const LIMIT_VARIABLE: &str = "LATTEN_POOL_BYTES";

/// What the pool holds and what it did since the start of the program. Blocks below one kilobyte don't count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// How many bytes may wait in the pool.
    pub limit: usize,
    /// The bytes that wait in the pool.
    pub held_bytes: usize,
    /// The blocks that wait in the pool.
    pub held_blocks: usize,
    /// The bytes of the blocks that storages use now.
    pub used_bytes: usize,
    /// How many blocks came out of the pool.
    pub reused: u64,
    /// How many blocks came from the system.
    pub fresh: u64,
    /// How many blocks went back to the system.
    pub released: u64,
}

struct IdleBlock {
    since: u64,
    block: Block,
}

struct Pool {
    classes: [VecDeque<IdleBlock>; CLASSES],
    stats: PoolStats,
    clock: u64,
    /// Whether `stats.limit` was set, by the environment or by a call.
    limited: bool,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            classes: [const { VecDeque::new() }; CLASSES],
            stats: PoolStats { limit: LIMIT, ..PoolStats::default() },
            clock: 0,
            limited: false,
        }
    }
}

static POOL: PerProcess<Mutex<Pool>> = PerProcess::new(Mutex::default, left_behind);

fn pool() -> MutexGuard<'static, Pool> {
    locked(POOL.get())
}

/// The limit that the environment sets.
fn written_limit() -> Option<usize> {
    std::env::var(LIMIT_VARIABLE).ok().and_then(|text| text.trim().parse().ok())
}

/// Whether the environment says that no memory is to wait: then tools that watch a program see the memory of each storage.
pub(super) fn is_off() -> bool {
    static OFF: OnceLock<bool> = OnceLock::new();
    *OFF.get_or_init(|| written_limit() == Some(0))
}

/// Gives all waiting memory back to the system.
pub(super) fn release() {
    let released = pool().shrink_to(0);
    drop(released);
}

/// What the pool holds and did.
#[must_use]
pub fn pool_stats() -> PoolStats {
    let mut pool = pool();
    pool.read_limit();
    pool.stats
}

/// Sets how many bytes may wait in the pool; 0 turns it off. At the start it is what the environment variable
/// `LATTEN_POOL_BYTES` says, else one gigabyte.
pub fn set_pool_limit(bytes: usize) {
    let mut pool = pool();
    pool.stats.limit = bytes;
    pool.limited = true;
    let released = pool.shrink_to(bytes);
    drop(pool);
    drop(released);
}

/// What a new block should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contents {
    /// Whatever was there: zeros or the bytes of a freed storage.
    Stale,
    Zeros,
}

/// A block that goes back to the pool when it is dropped; without a block where it holds no bytes.
#[derive(Debug)]
pub(super) struct Pooled(Option<Block>);

impl Pooled {
    /// No bytes.
    pub(super) const fn none() -> Self {
        Self(None)
    }

    /// A block of at least that many bytes.
    pub(super) fn new(nbytes: usize, contents: Contents) -> Result<Self> {
        if isize::try_from(nbytes).is_err() {
            return Err(Error::runtime(format!(
                "[enforce fail at alloc_cpu.cpp:98] ((ptrdiff_t)nbytes) >= 0. \
                 alloc_cpu() seems to have been called with negative number: {nbytes}"
            )));
        }
        if nbytes == 0 {
            return Ok(Self::none());
        }
        let block = if nbytes < SMALLEST { Block::zeroed(nbytes) } else { take(nbytes, contents) };
        let block = block.or_else(|| {
            release();
            if nbytes < SMALLEST { Block::zeroed(nbytes) } else { take(nbytes, contents) }
        });
        match block {
            Some(block) => Ok(Self(Some(block))),
            None => Err(Error::runtime(format!(
                "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: \
                 you tried to allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)"
            ))),
        }
    }

    pub(super) fn start(&self) -> *mut u8 {
        self.0.as_ref().map_or(nowhere(), Block::start)
    }

    pub(super) fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, Block::capacity)
    }
}

impl Drop for Pooled {
    fn drop(&mut self) {
        if let Some(block) = self.0.take()
            && block.capacity() >= SMALLEST
        {
            give(block);
        }
    }
}

/// The class of a size and the bytes that a block of that class has.
fn class_of(nbytes: usize) -> (usize, usize) {
    let log = nbytes.ilog2();
    let step = 1 << (log - 2);
    let rounded = nbytes.next_multiple_of(step);
    let log_rounded = rounded.ilog2();
    let quarter = (rounded >> (log_rounded - 2)) & 3;
    (4 * (log_rounded - SMALLEST_LOG) as usize + quarter, rounded)
}

fn take(nbytes: usize, contents: Contents) -> Option<Block> {
    let (class, capacity) = class_of(nbytes);
    let waiting = if contents == Contents::Stale || nbytes <= CLEARED { pool().take(class) } else { None };
    if let Some(mut block) = waiting {
        if contents == Contents::Zeros {
            block.clear(nbytes);
        }
        return Some(block);
    }
    let block = Block::zeroed(capacity)?;
    let mut pool = pool();
    pool.stats.fresh += 1;
    pool.stats.used_bytes += capacity;
    Some(block)
}

fn give(block: Block) {
    let released = pool().give(block);
    drop(released);
}

impl Pool {
    fn read_limit(&mut self) {
        if !self.limited {
            self.limited = true;
            self.stats.limit = written_limit().unwrap_or(LIMIT);
        }
    }

    fn take(&mut self, class: usize) -> Option<Block> {
        // The youngest: its bytes are the likeliest to be in the processor's cache.
        let block = self.classes[class].pop_back()?.block;
        self.stats.held_bytes -= block.capacity();
        self.stats.held_blocks -= 1;
        self.stats.used_bytes += block.capacity();
        self.stats.reused += 1;
        Some(block)
    }

    /// Keeps the block and returns what no longer fits, to be freed when the lock is no longer held.
    fn give(&mut self, block: Block) -> Vec<Block> {
        self.read_limit();
        let capacity = block.capacity();
        // In a forked child it may have been counted in another pool.
        self.stats.used_bytes = self.stats.used_bytes.saturating_sub(capacity);
        if capacity > self.stats.limit {
            self.stats.released += 1;
            return vec![block];
        }
        let released = self.shrink_to(self.stats.limit - capacity);
        self.clock += 1;
        self.stats.held_bytes += capacity;
        self.stats.held_blocks += 1;
        self.classes[class_of(capacity).0].push_back(IdleBlock { since: self.clock, block });
        released
    }

    /// Takes the oldest blocks out until at most that many bytes wait.
    fn shrink_to(&mut self, bytes: usize) -> Vec<Block> {
        let mut released = Vec::new();
        while self.stats.held_bytes > bytes {
            let oldest = self.classes.iter_mut().filter(|class| !class.is_empty()).min_by_key(|class| class[0].since);
            let Some(IdleBlock { block, .. }) = oldest.and_then(VecDeque::pop_front) else { break };
            self.stats.held_bytes -= block.capacity();
            self.stats.held_blocks -= 1;
            self.stats.released += 1;
            released.push(block);
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, SMALLEST, class_of};

    #[test]
    fn classes_grow_with_their_sizes_and_waste_at_most_a_quarter() {
        let mut sizes: Vec<usize> = (SMALLEST..1 << 14).collect();
        sizes.extend((14..62).flat_map(|log| [(1 << log) - 1, 1 << log, (1 << log) + 1, (1 << log) + (1 << (log - 1)) + 1]));
        sizes.push(isize::MAX as usize);
        let mut last = (0, 0);
        for nbytes in sizes {
            let (class, capacity) = class_of(nbytes);
            assert!(class < CLASSES, "{nbytes}: class {class}");
            assert!(capacity >= nbytes && capacity - nbytes <= nbytes / 4, "{nbytes}: {capacity}");
            assert_eq!(class_of(capacity), (class, capacity), "{nbytes}: a block's capacity must be of its own class");
            assert!((class, capacity) >= last, "{nbytes}: {class} {capacity} after {last:?}");
            assert_eq!(class == last.0, capacity == last.1 || last.1 == 0, "{nbytes}");
            last = (class, capacity);
        }
    }
}
