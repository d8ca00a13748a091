//! Lengths of memory behind pointers, where nothing declares them: as trial runs show.
//!
//! C's `double p[3]` is a pointer like any other to debug information. A guess of one element makes every use of `p[1]` an
//! access out of bounds. So the function is interpreted on a few inputs with far more memory than it needs, and what it touches is
//! taken for the length. Integer parameters are different small numbers in turn: memory that is touched as far as one of
//! them says, or always so many elements farther, has that length.
//!
//! This is evidence, not proof: memory that is touched on other inputs only is missed. The report says what was taken, and
//! accesses beyond are the end of a path, with an assumption.

use labrys_float::{Environment, Float};
use labrys_interp::{Limits, Trials};
use labrys_program::{
    Access, DEFAULT_CAPACITY, FunctionId, Leaf, Length, LengthOptions, MOST_BEYOND, Parameter, ParameterType, Pointee,
    Program, ScalarType, Signature, is_length, map_parameters,
};

use crate::{AnalysisError, RunOptions};

/// The lengths that the user says. An array whose length is a parameter with a range has room for the greatest of that.
///
/// # Errors
///
/// A length that is none.
pub fn said(run: &RunOptions) -> Result<LengthOptions, AnalysisError> {
    let greatest = |parameter: &str| {
        let range = run.ranges.iter().rev().find_map(|range| {
            let (name, interval) = range.split_once('=')?;
            (name.trim() == parameter.trim()).then_some(interval)
        });
        range.and_then(|interval| interval.split_once("..")?.1.trim().parse::<u64>().ok())
    };
    let with_room = |text: &String| match text.split_once('=') {
        Some((_, length)) if !length.contains(':') => {
            let parameter = length.split('+').next().unwrap_or_default();
            greatest(parameter).map_or_else(|| text.clone(), |most| format!("{text}:{most}"))
        }
        _ => text.clone(),
    };
    let texts: Vec<String> = run.lengths.iter().map(with_room).collect();
    Ok(LengthOptions::parse(&texts)?)
}

/// Elements that each pointer has in trials; memory that is touched farther has no length that could be guessed.
const MOST_ELEMENTS: u64 = 256;

/// The same in bytes, for large elements.
const MOST_BYTES: u64 = 1 << 14;

/// The greatest length for which room is made.
const MOST_ROOM: u64 = 1 << 12;

/// What a trial may use up: a few milliseconds.
const LIMITS: Limits = Limits { instructions: 20_000, depth: 64, object: 1 << 24 };

/// What integer parameters are in trials: distinct in each round.
const INTEGERS: [u64; 7] = [2, 3, 5, 7, 11, 13, 17];

/// How often integer parameters change.
const ROUNDS: usize = 3;

/// What floats are in trials, by their place in the input record.
const FLOATS: [fn(usize) -> f64; 6] = [
    |_| 0.0,
    |_| 1.0,
    |place| 0.5 + place as f64 * 0.25,
    |place| -1.5 - place as f64,
    // Matrices of the others are singular, and a function may return early on those.
    |place| (place * place * 37 + place * 5 + 11) as f64 % 23.0 / 8.0 - 1.0,
    |place| if place.is_multiple_of(2) { 1e9 } else { -1e-9 },
];

/// Gives those parameters of one function the lengths that trials show; see [`LengthTrials`] for many functions.
pub fn settle_lengths(
    program: &Program,
    function: FunctionId,
    signature: &mut Signature,
    guessed: &[usize],
    run: &RunOptions,
) {
    let trials = if guessed.is_empty() { None } else { LengthTrials::new(program, None) };
    if let Some(mut trials) = trials {
        trials.settle(function, signature, guessed, &room(signature, run));
    }
}

