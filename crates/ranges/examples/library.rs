//! How much range analysis proves of a library's functions, as a run of `labrys exceptions` would count it:
//! `cargo run --release -p labrys-ranges --example library -- DATABASE BUILD_FOLDER FUNCTIONS.txt SECONDS [option=value …]`.
//!
//! Options: `part=N` takes N functions, evenly spread; `only=A,B` these; `jobs=N` so many at a time; `init=NAME` a function
//! that runs first; `seen=FILE` names pairs that were observed (`function line column operator exception` a line), for which
//! nothing is split, and of which none may be proved; `list=1` prints every open pair.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use labrys_float::Flags;
use labrys_program::{FunctionId, LibraryFunction, LibraryOptions, Program, build_library};
use labrys_ranges::{RangeOptions, Ranges, analyse, any_input};
use labrys_symex::Site;

/// Function, line, column, operator, exception.
type Pair = (String, u32, u32, String, String);

/// What one function's analysis came to.
struct Line {
    text: String,
    /// The pairs of its own sites and of callees that have no analysis of their own, and whether each is proved.
    pairs: BTreeMap<Pair, bool>,
    own: String,
}

struct Bench<'a> {
    program: &'a Program,
    driven: BTreeSet<FunctionId>,
    names: BTreeMap<String, (String, FunctionId)>,
    seen: BTreeSet<Pair>,
    init: Option<FunctionId>,
    seconds: f64,
    is_listing: bool,
}

