//! The table, its totals, and what a finished labrys has to reach.

use super::Tool;
use super::judgement::{Answer, Judgement};
use super::record::Run;
use crate::programs::{Expectation, Program};

/// A tool's runs, in the order of the programs.
pub struct Column {
    pub tool: Tool,
    /// Its name and version, or that it is not installed.
    pub title: String,
    /// `None` if it was not run.
    pub runs: Option<Vec<Run>>,
}

impl Column {
    fn judgements(&self, programs: &[Program]) -> Vec<Judgement> {
        let runs = self.runs.iter().flatten();
        programs.iter().zip(runs).map(|(p, run)| Judgement::of(&run.answer, &p.expectation, self.tool.same())).collect()
    }

    fn count(&self, programs: &[Program], judgement: Judgement) -> usize {
        self.judgements(programs).iter().filter(|&&found| found == judgement).count()
    }
}

/// Prints a row for each program, the totals, and what tools said where they were not right.
pub fn print(programs: &[Program], columns: &[Column]) {
    for column in columns.iter().filter(|column| column.runs.is_none()) {
        println!("{}\n", column.title);
    }
    let columns: Vec<&Column> = columns.iter().filter(|column| column.runs.is_some()).collect();
    println!("| program | expected |{}", cells(&columns, |column| format!("{}, s", column.title)));
    println!("|---|---|{}", "---|".repeat(columns.len()));
    for (index, program) in programs.iter().enumerate() {
        let expected = match &program.expectation {
            Expectation::Holds => "holds".to_owned(),
            Expectation::Violated(error) => format!("{}, {}", error.kind, error.line),
        };
        let cell = |column: &Column| {
            let run = column.runs.as_ref().and_then(|runs| runs.get(index));
            let judged = column.judgements(programs);
            run.map_or(String::new(), |run| format!("{} {:.1}", judged[index].name(), run.seconds))
        };
        println!("| {} | {expected} |{}", program.name, cells(&columns, cell));
    }
    println!();
    totals(programs, &columns);
    for column in columns {
        for (program, (run, judgement)) in
            programs.iter().zip(column.runs.iter().flatten().zip(column.judgements(programs)))
        {
            match (&run.answer, judgement) {
                (_, Judgement::Found | Judgement::Proved) => {}
                (Answer::Unknown(why), _) => println!("- {}: {}: unknown: {why}", column.title, program.name),
                (Answer::Holds, _) => println!("- {}: {}: holds, and does not", column.title, program.name),
                (Answer::Violated(errors), _) => {
                    let said: Vec<String> = errors.iter().map(|(kind, line)| format!("{kind} at {line}")).collect();
                    println!("- {}: {}: says {}", column.title, program.name, said.join(", "));
                }
            }
        }
    }
}

fn cells(columns: &[&Column], cell: impl Fn(&Column) -> String) -> String {
    columns.iter().map(|column| format!(" {} |", cell(column))).collect()
}

fn totals(programs: &[Program], columns: &[&Column]) {
    let wrong = programs.iter().filter(|program| program.expectation != Expectation::Holds).count();
    let rows = [
        (format!("bugs found at their line, of {wrong}"), Judgement::Found),
        (format!("correct programs proved, of {}", programs.len() - wrong), Judgement::Proved),
        ("unknown".to_owned(), Judgement::Unknown),
        ("other errors than the seeded one".to_owned(), Judgement::Elsewhere),
        ("false alarms".to_owned(), Judgement::FalseAlarm),
        ("wrong proofs".to_owned(), Judgement::WrongProof),
    ];
    println!("| in all |{}", cells(columns, |column| column.title.clone()));
    println!("|---|{}", "---|".repeat(columns.len()));
    for (name, judgement) in rows {
        println!("| {name} |{}", cells(columns, |column| column.count(programs, judgement).to_string()));
    }
    let seconds = |column: &Column| {
        let total: f64 = column.runs.iter().flatten().map(|run| run.seconds).sum();
        format!("{total:.0}")
    };
    println!("| processor time, s |{}\n", cells(columns, seconds));
}

/// What labrys lacks of its mark, which is of a whole suite: no false alarm, no wrong proof, nine tenths of both kinds, or all of the catalogue
/// of memory errors, and more of each than every other tool unless all.
pub fn shortfalls(programs: &[Program], columns: &[Column], wants_all: bool) -> Vec<String> {
    let Some(own) = columns.iter().find(|column| column.tool == Tool::Labrys && column.runs.is_some()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for judgement in [Judgement::FalseAlarm, Judgement::WrongProof, Judgement::Elsewhere] {
        let count = own.count(programs, judgement);
        if count > 0 {
            found.push(format!("{count} times {}", judgement.name()));
        }
    }
    let wrong = programs.iter().filter(|program| program.expectation != Expectation::Holds).count();
    for (judgement, all) in [(Judgement::Found, wrong), (Judgement::Proved, programs.len() - wrong)] {
        let count = own.count(programs, judgement);
        if count < all && (wants_all || 10 * count < 9 * all) {
            found.push(format!("{count} of {all} {}", judgement.name()));
        }
        for other in columns.iter().filter(|column| column.tool != Tool::Labrys && column.runs.is_some()) {
            if count < all && other.count(programs, judgement) >= count {
                found.push(format!("no more {} than {}", judgement.name(), other.title));
            }
        }
    }
    found
}
