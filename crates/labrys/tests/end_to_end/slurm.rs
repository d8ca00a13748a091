//! Campaigns on a real Slurm: one node, on the loopback interface, in a folder of the test's own.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::campaign::{library_with, written};
use crate::harness::{Bench, workspace};

/// The longest that all jobs together may take.
const PATIENCE: Duration = Duration::from_secs(240);

/// How long Slurm has to clear up after a job before that begins anew: what it hears late of the first run it takes for news of the second.
const CLEARING: Duration = Duration::from_secs(8);

/// Slurm's daemons, which end with it.
struct Cluster {
    folder: tempfile::TempDir,
    /// Since when jobs were seen to wait to begin again.
    waiting: RefCell<HashMap<String, Instant>>,
}

impl Cluster {
    fn start() -> Cluster {
        let cluster = Cluster { folder: tempfile::tempdir().expect("a folder"), waiting: RefCell::default() };
        let started = cluster.script("start");
        assert!(
            started.status.success(),
            "no Slurm can be started here, and so nothing is known of campaigns on it: {}",
            String::from_utf8_lossy(&started.stderr)
        );
        cluster
    }

    fn script(&self, what: &str) -> Output {
        let mut script = Command::new(workspace().join("scripts/slurm.sh"));
        script.arg(what).arg(self.folder.path()).output().expect("scripts/slurm.sh runs")
    }

    fn configuration(&self) -> String {
        self.folder.path().join("slurm.conf").display().to_string()
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        let output = Command::new(program).args(arguments).env("SLURM_CONF", self.configuration()).output();
        String::from_utf8_lossy(&output.expect("Slurm's programs run").stdout).into_owned()
    }

    /// Lets jobs that were queued again begin soon: Slurm makes them wait for two minutes.
    fn hurry(&self) {
        let queue = self.ask("squeue", &["-h", "-t", "PD", "-o", "%i %r"]);
        let jobs: Vec<&str> = queue.lines().filter_map(|line| line.strip_suffix(" BeginTime")).collect();
        let mut waiting = self.waiting.borrow_mut();
        waiting.retain(|job, _| jobs.contains(&job.as_str()));
        for job in jobs {
            if waiting.entry(job.to_owned()).or_insert_with(Instant::now).elapsed() > CLEARING {
                self.ask("scontrol", &["update", &format!("jobid={job}"), "starttime=now"]);
            }
        }
    }

    /// What the daemon that schedules jobs says it did.
    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("slurmctld.log")).unwrap_or_default()
    }

    fn is_idle(&self) -> bool {
        self.ask("squeue", &["-h"]).trim().is_empty()
    }

    /// Waits until all jobs have ended.
    fn finish(&self) {
        let begun = Instant::now();
        while !self.is_idle() {
            assert!(begun.elapsed() < PATIENCE, "jobs do not end:\n{}", self.ask("squeue", &[]));
            self.hurry();
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.script("stop");
    }
}

/// A small file system, gone with it.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: PathBuf, size: &str) -> SmallDisk {
        std::fs::create_dir_all(&path).expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", size, "labrys-test"]).arg(&path).status();
        assert!(
            mounted.is_ok_and(|status| status.success()),
            "no file system can be mounted here, so that none can be full"
        );
        SmallDisk(path)
    }

    fn resize(&self, size: &str) {
        let resized = Command::new("mount").args(["-o", &format!("remount,{size}")]).arg(&self.0).status();
        assert!(resized.is_ok_and(|status| status.success()), "the file system does not grow");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Functions that sleep: they take long however fast and free the machine is, and need no processor for it.
const SLOW: &str = "int usleep(unsigned);\n\
    static double slow(double x) { usleep(17000); return x * x; }\n\
    double slow_0(double x) { return slow(x); }\ndouble slow_1(double x) { return slow(x) + 1; }\n\
    double slow_2(double x) { return slow(x) / x; }\ndouble slow_3(double x) { return slow(x) - x; }\n\
    double slow_4(double x) { return slow(x) * x; }\ndouble slow_5(double x) { return 1 / slow(x); }\n";

/// A campaign's analysis, its own folder, and the same on one machine in another.
struct Campaign {
    bench: Bench,
    analysis: Vec<&'static str>,
}

impl Campaign {
    fn new(cluster: &Cluster, functions: usize, analysis: &[&'static str]) -> Campaign {
        let bench = library_with(functions, SLOW).with_env("SLURM_CONF", &cluster.configuration());
        Campaign { bench, analysis: analysis.to_vec() }
    }

    fn submit(&self, options: &[&str]) {
        let run = self.bench.labrys(&[&["slurm"], &self.analysis[..], &["-o", "out", "--submit"], options].concat());
        run.expect_code(0);
        assert!(run.stdout.starts_with("jobs: build "), "{}", run.stdout);
    }

    fn file(&self, name: &str) -> String {
        std::fs::read_to_string(self.bench.path().join("out").join(name)).unwrap_or_default()
    }

    /// The same analysis, undisturbed.
    fn alone(&self, functions: usize) -> Bench {
        let bench = library_with(functions, SLOW);
        bench.labrys(&[&self.analysis[..], &["-o", "out"]].concat()).expect_code(1);
        bench
    }

    fn expect_like(&self, alone: &Bench, cluster: &Cluster) {
        let logs = ["merge", "functions-1", "callers-1"].map(|log| self.file(&format!("logs/{log}.log"))).join("\n");
        assert!(self.bench.path().join("out/report.json").is_file(), "{logs}\n{}", cluster.log());
        let (own, theirs) = (written(&self.bench), written(alone));
        assert_eq!(own.0, theirs.0);
        assert_eq!(own.1, theirs.1);
    }
}

/// The process of labrys that does a shard in this folder.
fn worker(folder: &Path, shard: &str) -> Option<u32> {
    std::fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
        if std::fs::read_link(entry.path().join("cwd")).ok()? != folder {
            return None;
        }
        let words = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
        let mut words = words.split('\0');
        (words.next()?.ends_with("labrys") && words.any(|word| word == shard)).then_some(pid)
    })
}

