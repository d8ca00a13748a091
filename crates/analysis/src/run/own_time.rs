//! The time that a run had for itself: that on the wall, without what it waited for processors that others used.
//!
//! On a machine with more to do than it has processors for, a limit by the wall leaves an analysis a part of what its user meant. So
//! while there is a limit, a thread looks ten times a second at what the kernel tells of this process and of all that came of it
//! (`/proc/PID/schedstat`): how long each ran, and how long it was ready to run and waited. Together they wanted the sum of both, though no more than
//! all processors all the time; what they did not get of that is lost. What they waited for each other is not.
//!
//! **What it may miss.** A process that lives for less than a look, threads of other processes but their first, and processors that a virtual
//! machine only seems to have. Where the kernel does not tell, all time counts.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often the kernel is asked.
const LOOK: Duration = Duration::from_millis(100);
/// What the last look counts in the pace: looks of some two seconds matter.
const WEIGHT: f64 = 0.05;

/// What limits are measured with.
pub trait Timepiece: std::fmt::Debug + Sync {
    /// The time on the wall.
    fn wall(&self) -> Instant;
    /// What was lost so far to others; it never falls.
    fn lost(&self) -> Duration;
    /// Of late, the part of the time that was not lost: above 0, at most 1.
    fn pace(&self) -> f64;
}

/// Counts all time.
#[derive(Debug)]
pub struct Wall;

impl Timepiece for Wall {
    fn wall(&self) -> Instant {
        Instant::now()
    }

    fn lost(&self) -> Duration {
        Duration::ZERO
    }

    fn pace(&self) -> f64 {
        1.0
    }
}

/// Counts the time that this process and its descendants had.
#[derive(Debug)]
struct OwnTime {
    lost_nanoseconds: AtomicU64,
    /// An encoded `f64`.
    pace: AtomicU64,
}

impl Timepiece for OwnTime {
    fn wall(&self) -> Instant {
        Instant::now()
    }

    fn lost(&self) -> Duration {
        Duration::from_nanos(self.lost_nanoseconds.load(Ordering::Relaxed))
    }

    fn pace(&self) -> f64 {
        f64::from_bits(self.pace.load(Ordering::Relaxed))
    }
}

impl OwnTime {
    /// Looks from time to time, for ever.
    fn watch(&self) {
        let processors = processors();
        let mut family = Family::default();
        family.usage();
        let mut looked = Instant::now();
        loop {
            std::thread::sleep(LOOK);
            let usage = family.usage();
            let now = Instant::now();
            let passed = now - looked;
            looked = now;
            let lost = lost(passed, usage, processors);
            self.lost_nanoseconds.fetch_add(lost.as_nanos() as u64, Ordering::Relaxed);
            let had = 1.0 - lost.as_secs_f64() / passed.as_secs_f64().max(1e-9);
            let pace = self.pace() * (1.0 - WEIGHT) + had * WEIGHT;
            self.pace.store(pace.to_bits(), Ordering::Relaxed);
        }
    }
}

/// The timepiece of this process; from the first call on it is kept.
pub fn own_time() -> &'static dyn Timepiece {
    static OWN: OnceLock<bool> = OnceLock::new();
    static TIME: OwnTime = OwnTime { lost_nanoseconds: AtomicU64::new(0), pace: AtomicU64::new(1f64.to_bits()) };
    // Where there is no thread to be had, all time counts.
    OWN.get_or_init(|| {
        let load = fs::read_to_string("/proc/loadavg").ok().and_then(|text| text.split(' ').next()?.parse().ok());
        TIME.pace.store(pace_under(load.unwrap_or(0.0), processors()).to_bits(), Ordering::Relaxed);
        std::thread::Builder::new().name("own time".to_owned()).spawn(|| TIME.watch()).is_ok()
    });
    &TIME
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The pace of one more process under a load of so many that share the processors evenly: what is gone by until looks tell.
fn pace_under(load: f64, processors: usize) -> f64 {
    (processors as f64 / (load + 1.0)).min(1.0)
}

/// What processes did in some time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Usage {
    ran: Duration,
    /// Ready to run, without a processor.
    waited: Duration,
}

/// How much later processes that did this are because others used processors, too.
fn lost(passed: Duration, usage: Usage, processors: usize) -> Duration {
    let (passed, ran) = (passed.as_secs_f64(), usage.ran.as_secs_f64());
    let wanted = (ran + usage.waited.as_secs_f64()).min(passed * processors as f64);
    let missed = (wanted - ran).max(0.0);
    // Where several want to run at a time, each is late by its part.
    let at_a_time = (wanted / passed.max(1e-9)).max(1.0);
    Duration::from_secs_f64((missed / at_a_time).min(passed))
}

