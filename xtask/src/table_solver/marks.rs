//! What labrys must reach: no wrong answer, as many solved as Bitwuzla and as cvc5, nine tenths of the best peer in every family, and
//! every regression test answered.

use super::contest::Solver;
use super::report::{Standing, Standings};

/// Prints where labrys falls short; true when nowhere, or when labrys was not measured.
pub fn judge(standings: &Standings) -> bool {
    let Some(labrys) = standings.solvers.iter().position(|&solver| solver == Solver::Labrys) else { return true };
    let total = standings.total();
    let ours = &total[labrys];
    let mut short = Vec::new();
    for (solver, own) in standings.solvers.iter().zip(&total).filter(|(solver, _)| !solver.is_peer()) {
        if !own.wrong.is_empty() {
            short.push(format!("{}: {} wrong answers", solver.name(), own.wrong.len()));
        }
    }
    for (solver, theirs) in standings.solvers.iter().zip(&total) {
        if matches!(solver, Solver::Bitwuzla | Solver::Cvc5) && ours.solved() < theirs.solved() {
            short.push(format!("{} solved, {} solves {}", ours.solved(), solver.name(), theirs.solved()));
        }
    }
    for (family, row) in &standings.families {
        let best = best_peer(standings, row).map_or(0, |(_, standing)| standing.solved());
        if row[labrys].solved() * 10 < best * 9 {
            short.push(format!("{family}: {} solved, the best peer {best}", row[labrys].solved()));
        }
        if family.starts_with("bitwuzla") && row[labrys].solved() < row[labrys].files {
            short.push(format!("{family}: {} of {} answered", row[labrys].solved(), row[labrys].files));
        }
    }
    for line in &short {
        println!("falls short: {line}");
    }
    if let Some((index, best)) = best_peer(standings, &total) {
        println!(
            "the goal beyond: {} solved against {} of {}; PAR-2 {:.0}, half of the best peer's is {:.0}\n",
            ours.solved(),
            best.solved(),
            standings.solvers[index].name(),
            ours.par2,
            least_par2(standings, &total) / 2.0
        );
    }
    short.is_empty()
}

/// The peers' standings in a row, with their places.
fn peers<'a>(standings: &'a Standings, row: &'a [Standing]) -> impl Iterator<Item = (usize, &'a Standing)> {
    let is_peer =
        |&(index, _): &(usize, &Standing)| standings.solvers.get(index).is_some_and(|solver| solver.is_peer());
    row.iter().enumerate().filter(is_peer)
}

/// The peer that solves the most.
fn best_peer<'a>(standings: &'a Standings, row: &'a [Standing]) -> Option<(usize, &'a Standing)> {
    peers(standings, row).max_by_key(|(_, standing)| standing.solved())
}

/// The least PAR-2 of a peer.
fn least_par2(standings: &Standings, row: &[Standing]) -> f64 {
    peers(standings, row).map(|(_, standing)| standing.par2).fold(f64::INFINITY, f64::min)
}