/// An array of four of which one is killed; a task whose time is over before it is done; a disk that is full. In the end each report is that of
/// one machine without any of this.
#[test]
fn disturbed_campaigns_come_to_the_report_of_one_machine() {
    let cluster = Cluster::start();
    let limits = ["--max-work", "200", "--function-time", "10m", "--only", "divbyzero,overflow"];
    let with_limits = |words: &[&'static str]| [words, &limits[..]].concat();
    let killed =
        Campaign::new(&cluster, 8, &with_limits(&["exceptions", "-p", ".", "--entry", "lib_*", "--entry", "helper_*"]));
    let late = Campaign::new(&cluster, 1, &with_limits(&["exceptions", "-p", ".", "--entry", "slow_*", "--jobs", "1"]));
    let full = Campaign::new(&cluster, 4, &with_limits(&["exceptions", "-p", ".", "--entry", "lib_*"]));
    let disk = SmallDisk::mount(full.bench.path().join("out/shard-2"), "size=24k");

    // Slurm looks at times every half a minute: told so early, it ends the task's first run well before it is done.
    late.submit(&["--tasks", "1", "--time", "1m", "--sbatch=--signal=B:USR1@55"]);
    full.submit(&["--tasks", "2"]);
    killed.submit(&["--tasks", "4", "--time", "2h"]);
    let folder = killed.bench.path().canonicalize().expect("a folder");
    let begun = Instant::now();
    let mut kills = 0;
    while kills == 0 {
        assert!(begun.elapsed() < PATIENCE, "shard 2 does not begin:\n{}", cluster.ask("squeue", &[]));
        if let Some(pid) = worker(&folder, "2/4") {
            let done = Command::new("kill").args(["-9", &pid.to_string()]).status();
            kills += usize::from(done.is_ok_and(|status| status.success()));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let alone = std::thread::scope(|scope| {
        let of_late = scope.spawn(|| late.alone(1));
        cluster.finish();
        of_late.join().expect("the run alone ends")
    });

    let log = killed.file("logs/functions-2.log");
    assert!(log.contains("labrys was ended by signal 9: the task is queued again"), "{log}");
    killed.expect_like(&killed.alone(8), &cluster);
    killed.bench.labrys(&["slurm", "status", "out"]).expect_code(0);

    let log = late.file("logs/functions-1.log");
    assert!(log.contains("the task's time is nearly over: the task is queued again"), "{log}");
    late.expect_like(&alone, &cluster);

    // A full disk is said, its shard is not begun again, and the merge says what is missing.
    let log = full.file("logs/functions-2.log");
    assert!(log.to_lowercase().contains("no space left") && !log.contains("queued again"), "{log}");
    let merge = full.file("logs/merge.log");
    assert!(merge.contains("shard 2 of 2 has not finished"), "{merge}");
    full.bench.labrys(&["slurm", "status", "out"]).expect_code(3);
    disk.resize("size=64m");
    full.bench.program("sh", &["out/submit.sh"]).expect_code(0);
    cluster.finish();
    full.expect_like(&full.alone(4), &cluster);
}