/// For each parameter the greatest value that it may have where it is the length of something: what a user names in
/// `--range n=0..100` or `--input n=12`, or [`DEFAULT_CAPACITY`].
pub fn room(signature: &Signature, run: &RunOptions) -> Vec<u64> {
    let named = |text: &str, name: &str| -> Option<u64> {
        let parts = text.split(',').filter_map(|part| part.split_once('=')).filter(|(of, _)| of.trim() == name);
        parts.filter_map(|(_, value)| value.rsplit("..").next()?.trim().parse().ok()).max()
    };
    let of = |name: &str| run.ranges.iter().chain(&run.given).filter_map(|text| named(text, name)).max();
    let greatest = |name: &str| of(name).map_or(DEFAULT_CAPACITY, |wanted| wanted.clamp(DEFAULT_CAPACITY, MOST_ROOM));
    signature.parameters.iter().map(|parameter| greatest(&parameter.name)).collect()
}

/// Makes room for the values of lengths that a user names, but where a length is the number of a matrix' rows.
pub fn make_room(signature: &mut Signature, run: &RunOptions) {
    let room = room(signature, run);
    for parameter in &mut signature.parameters {
        if let ParameterType::Pointer { length: Length::Parameter { index, max, beyond }, .. } = &mut parameter.ty
            && *beyond <= MOST_BEYOND
        {
            *max = room[*index].max(*max);
        }
    }
}

/// What was taken for the lengths that were guessed, a sentence each.
pub fn remarks(signature: &Signature, guessed: &[usize]) -> Vec<String> {
    guessed.iter().map(|parameter| signature.remark_on_length(*parameter)).collect()
}

/// What every analysis of a call takes for granted of its memory, a sentence each.
pub fn assumptions(signature: &Signature, guessed: &[usize]) -> Vec<String> {
    let mut said = remarks(signature, guessed);
    for (at, parameter) in signature.parameters.iter().enumerate().filter(|(at, _)| !guessed.contains(at)) {
        if let ParameterType::Pointer { length: Length::Parameter { index, max, .. }, .. } = &parameter.ty {
            let (count, name) = (&signature.parameters[*index].name, &signature.parameters[at].name);
            said.push(format!(
                "{count} is within 0..={max}, for which {name} has room; --length {name}={count}:N says otherwise"
            ));
        }
    }
    let pointers = || {
        signature.parameters.iter().filter_map(|parameter| match &parameter.ty {
            ParameterType::Pointer { access, .. } => Some(*access),
            ParameterType::Value(_) => None,
        })
    };
    if pointers().count() > 1 && pointers().any(|access| access != Access::In) {
        said.push("memory behind different parameters does not overlap".to_owned());
    }
    said
}

/// Trials of one program's functions.
pub struct LengthTrials<'p> {
    program: &'p Program,
    trials: Trials<'p>,
}

/// What integer parameters are in one round.
type Integers = Vec<(usize, u64)>;

