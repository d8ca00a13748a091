//! How fast builds are, beside the baseline: the same calls, in turn, several times.

use std::time::Duration;

use crate::AnalysisError;
use crate::diff::blame::{Maker, Making, OfSource, start_trial};
use crate::diff::builds::Prepared;
use crate::diff::observers;
use crate::diff::request::Request;
use crate::inputs::domain::Domain;
use crate::observation::observer::Observer;
use crate::run::clock::Clock;

/// How many ordinary inputs are called with, at most and at least.
const INPUTS: (usize, usize) = (4096, 64);
/// How long one round of a build may take: slow functions are called with fewer inputs.
const ROUND: Duration = Duration::from_millis(50);
/// How often; the quickest time counts, for what others do makes it only longer.
const ROUNDS: usize = 15;

/// The time of the baseline's calls as a multiple of that of each build's, in the same rounds; `None` where one cannot be made or run. The loop
/// around them reads no exceptions: it loads arguments, calls, and stores results, as anybody's would.
///
/// # Errors
///
/// Where the baseline's worker cannot be kept running.
pub fn ratios(
    request: &Request,
    prepared: &Prepared,
    builds: &[String],
    clock: &Clock,
) -> Result<Vec<Option<f64>>, AnalysisError> {
    let mut domain = Domain::new(&request.run.domain(), &prepared.signature)?;
    domain.know_literals(prepared.builds.iter().filter_map(|made| made.analysed.as_deref()));
    let mut records = domain.ordinary(request.run.seed, INPUTS.0);
    if records.is_empty() || builds.is_empty() {
        return Ok(vec![None; builds.len()]);
    }
    let mut baseline = observers::start_build(request, prepared, &prepared.builds[0])?;
    let mut first = Duration::MAX;
    let some = records.len().min(INPUTS.1);
    time(&mut baseline, &records[..some], clock, &mut first);
    let most = some as f64 * ROUND.as_secs_f64() / first.as_secs_f64();
    records.truncate(most.max(INPUTS.1 as f64) as usize);
    let folder = |index: usize| prepared.folder.join(format!("timed-{index}"));
    let start = |(index, text): (usize, &String)| -> Option<Observer> {
        let making = Making::of(text.clone(), None, Vec::new());
        let made = OfSource::new(request, clock)?.make(&making, &folder(index)).ok()?;
        start_trial((request, prepared, 1), made, None).ok()
    };
    let mut observers: Vec<Option<Observer>> = builds.iter().enumerate().map(start).collect();
    let mut least = vec![Duration::MAX; builds.len() + 1];
    for _ in 0..ROUNDS {
        if clock.is_over() {
            break;
        }
        time(&mut baseline, &records, clock, &mut least[0]);
        for (observer, least) in observers.iter_mut().zip(&mut least[1..]) {
            observer.iter_mut().for_each(|observer| time(observer, &records, clock, least));
        }
    }
    let seconds = |time: &Duration| (*time != Duration::MAX && !time.is_zero()).then_some(time.as_secs_f64());
    let baseline = seconds(&least[0]);
    (0..builds.len()).for_each(|index| drop(std::fs::remove_dir_all(folder(index))));
    Ok(least[1..].iter().map(|time| Some(baseline? / seconds(time)?)).collect())
}

/// One round's time, where it is the least so far.
fn time(observer: &mut Observer, records: &[Vec<u8>], clock: &Clock, least: &mut Duration) {
    observer.set_deadline(clock.limit());
    if let Ok(Some(took)) = observer.time(records) {
        *least = (*least).min(took);
    }
}
