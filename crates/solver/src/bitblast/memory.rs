//! How much memory the process uses.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often it is read for those who ask all the time.
const INTERVAL: Duration = Duration::from_millis(10);

/// [`resident_mib`] as it was some milliseconds ago at most; 0 where the system does not tell.
pub fn recent_mib() -> u64 {
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    /// Milliseconds from `BEGUN` to the last reading, and one.
    static READ: AtomicU64 = AtomicU64::new(0);
    static USED: AtomicU64 = AtomicU64::new(0);
    let now = BEGUN.get_or_init(Instant::now).elapsed().as_millis() as u64 + 1;
    let read = READ.load(Ordering::Relaxed);
    if (read == 0 || now >= read + INTERVAL.as_millis() as u64)
        && READ.compare_exchange(read, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        USED.store(resident_mib().unwrap_or(0), Ordering::Relaxed);
    }
    USED.load(Ordering::Relaxed)
}

/// Gives the system back what was freed: the allocator keeps it for the process, and limits are on what the process has.
pub fn give_back() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Resident memory of the process in mebibytes; `None` where the system does not tell.
pub fn resident_mib() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_ascii_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: sysconf reads a constant of the system and has no preconditions.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    Some((pages * page) >> 20)
}
