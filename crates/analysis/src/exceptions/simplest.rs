//! The simplest witness of a pair.
//!
//! A trace costs a thousand fast runs. So what is proposed is run first, and traced only where it raises the pair's exception and its results come out as the
//! witness' do: what makes no difference, as numbers that the function never reads, becomes 0 however many there are.

use labrys_fuzz::shrink_within;
use labrys_native::Observation;

use super::confirmed::shown;
use super::distill::Gathering;
use super::pairs::PairKey;
use super::search::ExceptionSearch;
use crate::observation::class::WrittenClasses;

/// How many inputs shrinking one witness may run, and how many more for each of its numbers: setting runs of them to 0, by halves, takes two.
const SHRINK_INPUTS: usize = 640;
const SHRINK_INPUTS_EACH: usize = 4;
/// How many of them it may trace.
const SHRINK_TRACES: usize = 64;
/// How many it traces at a time: the first that shows the pair is taken, the others are for nothing.
const TRACED_TOGETHER: usize = 2;

impl Gathering<'_, '_, '_> {
    /// The simplest input found on which the pair is seen as in `observation`, first of the run if it must be, and the outputs that are told of come out
    /// alike.
    pub(super) fn simplest(
        &mut self,
        pair: &PairKey,
        record: &[u8],
        observation: &Observation,
        (is_first, told): (bool, &[bool]),
    ) -> Vec<u8> {
        let distiller = self.distiller;
        if distiller.keeps_inputs {
            return record.to_vec();
        }
        let written = WrittenClasses::new(&distiller.domain.inputs, &distiller.domain.outputs);
        let classes = |record: &[u8], seen: &Observation| -> Option<Vec<_>> {
            let classes = written.of(record, &seen.output)?;
            Some(classes.into_iter().zip(told).map(|(class, told)| class.filter(|_| *told)).collect())
        };
        let wanted = classes(record, observation);
        let is_alike =
            |record: &[u8], seen: &Observation| seen.flags.contains(pair.1) && classes(record, seen) == wanted;
        let space = &distiller.domain.space;
        let most = SHRINK_INPUTS + SHRINK_INPUTS_EACH * distiller.domain.inputs.leaves.len();
        let mut traces = SHRINK_TRACES;
        shrink_within(space, record, most, &mut |records| {
            let mut verdicts = vec![false; records.len()];
            if traces == 0 || distiller.improving.stop(distiller.progress).is_some() {
                return verdicts;
            }
            let Ok(seen) = self.search.judge.observer.run(records, distiller.watched) else { return verdicts };
            let alike = records.iter().zip(&seen).enumerate().filter(|(_, (record, seen))| is_alike(record, seen));
            let alike: Vec<usize> = alike.map(|(index, _)| index).collect();
            for some in alike.chunks(TRACED_TOGETHER) {
                if traces == 0 {
                    break;
                }
                traces = traces.saturating_sub(some.len());
                let of: Vec<Vec<u8>> = some.iter().map(|index| records[*index].clone()).collect();
                let Ok(traced) = self.search.judge.observer.trace_all(&of, distiller.watched) else { break };
                let shows = |search: &mut ExceptionSearch<'_>, record: &[u8], seen: &Observation| {
                    shown(search, record, seen).iter().any(|(other, first)| other == pair && *first >= is_first)
                };
                let found = some.iter().zip(&of).zip(&traced);
                let mut found =
                    found.filter(|((_, record), seen)| is_alike(record, seen) && shows(self.search, record, seen));
                if let Some(((index, _), _)) = found.next() {
                    // Those that come before others cost less: nothing later is asked for.
                    verdicts[*index] = true;
                    break;
                }
            }
            verdicts
        })
    }
}
