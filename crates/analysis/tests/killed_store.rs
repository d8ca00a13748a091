//! A process that keeps results is killed at random moments: what it was told is kept is there, whole, and nothing twice.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use labrys_analysis::library::{Hash, Store, StoreError};

/// Names the folder for the process that is to be killed.
const FOLDER: &str = "LABRYS_KILLED_STORE";
const OPTIONS: Hash = [3; 32];
const KILLS: u64 = 20;

fn fingerprint(index: usize) -> Hash {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&(index as u64).to_le_bytes());
    hash
}

/// A result that spans several pages, so that a transaction is many writes.
fn value(index: usize) -> Vec<usize> {
    (index..index + 4000).collect()
}

fn function(index: usize) -> String {
    format!("f{index:06}")
}

/// The results that the folder holds: those of 0, 1, ... without a gap, each right.
fn kept(folder: &Path) -> usize {
    let store = Store::open(folder).expect("a killed run leaves a store that opens");
    let all = store.all::<Vec<usize>>(&OPTIONS).expect("and that is whole");
    for (index, kept) in all.iter().enumerate() {
        assert_eq!(kept.function, function(index));
        assert_eq!(kept.fingerprint, fingerprint(index));
        assert_eq!(kept.value, value(index));
    }
    all.len()
}

/// The part of the process that is killed: goes on where the store ends, and prints each index that is kept.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let store = Store::open(Path::new(&folder)).expect("opens");
    let begin = store.all::<Vec<usize>>(&OPTIONS).expect("readable").len();
    println!("\nready");
    for index in begin.. {
        store.put(&function(index), &fingerprint(index), &OPTIONS, &value(index)).expect("kept");
        println!("kept {index}");
    }
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["writer", "--exact", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("this test runs")
}

#[test]
fn nothing_is_lost_by_kill_9() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut known = 0;
    for round in 0..KILLS {
        let mut child = start(folder.path());
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines().map_while(Result::ok);
        assert!(lines.any(|line| line == "ready"), "the writer begins");
        if round == 0 {
            let second = Store::open(folder.path()).err();
            assert!(matches!(second, Some(StoreError::InUse(_))), "{second:?}");
        }
        // Anywhere within the first results, in steps that share no factor with a transaction's length.
        std::thread::sleep(Duration::from_micros(round * 7919 % 40_000));
        child.kill().expect("it runs until it is killed");
        child.wait().expect("it ends");
        let told = lines.filter_map(|line| line.strip_prefix("kept ")?.parse::<usize>().ok()).last();
        let found = kept(folder.path());
        let least = told.map_or(known, |last| last + 1);
        assert!(found == least || found == least + 1, "{found} are kept, the writer was told {least}");
        known = found;
    }
    assert!(known > 0, "some rounds reached a result");
}