impl<'p> LengthTrials<'p> {
    /// Trials of a program; `init` is called before everything else. `None` where it does not return.
    pub fn new(program: &'p Program, init: Option<FunctionId>) -> Option<LengthTrials<'p>> {
        Some(LengthTrials { program, trials: Trials::new(program, init, LIMITS).ok()? })
    }

    /// Gives the parameters `guessed` the lengths that trials show; the others, and those of which trials show nothing, stay as
    /// they are.
    ///
    /// `room` has each parameter's greatest value where it is a length.
    pub fn settle(&mut self, function: FunctionId, signature: &mut Signature, guessed: &[usize], room: &[u64]) {
        if guessed.is_empty() {
            return;
        }
        let roomy = roomy(signature, guessed);
        let counts: Vec<usize> = (0..signature.parameters.len())
            .filter(|index| !guessed.contains(index) && is_length(&signature.parameters[*index]))
            .collect();
        let integers = |round: usize| -> Integers {
            let value = |at: usize| INTEGERS[(at + round) % (counts.len() + 2).min(INTEGERS.len())];
            counts.iter().enumerate().map(|(at, parameter)| (*parameter, value(at))).collect()
        };
        let rounds: Vec<Integers> = (0..if counts.is_empty() { 1 } else { ROUNDS }).map(integers).collect();
        let seen: Vec<Vec<u64>> = rounds.iter().map(|integers| self.extents(function, &roomy, integers)).collect();
        let mut varying = Vec::new();
        for &parameter in guessed {
            let extents: Vec<u64> = seen.iter().map(|extents| extents[parameter]).collect();
            match length(&roomy, parameter, &rounds, &extents, room) {
                Some(length) => set(signature, parameter, length),
                None => varying.push(parameter),
            }
        }
        self.settle_varying((function, &roomy), signature, &counts, &varying, room);
    }

    /// The same for memory that is touched as far as the integer parameters say, but otherwise than one of them counts: a
    /// matrix. Where every one of these is bounded by being the length of something, or is the only one and can be, memory is for
    /// their greatest values.
    fn settle_varying(
        &mut self,
        (function, roomy): (FunctionId, &Signature),
        signature: &mut Signature,
        counts: &[usize],
        varying: &[usize],
        room: &[u64],
    ) {
        // Guesses by name are about to be given up.
        let settled: Vec<&ParameterType> = signature
            .parameters
            .iter()
            .enumerate()
            .filter(|(index, _)| !varying.contains(index))
            .map(|(_, parameter)| &parameter.ty)
            .collect();
        let is_bound = |count: &usize| settled.iter().any(|ty| is_tied_to(ty, *count));
        let (is_only, are_bound) = (counts.len() == 1, counts.iter().all(is_bound));
        if varying.is_empty() || !is_only && !are_bound {
            return;
        }
        let greatest: Integers = counts.iter().map(|parameter| (*parameter, room[*parameter])).collect();
        let extents = self.extents(function, roomy, &greatest);
        for &parameter in varying {
            let extent = extents[parameter];
            if extent == 0 || extent > capacity(roomy, parameter) {
                continue;
            }
            let may_be_array = may_be_array(&signature.parameters[parameter]);
            match counts.first().and_then(|count| extent.checked_sub(room[*count])) {
                _ if are_bound => set(signature, parameter, Length::Fixed(extent)),
                Some(beyond) if may_be_array => {
                    set(signature, parameter, Length::Parameter { index: counts[0], max: room[counts[0]], beyond });
                }
                _ => {}
            }
        }
    }

    /// How many elements of each parameter's memory are touched on inputs with these integers.
    fn extents(&mut self, function: FunctionId, roomy: &Signature, integers: &Integers) -> Vec<u64> {
        let mut extents = vec![0; roomy.parameters.len()];
        let Ok(binding) = map_parameters(roomy, self.program, function) else { return extents };
        let layout = roomy.input_layout();
        for floats in FLOATS {
            let mut record = vec![0; layout.size];
            for (place, leaf) in layout.leaves.iter().enumerate() {
                leaf.write(&mut record, value(leaf, place, integers, floats));
            }
            let Ok(touched) = self.trials.touched(function, &binding, roomy, &record) else { continue };
            for (index, bytes) in touched.into_iter().enumerate() {
                let elements = bytes.div_ceil(element_size(&roomy.parameters[index].ty));
                extents[index] = elements.max(extents[index]);
            }
        }
        extents
    }
}

/// Whether a parameter is memory whose length another one says.
fn is_tied_to(ty: &ParameterType, count: usize) -> bool {
    matches!(ty, ParameterType::Pointer { length: Length::Parameter { index, .. }, .. } if *index == count)
}

/// Whether a parameter can be memory of as many elements as another one says: a method's own object is one.
fn may_be_array(parameter: &Parameter) -> bool {
    let ParameterType::Pointer { pointee, .. } = &parameter.ty else { return false };
    matches!(pointee, Pointee::Scalar(_)) || parameter.name != "this"
}

/// The signature with more memory behind the guessed parameters than they are likely to need.
fn roomy(signature: &Signature, guessed: &[usize]) -> Signature {
    let mut roomy = signature.clone();
    for &index in guessed {
        if let ParameterType::Pointer { pointee, length, .. } = &mut roomy.parameters[index].ty {
            let row = if let Length::Fixed(row) = *length { row } else { 1 };
            let most = MOST_ELEMENTS.min(MOST_BYTES / pointee.size().max(1)).max(row);
            *length = Length::Fixed(most.next_multiple_of(row.max(1)));
        }
    }
    roomy
}

fn element_size(ty: &ParameterType) -> u64 {
    match ty {
        ParameterType::Pointer { pointee, .. } | ParameterType::Value(pointee) => pointee.size().max(1),
    }
}

/// The elements that a parameter has in trials.
fn capacity(roomy: &Signature, parameter: usize) -> u64 {
    match roomy.parameters[parameter].ty {
        ParameterType::Pointer { length: Length::Fixed(count), .. } => count,
        _ => 0,
    }
}

/// The length that explains what was touched in each round; `None` where there is no such.
fn length(roomy: &Signature, parameter: usize, rounds: &[Integers], extents: &[u64], room: &[u64]) -> Option<Length> {
    if extents.iter().any(|extent| *extent == 0 || *extent > capacity(roomy, parameter)) {
        return None;
    }
    if extents.iter().all(|extent| *extent == extents[0]) {
        return Some(Length::Fixed(extents[0]));
    }
    // As many as the parameter says, or always so many more.
    let beyond = |at: usize| -> Option<u64> {
        let mut more = rounds.iter().zip(extents).map(|(integers, extent)| extent.checked_sub(integers[at].1));
        let first = more.next()??;
        (first <= MOST_BEYOND && more.all(|other| other == Some(first))).then_some(first)
    };
    let (at, beyond) = (0..rounds[0].len()).find_map(|at| Some((at, beyond(at)?)))?;
    may_be_array(&roomy.parameters[parameter]).then_some(Length::Parameter {
        index: rounds[0][at].0,
        max: room[rounds[0][at].0],
        beyond,
    })
}

/// Sets a length, whole rows of what was declared. What a longer parameter is used for is not known any more.
fn set(signature: &mut Signature, parameter: usize, wanted: Length) {
    let ParameterType::Pointer { length, access, .. } = &mut signature.parameters[parameter].ty else { return };
    let row = if let Length::Fixed(row) = *length { row.max(1) } else { 1 };
    let wanted = match wanted {
        Length::Fixed(count) => Length::Fixed(count.next_multiple_of(row)),
        tied => tied,
    };
    if wanted != *length && *access == Access::Out {
        *access = Access::InOut;
    }
    *length = wanted;
}

/// What one leaf of the input record is in a trial.
fn value(leaf: &Leaf, place: usize, integers: &Integers, floats: fn(usize) -> f64) -> u128 {
    match leaf.scalar {
        ScalarType::Float(float) => {
            let value = Float::from_f64(floats(place));
            let converted = Environment::default().convert(&value, float.format()).value;
            converted.to_u128().unwrap_or_default()
        }
        // Elements of integer arrays are indices as often as not.
        ScalarType::Int { .. } | ScalarType::Bool => {
            let given = integers.iter().find(|(parameter, _)| leaf.parameter == Some(*parameter));
            given.map_or(1, |(_, value)| u128::from(*value))
        }
    }
}

/// A signature without what is guessed of memory: one element behind every pointer, which is read and written. Two functions are called
/// alike whose signatures are alike without.
pub fn without_guesses(signature: &Signature) -> Signature {
    let mut signature = signature.clone();
    for parameter in &mut signature.parameters {
        if let ParameterType::Pointer { length, access, .. } = &mut parameter.ty {
            (*length, *access) = (Length::Fixed(1), Access::InOut);
        }
    }
    signature
}

#[cfg(test)]
mod tests {
    use labrys_program::{LengthOptions, parse_signature};