/// This process and its descendants, as the kernel tells.
#[derive(Debug, Default)]
struct Family {
    /// Of every process of the machine its parent.
    parents: HashMap<u32, u32>,
    /// What each member had done at the last look.
    before: HashMap<u32, Usage>,
}

impl Family {
    /// What its members did since the last look.
    fn usage(&mut self) -> Usage {
        let me = std::process::id();
        let processes = numbers(Path::new("/proc"));
        let mut parents = HashMap::with_capacity(processes.len());
        for process in processes {
            let known = self.parents.get(&process).copied().or_else(|| parent(process));
            parents.extend(known.map(|parent| (process, parent)));
        }
        self.parents = parents;
        let descendants = self.parents.keys().filter(|process| self.descends(**process, me));
        let schedstats = descendants.map(|process| (*process, format!("/proc/{process}/schedstat")));
        // Of this process each thread counts.
        let threads = numbers(Path::new("/proc/self/task")).into_iter();
        let threads = threads.map(|thread| (thread, format!("/proc/self/task/{thread}/schedstat")));
        let done =
            threads.chain(schedstats).filter_map(|(of, file)| Some((of, schedstat(&fs::read_to_string(file).ok()?)?)));
        let done: HashMap<u32, Usage> = done.collect();
        let mut usage = Usage::default();
        for (of, now) in &done {
            let before = self.before.get(of).copied().unwrap_or_default();
            usage.ran += now.ran.saturating_sub(before.ran);
            usage.waited += now.waited.saturating_sub(before.waited);
        }
        self.before = done;
        usage
    }

    fn descends(&self, process: u32, from: u32) -> bool {
        let mut ancestor = process;
        // More generations than there are processes would be a circle: numbers are used again.
        for _ in 0..self.parents.len() {
            match self.parents.get(&ancestor) {
                Some(parent) if *parent == from => return true,
                Some(parent) => ancestor = *parent,
                None => return false,
            }
        }
        false
    }
}

/// The entries of a folder that are numbers.
fn numbers(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// A process' parent: the second field after the name in parentheses, which may hold anything.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The first two numbers of a schedstat are nanoseconds.
fn schedstat(text: &str) -> Option<Usage> {
    let mut numbers = text.split_whitespace().map(|number| number.parse().ok().map(Duration::from_nanos));
    Some(Usage { ran: numbers.next()??, waited: numbers.next()?? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost_of(ran: u64, waited: u64, processors: usize) -> u128 {
        let of = Duration::from_millis;
        lost(of(1000), Usage { ran: of(ran), waited: of(waited) }, processors).as_millis()
    }

    #[test]
    fn time_is_lost_to_others_alone() {
        assert_eq!(lost_of(0, 0, 2), 0, "all slept");
        assert_eq!(lost_of(1000, 0, 2), 0, "one ran all the time");
        assert_eq!(lost_of(2000, 2000, 2), 0, "four shared both processors among themselves");
        assert_eq!(lost_of(500, 500, 2), 500, "one of them waited half of the time");
        assert_eq!(lost_of(10, 10, 2), 10, "it slept otherwise");
        assert_eq!(lost_of(500, 3500, 2), 750, "four had a quarter of both processors");
        assert_eq!(lost_of(0, 1000, 1), 1000);
    }

    #[test]
    fn the_first_pace_is_the_machines_load() {
        assert_eq!(pace_under(0.4, 2), 1.0);
        assert_eq!(pace_under(7.0, 2), 0.25);
    }

    #[test]
    fn the_kernels_words_are_read() {
        let of = Duration::from_nanos;
        assert_eq!(schedstat("12 34 5\n"), Some(Usage { ran: of(12), waited: of(34) }));
        assert_eq!(schedstat(""), None);
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
    }

    /// A child of a child counts, too.
    #[test]
    fn descendants_are_found() {
        let mut family =
            Family { parents: HashMap::from([(2, 1), (3, 2), (4, 3), (5, 6), (6, 5)]), ..Family::default() };
        assert!([2, 3, 4].iter().all(|process| family.descends(*process, 1)));
        assert!(!family.descends(1, 1) && !family.descends(5, 1) && !family.descends(7, 1));
        family.usage();
        assert!(family.before.contains_key(&std::process::id()), "the first thread has the process' number");
    }
}
