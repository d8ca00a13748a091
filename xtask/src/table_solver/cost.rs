//! What certificates cost: labrys with `--certify` beside labrys without, on the same files.

use super::answer::Answer;
use super::contest::Solver;
use super::file::File;
use super::record::{Record, Run};

/// Sums over files.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    /// Files that labrys solves.
    solved: usize,
    /// Those of them that it solves with a certificate too.
    certified: usize,
    /// Seconds on the latter, without and with a certificate.
    seconds: [f64; 2],
}

impl Cost {
    fn add(&mut self, plain: &Run, certified: &Run) {
        self.solved += 1;
        if is_solved(certified) {
            self.certified += 1;
            self.seconds[0] += plain.seconds;
            self.seconds[1] += certified.seconds;
        }
    }
}

fn is_solved(run: &Run) -> bool {
    !run.answers.is_empty() && !run.answers.contains(&Answer::Unknown)
}

/// Files that end with sat, and those that end with unsat.
fn costs<'a>(runs: impl Iterator<Item = (&'a Run, &'a Run)>) -> [Cost; 2] {
    let mut costs = [Cost::default(); 2];
    for (plain, certified) in runs.filter(|(plain, _)| is_solved(plain)) {
        costs[usize::from(plain.answers.last() == Some(&Answer::Unsat))].add(plain, certified);
    }
    costs
}

/// Prints what certificates cost under a limit, where both were measured.
pub fn print(files: &[File], limit: u32, record: &Record) {
    let run = |solver: Solver, file: &File| record.get(solver.name(), limit, &file.name);
    let runs = files.iter().filter_map(|file| Some((run(Solver::Labrys, file)?, run(Solver::LabrysCertify, file)?)));
    let costs = costs(runs);
    if costs == [Cost::default(); 2] {
        return;
    }
    println!("Certificates of what labrys solves; seconds on the files certified:\n");
    println!("| last answer | solved | certified | seconds without | seconds with |");
    println!("|---|---|---|---|---|");
    for (answer, cost) in ["sat", "unsat"].iter().zip(costs) {
        let [without, with] = cost.seconds;
        println!("| {answer} | {} | {} | {without:.1} | {with:.1} |", cost.solved, cost.certified);
    }
    println!();
}

#[cfg(test)]
mod tests {
    use super::{Answer, Cost, Run, costs};

    #[test]
    fn only_what_both_solve_is_compared() {
        let run = |answers: &[Answer], seconds| Run {
            answers: answers.to_vec(),
            seconds,
            note: String::new(),
            hash: String::new(),
        };
        let (sat, unsat, unknown) =
            (run(&[Answer::Sat], 1.0), run(&[Answer::Unsat], 2.0), run(&[Answer::Unknown], 4.0));
        let runs = [(&sat, &sat), (&unsat, &unsat), (&unsat, &unknown), (&unknown, &unsat)];
        let expected = [
            Cost { solved: 1, certified: 1, seconds: [1.0, 1.0] },
            Cost { solved: 2, certified: 1, seconds: [2.0, 2.0] },
        ];
        assert_eq!(costs(runs.into_iter()), expected);
    }
}