    use super::*;

    /// Functions of a pointer `%p` and an integer `%n` that look at: a fixed place; every place of so many; one more; the
    /// diagonal of a matrix; a place that the numbers say; one place behind another that is never reached.
    const IR: &str = "
        define double @third(ptr %p, i32 %n) {
            %at = getelementptr double, ptr %p, i64 2
            %v = load double, ptr %at
            ret double %v
        }
        define double @each(ptr %p, i32 %n) {
        entry:
            br label %head
        head:
            %i = phi i32 [ 0, %entry ], [ %next, %body ]
            %more = icmp slt i32 %i, %n
            br i1 %more, label %body, label %exit
        body:
            %at = getelementptr double, ptr %p, i32 %i
            store double 1.0, ptr %at
            %next = add i32 %i, 1
            br label %head
        exit:
            ret double 0.0
        }
        define double @last(ptr %p, i32 %n) {
            %at = getelementptr double, ptr %p, i32 %n
            %v = load double, ptr %at
            ret double %v
        }
        define double @corner(ptr %p, i32 %n) {
            %square = mul i32 %n, %n
            %index = sub i32 %square, 1
            %at = getelementptr double, ptr %p, i32 %index
            %v = load double, ptr %at
            ret double %v
        }
        define double @endless(ptr %p, i32 %n) {
        entry:
            br label %head
        head:
            %i = phi i32 [ 0, %entry ], [ %next, %head ]
            %at = getelementptr double, ptr %p, i32 %i
            %v = load double, ptr %at
            %next = add i32 %i, 1
            %stop = fcmp ogt double %v, 1.0e300
            br i1 %stop, label %exit, label %head
        exit:
            ret double %v
        }
        define double @none(ptr %p, i32 %n) {
            ret double 1.0
        }";