impl Bench<'_> {
    fn pairs(&self, site: &Site, flags: Flags) -> Vec<Pair> {
        let location = site.location.and_then(|id| self.program.locations.get(id.index()));
        let name = self.names.get(&site.function).map_or(site.function.clone(), |(name, _)| name.clone());
        let place = location.map_or((0, 0), |location| (location.line, location.column));
        let one = |flag: Flags| (name.clone(), place.0, place.1, site.operator.to_string(), flag.names().join(" "));
        flags.iter().map(one).collect()
    }

    fn is_wanted(&self, site: &Site, own: FunctionId) -> bool {
        self.names.get(&site.function).is_some_and(|(_, id)| *id == own || !self.driven.contains(id))
    }

    fn function(&self, of: &LibraryFunction) -> Option<Line> {
        let (signature, binding) = (of.signature.as_ref().ok()?, of.binding.as_ref()?);
        let start = Instant::now();
        let settled = |site: &Site| {
            let possible = site.operator.possible();
            if !self.is_wanted(site, of.function) {
                return Flags::all();
            }
            let is_seen = |pair: &Pair| pair.0 == of.source_name && self.seen.contains(pair);
            let open = possible.iter().filter(|flag| !self.pairs(site, *flag).iter().all(is_seen));
            open.fold(Flags::all(), |settled, flag| settled - flag)
        };
        let options = RangeOptions {
            deadline: Some(start + Duration::from_secs_f64(self.seconds)),
            init: self.init,
            settled: Some(&settled),
            max_boxes: 1 << 14,
            ..RangeOptions::default()
        };
        let ranges = analyse(self.program, of.function, binding, signature, &any_input, &options);
        Some(self.line(of, &ranges, start.elapsed()))
    }

    fn line(&self, of: &LibraryFunction, ranges: &Ranges, time: Duration) -> Line {
        let mut pairs: BTreeMap<Pair, bool> = BTreeMap::new();
        for range in ranges.sites.iter().filter(|range| self.is_wanted(&range.site, of.function)) {
            let possible = range.site.operator.possible();
            for pair in self.pairs(&range.site, possible) {
                pairs.entry(pair).or_insert(true);
            }
            for pair in self.pairs(&range.site, possible & range.may_raise) {
                pairs.insert(pair, false);
            }
        }
        let mine = |pair: &&Pair| pair.0 == of.source_name;
        let own = pairs.keys().filter(mine).count();
        let proved = pairs.iter().filter(|(pair, proved)| mine(pair) && **proved).count();
        let seen = pairs.keys().filter(mine).filter(|pair| self.seen.contains(pair)).count();
        let callees = pairs.keys().filter(|pair| !mine(pair)).count();
        let callees_proved = pairs.iter().filter(|(pair, proved)| !mine(pair) && **proved).count();
        let mut text = format!(
            "{:34} own {proved:4}/{own:4} seen {seen:4} open {:4}; callees {callees_proved:4}/{callees:4}; boxes {:3} {:.2} s {} {:?}\n",
            of.name,
            pairs.iter().filter(|(pair, proved)| mine(pair) && !**proved && !self.seen.contains(*pair)).count(),
            ranges.boxes,
            time.as_secs_f64(),
            ranges.incomplete.clone().unwrap_or_default(),
            ranges.opaque,
        );
        for (pair, proved) in &pairs {
            if *proved && mine(&pair) && self.seen.contains(pair) {
                text += &format!("UNSOUND {pair:?}\n");
            } else if self.is_listing && !proved && !self.seen.contains(pair) {
                text += &format!("  {}:{}:{} {} {}\n", pair.0, pair.1, pair.2, pair.3, pair.4);
            }
        }
        Line { text, pairs, own: of.source_name.clone() }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let mut found = args.iter().skip(5).filter_map(|arg| arg.split_once('='));
        found.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    };
    let number = |name: &str| option(name).and_then(|text| text.parse::<usize>().ok());
    let deadline = Instant::now() + Duration::from_secs(600);
    let options = LibraryOptions { jobs: 2, ..LibraryOptions::new(deadline) };
    let build = build_library(Path::new(&args[1]), &options, &PathBuf::from(&args[2])).expect("a library");
    let list = std::fs::read_to_string(&args[3]).expect("a list of functions");
    let names: BTreeSet<&str> = list.lines().collect();
    let chosen: Vec<&LibraryFunction> = build.functions.iter().filter(|of| names.contains(of.name.as_str())).collect();
    let driven = |of: &&&LibraryFunction| of.signature.is_ok() && of.binding.is_some();
    let part = number("part").unwrap_or(chosen.len());
    let mut jobs: Vec<&LibraryFunction> = (0..part).map(|i| chosen[i * chosen.len() / part]).collect();
    if let Some(only) = option("only") {
        jobs = chosen.iter().copied().filter(|of| only.split(',').any(|name| name == of.name)).collect();
    }
    let seen = option("seen").map(|file| std::fs::read_to_string(file).expect("observed pairs")).unwrap_or_default();
    let pair = |line: &str| {
        let mut words = line.split('\t');
        let mut word = || words.next().unwrap_or_default().to_owned();
        (word(), word().parse().unwrap_or(0), word().parse().unwrap_or(0), word(), word())
    };
    let bench = Bench {
        program: &build.program,
        driven: chosen.iter().filter(driven).map(|of| of.function).collect(),
        names: build
            .functions
            .iter()
            .map(|of| {
                let name = build.program.functions[of.function.index()].name.clone();
                (name, (of.source_name.clone(), of.function))
            })
            .collect(),
        seen: seen.lines().map(pair).collect(),
        init: option("init").and_then(|name| build.program.function(&name)),
        seconds: args[4].parse().expect("seconds"),
        is_listing: option("list").is_some(),
    };
    let next = AtomicUsize::new(0);
    let all: Mutex<Vec<Line>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..number("jobs").unwrap_or(1) {
            scope.spawn(|| {
                while let Some(of) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(line) = bench.function(of) {
                        print!("{}", line.text);
                        all.lock().expect("no panic").push(line);
                    }
                }
            });
        }
    });
    total(&all.into_inner().expect("no panic"), &bench.seen);
}

/// A pair of a function with an analysis of its own is decided there, others where every caller decides them.
fn total(lines: &[Line], seen: &BTreeSet<Pair>) {
    let (mut own, mut callees): (BTreeMap<&Pair, bool>, BTreeMap<&Pair, bool>) = Default::default();
    for line in lines {
        for (pair, proved) in &line.pairs {
            let into = if pair.0 == line.own { &mut own } else { &mut callees };
            *into.entry(pair).or_insert(true) &= *proved;
        }
    }
    for (what, pairs) in [("own", own), ("callees", callees)] {
        let proved = pairs.values().filter(|proved| **proved).count();
        let seen = pairs.keys().filter(|pair| seen.contains(**pair)).count();
        println!("{what}: {} pairs, {proved} proved, {seen} seen, {} open", pairs.len(), pairs.len() - proved - seen);
    }
}
