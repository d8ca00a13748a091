//! The table: solved, PAR-2 and wrong answers, in all and by family.

use std::collections::BTreeMap;

use super::answer::Answer;
use super::contest::Solver;
use super::file::File;
use super::record::{Record, Run};

/// How a solver fares on a set of files.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    pub files: usize,
    /// Files whose every check is answered within the limit and not wrongly, by the last answer.
    pub sat: usize,
    pub unsat: usize,
    /// Seconds: the time where solved, twice the limit where not.
    pub par2: f64,
    /// Names of files with an answer that contradicts the status.
    pub wrong: Vec<String>,
    /// Names of files not solved, with what was said instead.
    pub open: Vec<String>,
}

impl Standing {
    pub fn solved(&self) -> usize {
        self.sat + self.unsat
    }

    fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.par2 += other.par2;
        self.wrong.extend_from_slice(&other.wrong);
        self.open.extend_from_slice(&other.open);
    }
}

/// The standings under one limit, by family and solver.
pub struct Standings {
    pub solvers: Vec<Solver>,
    pub families: BTreeMap<String, Vec<Standing>>,
}

impl Standings {
    /// The sum over the families, by solver.
    pub fn total(&self) -> Vec<Standing> {
        let mut total = vec![Standing::default(); self.solvers.len()];
        for standings in self.families.values() {
            for (sum, standing) in total.iter_mut().zip(standings) {
                sum.add(standing);
            }
        }
        total
    }
}

/// Judges every run. Peers ran under `longest`.
pub fn standings(solvers: &[Solver], limit: u32, longest: u32, files: &[File], record: &Record) -> Standings {
    let mut families: BTreeMap<String, Vec<Standing>> = BTreeMap::new();
    for file in files {
        let runs: Vec<Option<&Run>> = solvers
            .iter()
            .map(|&solver| record.get(solver.name(), if solver.is_peer() { longest } else { limit }, &file.name))
            .collect();
        // labrys does not confirm itself.
        let own = solvers.iter().zip(&runs).filter(|(solver, _)| **solver != Solver::LabrysCertify);
        let expected = consensus(file, &own.map(|(_, run)| *run).collect::<Vec<_>>());
        let row = families.entry(file.family.clone()).or_insert_with(|| vec![Standing::default(); solvers.len()]);
        for (standing, run) in row.iter_mut().zip(&runs) {
            judge(standing, file, *run, limit, &expected);
        }
    }
    Standings { solvers: solvers.to_vec(), families }
}

/// What a file states; where it states nothing, what two solvers say and none denies.
fn consensus(file: &File, runs: &[Option<&Run>]) -> Vec<Option<Answer>> {
    let said = |check: usize, answer: Answer| {
        runs.iter().flatten().filter(|run| run.answers.get(check) == Some(&answer)).count()
    };
    let agreed = |check: usize| match (said(check, Answer::Sat), said(check, Answer::Unsat)) {
        (sat, unsat) if sat > unsat && sat > 1 => Some(Answer::Sat),
        (sat, unsat) if unsat > sat && unsat > 1 => Some(Answer::Unsat),
        _ => None,
    };
    file.expected.iter().enumerate().map(|(check, stated)| stated.or_else(|| agreed(check))).collect()
}

fn judge(standing: &mut Standing, file: &File, run: Option<&Run>, limit: u32, expected: &[Option<Answer>]) {
    standing.files += 1;
    let unsolved = 2.0 * f64::from(limit);
    let Some(run) = run else {
        standing.par2 += unsolved;
        standing.open.push(format!("{}: not run", file.name));
        return;
    };
    let wrong = run.answers.iter().zip(expected).any(|(said, wanted)| wanted.is_some_and(|w| w.contradicts(*said)));
    let complete = run.answers.len() >= expected.len() && !run.answers.contains(&Answer::Unknown);
    if wrong {
        standing.wrong.push(file.name.clone());
    }
    if wrong || !complete || run.seconds > f64::from(limit) {
        standing.par2 += unsolved;
        standing.open.push(format!("{}: {:?} {:.2} s {}", file.name, run.answers, run.seconds, run.note));
        return;
    }
    match run.answers.last() {
        Some(Answer::Sat) => standing.sat += 1,
        _ => standing.unsat += 1,
    }
    standing.par2 += run.seconds;
}

/// Prints the tables of one limit.
pub fn print(standings: &Standings, limit: u32, with_files: bool) {
    println!("## {limit} s\n");
    println!("Load average of one, five and fifteen minutes at the end: {}\n", load());
    println!("| solver | files | solved | sat | unsat | PAR-2, seconds | wrong |");
    println!("|---|---|---|---|---|---|---|");
    for (solver, total) in standings.solvers.iter().zip(standings.total()) {
        println!(
            "| {} | {} | {} | {} | {} | {:.0} | {} |",
            solver.name(),
            total.files,
            total.solved(),
            total.sat,
            total.unsat,
            total.par2,
            total.wrong.len()
        );
    }
    let names: Vec<&str> = standings.solvers.iter().map(|solver| solver.name()).collect();
    println!("\nSolved (PAR-2) by family:\n");
    println!("| family | files | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(names.len()));
    for (family, row) in &standings.families {
        let cells: Vec<String> = row.iter().map(|cell| format!("{} ({:.0})", cell.solved(), cell.par2)).collect();
        println!("| {family} | {} | {} |", row.first().map_or(0, |cell| cell.files), cells.join(" | "));
    }
    println!();
    for (solver, total) in standings.solvers.iter().zip(standings.total()) {
        for name in &total.wrong {
            println!("wrong: {}: {name}", solver.name());
        }
        if with_files {
            for line in &total.open {
                println!("open: {}: {line}", solver.name());
            }
        }
    }
}

/// The machine's load, which the times depend on.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