    fn settled(function: &str, prototype: &str, guessed: &[usize], greatest: u64) -> Signature {
        let program = Program::from_bytes(IR.as_bytes(), "lengths.ll").unwrap();
        let mut signature = parse_signature(prototype, &LengthOptions::default()).unwrap();
        let room = vec![greatest; signature.parameters.len()];
        let mut trials = LengthTrials::new(&program, None).unwrap();
        trials.settle(program.function(function).unwrap(), &mut signature, guessed, &room);
        signature
    }

    fn length_of(function: &str) -> Length {
        let signature = settled(function, "double f(double p[1], int n)", &[0], DEFAULT_CAPACITY);
        let ParameterType::Pointer { length, .. } = signature.parameters[0].ty else { panic!("p is a pointer") };
        length
    }

    #[test]
    fn memory_is_as_long_as_it_is_touched() {
        let tied = |beyond| Length::Parameter { index: 1, max: DEFAULT_CAPACITY, beyond };
        assert_eq!(length_of("third"), Length::Fixed(3));
        assert_eq!(length_of("each"), tied(0));
        assert_eq!(length_of("last"), tied(1));
        assert_eq!(length_of("corner").capacity(), DEFAULT_CAPACITY * DEFAULT_CAPACITY);
        let of_name = settled("corner", "double f(double p[n], int n)", &[0], DEFAULT_CAPACITY);
        let enough =
            Length::Parameter { index: 1, max: DEFAULT_CAPACITY, beyond: DEFAULT_CAPACITY * (DEFAULT_CAPACITY - 1) };
        assert!(matches!(of_name.parameters[0].ty, ParameterType::Pointer { length, .. } if length == enough));
    }

    /// A user who names twelve has room for twelve, and for the square of it.
    #[test]
    fn lengths_grow_with_what_is_asked_for() {
        let capacity = |function: &str| {
            let signature = settled(function, "double f(double p[1], int n)", &[0], 12);
            let ParameterType::Pointer { length, .. } = signature.parameters[0].ty else { panic!("p is a pointer") };
            length.capacity()
        };
        assert_eq!([capacity("third"), capacity("each"), capacity("last"), capacity("corner")], [3, 12, 13, 144]);
    }

    #[test]
    fn guesses_stay_where_trials_show_nothing() {
        for function in ["endless", "none"] {
            assert_eq!(length_of(function), Length::Fixed(1), "{function}");
        }
    }

    #[test]
    fn what_is_known_is_not_changed() {
        let known = settled("third", "double f(double p[2], int n)", &[], DEFAULT_CAPACITY);
        assert!(matches!(known.parameters[0].ty, ParameterType::Pointer { length: Length::Fixed(2), .. }));
    }

    #[test]
    fn rows_stay_whole() {
        let rows = settled("third", "double f(double p[2], int n)", &[0], DEFAULT_CAPACITY);
        assert!(matches!(rows.parameters[0].ty, ParameterType::Pointer { length: Length::Fixed(4), .. }));
    }
}
