//! `cargo xtask table scaling`: how long a campaign over a library would take on 1 to 1,024 machines, from the times that a run's store has of its
//! functions; and what ends the gain.
//!
//! A campaign's parts are dealt out as labrys does it, longest first (R. L. Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM Journal on Applied
//! Mathematics 17(2), 1969), but by code of this file, which the store alone connects with labrys'. A task works on one function at a time here.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;
use rusqlite::{Connection, OpenFlags};

/// The largest number of tasks.
const MOST: usize = 1024;

/// Options of the table.
#[derive(Debug, Args)]
pub struct Request {
    /// The folder of a run of labrys over a library.
    #[arg(long, value_name = "DIR", default_value = "target/table/exceptions/all")]
    store: PathBuf,
    /// Seconds that each task takes to begin: to find the library built, and load it.
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    begin: f64,
    /// Of a function's time, the part that each analysis of a part of its pairs takes again.
    #[arg(long, value_name = "PART", default_value_t = 0.0)]
    again: f64,
    /// Write the curve into this file, as SVG.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// One number of tasks.
struct Row {
    tasks: usize,
    /// When the last task ends, of whole functions.
    whole: f64,
    /// The same, where functions longer than a task's share are split.
    split: f64,
    /// How many pieces those are in.
    pieces: usize,
}

/// Prints the table.
pub fn run(root: &Path, request: &Request) -> Result<bool> {
    if !(0.0..1.0).contains(&request.again) || request.begin < 0.0 {
        bail!("--again is a part of one, --begin no less than nothing");
    }
    let times = times(&root.join(&request.store))?;
    if times.is_empty() {
        bail!("{} has no times of functions", request.store.display());
    }
    let (total, longest) = (times.iter().sum::<f64>(), times[0]);
    let half: f64 = total / 2.0;
    let mut so_far = 0.0;
    let long = times
        .iter()
        .take_while(|time| {
            so_far += **time;
            so_far <= half
        })
        .count()
        + 1;
    println!(
        "{} functions, {total:.0} s together, the longest {longest:.1} s, the median {:.1} s; half of the time is in the {long} longest",
        times.len(),
        times[times.len() / 2]
    );
    println!();
    println!(
        "| tasks | last ends after | times as fast | efficiency | split: last ends after | times as fast | pieces |"
    );
    println!("|---|---|---|---|---|---|---|");
    let rows = rows(&times, request);
    for row in &rows {
        let faster = |end: f64| (total + request.begin) / end;
        println!(
            "| {} | {:.1} s | {:.1} | {:.0} % | {:.1} s | {:.1} | {} |",
            row.tasks,
            row.whole,
            faster(row.whole),
            100.0 * faster(row.whole) / row.tasks as f64,
            row.split,
            faster(row.split),
            row.pieces
        );
    }
    if let Some(file) = &request.svg {
        std::fs::write(root.join(file), curve(&rows, total + request.begin))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(true)
}

/// The times of functions in a store, longest first; answers to questions and parts are none.
fn times(folder: &Path) -> Result<Vec<f64>> {
    let path = folder.join("labrys.sqlite");
    let store = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .with_context(|| format!("cannot open {}: cargo xtask table exceptions makes it", path.display()))?;
    let mut query = store.prepare(
        "SELECT seconds FROM seconds WHERE function NOT LIKE '%, asked for %' AND function NOT LIKE '%, part %'",
    )?;
    let mut times: Vec<f64> = query.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    times.sort_by(|a, b| b.total_cmp(a));
    Ok(times)
}

fn rows(times: &[f64], request: &Request) -> Vec<Row> {
    let total: f64 = times.iter().sum();
    let numbers = std::iter::successors(Some(1), |tasks| Some(tasks * 2)).take_while(|tasks| *tasks <= MOST);
    numbers
        .map(|tasks| {
            let pieces = split(times, total / tasks as f64, request.again);
            let end = |lengths: &[f64]| request.begin + makespan(lengths, tasks);
            Row { tasks, whole: end(times), split: end(&pieces), pieces: pieces.len() }
        })
        .collect()
}

/// When the last of so many tasks ends, which are given the longest piece of work first, each to the one that is free first.
fn makespan(times: &[f64], tasks: usize) -> f64 {
    let mut order = times.to_vec();
    order.sort_by(|a, b| b.total_cmp(a));
    let mut ends = vec![0.0_f64; tasks];
    for time in order {
        let first = (0..tasks).min_by(|a, b| ends[*a].total_cmp(&ends[*b])).unwrap_or(0);
        ends[first] += time;
    }
    ends.into_iter().fold(0.0, f64::max)
}

/// Functions longer than `share` in as many pieces as bring each below it, as far as that is possible: `again` of the time is spent in each.
fn split(times: &[f64], share: f64, again: f64) -> Vec<f64> {
    let mut pieces = Vec::new();
    for time in times {
        // t (a + (1 - a) / k) <= share; where a t alone is more, four pieces leave little more than that.
        let left = share - again * time;
        let wanted = if *time <= share {
            1.0
        } else if left > 0.0 {
            ((1.0 - again) * time / left).ceil()
        } else {
            4.0
        };
        let count = wanted.clamp(1.0, 64.0);
        pieces.extend(std::iter::repeat_n(time * (again + (1.0 - again) / count), count as usize));
    }
    pieces
}

/// Speed over tasks, both logarithmic: whole functions, split ones, and what no campaign exceeds.
fn curve(rows: &[Row], total: f64) -> String {
    const SIZE: f64 = 440.0;
    const LEFT: f64 = 60.0;
    const TOP: f64 = 20.0;
    let at = |tasks: f64, speed: f64| {
        let of = |value: f64| value.max(1.0).log2() / 10.0 * SIZE;
        (LEFT + of(tasks), TOP + SIZE - of(speed))
    };
    let line = |speed: &dyn Fn(&Row) -> f64| -> String {
        let points = rows.iter().map(|row| at(row.tasks as f64, speed(row)));
        points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect::<Vec<_>>().join(" ")
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        LEFT + SIZE + 30.0,
        TOP + SIZE + 50.0
    );
    for row in rows {
        let (x, bottom) = at(row.tasks as f64, 1.0);
        let (left, y) = at(1.0, row.tasks as f64);
        let (right, top) = at(MOST as f64, MOST as f64);
        svg.push_str(&format!(
            "<path d=\"M{x:.1} {bottom:.1}V{top:.1}M{left:.1} {y:.1}H{right:.1}\" stroke=\"#ddd\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
            bottom + 18.0,
            row.tasks,
            left - 8.0,
            y + 4.0,
            row.tasks
        ));
    }
    let ideal = |row: &Row| row.tasks as f64;
    for (points, colour, dash) in [
        (line(&ideal), "#999", " stroke-dasharray=\"4 4\""),
        (line(&|row: &Row| total / row.split), "#1a7f37", ""),
        (line(&|row: &Row| total / row.whole), "#cf222e", ""),
    ] {
        svg.push_str(&format!(
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dash}/>\n"
        ));
    }
    for (place, (text, colour)) in [
        ("as many times as fast as tasks", "#999"),
        ("long functions split", "#1a7f37"),
        ("whole functions", "#cf222e"),
    ]
    .into_iter()
    .enumerate()
    {
        let y = TOP + 20.0 + 18.0 * place as f64;
        svg.push_str(&format!("<text x=\"{}\" y=\"{y}\" fill=\"{colour}\">{text}</text>\n", LEFT + 14.0));
    }
    svg.push_str(&format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">tasks</text>\n<text x=\"14\" y=\"{}\" transform=\"rotate(-90 14 {})\" text-anchor=\"middle\">times as fast as one</text>\n</svg>\n",
        LEFT + SIZE / 2.0,
        TOP + SIZE + 40.0,
        TOP + SIZE / 2.0,
        TOP + SIZE / 2.0
    ));
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_campaign_ends_with_its_last_task() {
        assert_eq!(makespan(&[3.0, 3.0, 2.0, 2.0, 2.0], 2), 7.0);
        assert_eq!(makespan(&[5.0, 1.0, 1.0], 2), 5.0);
        assert_eq!(makespan(&[5.0, 1.0, 1.0], 100), 5.0);
    }

    #[test]
    fn pieces_are_as_short_as_they_can_be_and_cost_what_is_done_again() {
        let sum = |pieces: &[f64]| pieces.iter().sum::<f64>();
        let free = split(&[10.0, 1.0], 2.0, 0.0);
        assert_eq!((free.len(), sum(&free)), (6, 11.0));
        let costly = split(&[10.0], 4.0, 0.2);
        assert!(costly.iter().all(|piece| *piece <= 4.0) && costly.len() == 4 && sum(&costly) > 10.0, "{costly:?}");
        // What is done again alone is longer than a share.
        assert_eq!(split(&[10.0], 1.0, 0.5).len(), 4);
    }
}
