use super::SignatureError;
use crate::{Length, Parameter, ParameterType, Pointee, ScalarType, Signature};

/// How much memory is behind pointer parameters, as `--length` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LengthOptions {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    text: String,
    pointer: String,
    length: Wanted,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wanted {
    Fixed(u64),
    /// The parameter, its greatest value, the elements beyond.
    Parameter(String, u64, u64),
}

/// The capacity of memory whose length is a parameter, in elements, where nothing else is said: enough for a vectorised
/// loop and its remainder, little enough to search.
pub const DEFAULT_CAPACITY: u64 = 8;

/// Elements that memory has more than an integer parameter says, where that is meant: a polynomial's coefficients are one
/// more than its degree.
pub const MOST_BEYOND: u64 = 4;

/// A bound on lengths, in elements: a record of a million doubles is as much as can be searched and printed at all.
pub(crate) const MAX_LENGTH: u64 = 1 << 20;

/// Names of integer parameters that say the length of whatever pointer there is.
const LENGTH_NAMES: [&str; 9] = ["n", "len", "length", "size", "count", "num", "nelem", "nelems", "dim"];

impl LengthOptions {
    /// Reads the values of `--length`: `x=8` (8 elements), `x=n` (as many as parameter `n` says, which is kept within
    /// 0..=8), `x=n:32` (within 0..=32), or `x=n+1` (one more than it says). Multi-dimensional arrays count their scalars.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Length`].
    ///
    /// ```
    /// use labrys_program::LengthOptions;
    /// assert!(LengthOptions::parse(&["x=8".to_owned(), "w=n:32".to_owned(), "c=degree+1:32".to_owned()]).is_ok());
    /// assert!(LengthOptions::parse(&["x".to_owned()]).is_err());
    /// ```
    pub fn parse(texts: &[String]) -> Result<Self, SignatureError> {
        let mut entries: Vec<Entry> = Vec::new();
        for text in texts {
            let wrong = |reason: &str| SignatureError::Length { text: text.clone(), reason: reason.to_owned() };
            let (pointer, length) = text
                .split_once('=')
                .map(|(pointer, length)| (pointer.trim(), length.trim()))
                .filter(|(pointer, length)| !pointer.is_empty() && !length.is_empty())
                .ok_or_else(|| wrong("write PARAMETER=NUMBER or PARAMETER=PARAMETER, as in x=8 or x=n"))?;
            let in_range = |number: &str| match number.trim().parse::<u64>() {
                Ok(value @ 1..=MAX_LENGTH) => Ok(value),
                _ => Err(wrong(&format!("{number} is not a number from 1 to {MAX_LENGTH}"))),
            };
            let is_number = length.strip_prefix('-').unwrap_or(length).starts_with(|c: char| c.is_ascii_digit());
            let length = if is_number {
                Wanted::Fixed(in_range(length)?)
            } else {
                let (length, max) = length.split_once(':').map_or((length, None), |(length, max)| (length, Some(max)));
                let (name, beyond) = length.split_once('+').map_or((length, None), |(name, more)| (name, Some(more)));
                let max = max.map_or(Ok(DEFAULT_CAPACITY), in_range)?;
                Wanted::Parameter(name.trim().to_owned(), max, beyond.map_or(Ok(0), in_range)?)
            };
            if entries.iter().any(|entry| entry.pointer == pointer) {
                return Err(wrong("this parameter's length was already said"));
            }
            entries.push(Entry { text: text.clone(), pointer: pointer.to_owned(), length });
        }
        Ok(LengthOptions { entries })
    }

    /// Sets the lengths that the options say.
    ///
    /// # Errors
    ///
    /// [`SignatureError::Length`]: an option names no pointer parameter, or no integer parameter as its length.
    pub(crate) fn apply(&self, parameters: &mut [Parameter]) -> Result<(), SignatureError> {
        for entry in &self.entries {
            let wrong = |reason: String| SignatureError::Length { text: entry.text.clone(), reason };
            let wanted = match &entry.length {
                Wanted::Fixed(count) => Length::Fixed(*count),
                Wanted::Parameter(name, max, beyond) => {
                    let index = parameters.iter().position(|parameter| parameter.name == *name);
                    let index = index.ok_or_else(|| wrong(format!("there is no parameter {name}")))?;
                    if !is_length(&parameters[index]) {
                        return Err(wrong(format!("{name} is not an integer parameter")));
                    }
                    Length::Parameter { index, max: *max, beyond: *beyond }
                }
            };
            match parameters.iter_mut().find(|parameter| parameter.name == entry.pointer).map(|found| &mut found.ty) {
                Some(ParameterType::Pointer { length, .. }) => *length = wanted,
                Some(ParameterType::Value(_)) => return Err(wrong(format!("{} is not a pointer", entry.pointer))),
                None => return Err(wrong(format!("there is no parameter {}", entry.pointer))),
            }
        }
        Ok(())
    }

    /// Whether an option says the length of that parameter.
    pub(crate) fn names(&self, parameter: &str) -> bool {
        self.entries.iter().any(|entry| entry.pointer == parameter)
    }
}

impl Signature {
    /// What was taken for the length of a pointer parameter, as a sentence for those who know better; empty for any other
    /// parameter.
    pub fn remark_on_length(&self, index: usize) -> String {
        let Parameter { name, ty } = &self.parameters[index];
        match ty {
            ParameterType::Pointer { length: Length::Fixed(1), .. } => {
                format!("{name} is taken to point to one element; --length {name}=N says otherwise")
            }
            ParameterType::Pointer { length: Length::Fixed(count), .. } => {
                format!("{name} is taken to point to {count} elements; --length {name}=N says otherwise")
            }
            ParameterType::Pointer { length: length @ Length::Parameter { index, max, beyond }, .. } => {
                let count = &self.parameters[*index].name;
                let bound = format!("which is kept within 0..={max}; --length says otherwise");
                match beyond {
                    0 => format!("{name} is taken to have as many elements as {count} says, {bound}"),
                    1 => format!("{name} is taken to have one element more than {count} says, {bound}"),
                    2..=MOST_BEYOND => {
                        format!("{name} is taken to have {beyond} elements more than {count} says, {bound}")
                    }
                    _ => format!(
                        "{name} is taken to point to {} elements, enough for {count}, {bound}",
                        length.capacity()
                    ),
                }
            }
            ParameterType::Value(_) => String::new(),
        }
    }
}

/// Whether a parameter can be the length of another: an integer, by value or (Fortran) by reference.
pub fn is_length(parameter: &Parameter) -> bool {
    matches!(
        &parameter.ty,
        ParameterType::Value(Pointee::Scalar(ScalarType::Int { .. }))
            | ParameterType::Pointer { pointee: Pointee::Scalar(ScalarType::Int { .. }), length: Length::Fixed(1), .. }
    )
}

/// The integer parameter whose name says that it is the length of `pointer`.
pub(super) fn likely_length(pointer: &str, parameters: &[Parameter], by_reference: bool) -> Option<usize> {
    let pointer = pointer.to_lowercase();
    let integers = || {
        let all = parameters.iter().enumerate().filter(|(_, parameter)| {
            is_length(parameter) && (by_reference || matches!(parameter.ty, ParameterType::Value(_)))
        });
        all.map(|(index, parameter)| (index, parameter.name.to_lowercase()))
    };
    let of_pointer = |name: &str| {
        let prefixes = ["n", "n_", "num_", "len", "len_", "size_", "count_"];
        let suffixes = ["n", "_n", "len", "_len", "_length", "_size", "_count"];
        prefixes.iter().any(|prefix| name.strip_prefix(prefix) == Some(&pointer))
            || suffixes.iter().any(|suffix| name.strip_suffix(suffix) == Some(&pointer))
    };
    if let Some((index, _)) = integers().find(|(_, name)| of_pointer(name)) {
        return Some(index);
    }
    let mut general = integers().filter(|(_, name)| LENGTH_NAMES.contains(&name.as_str()));
    let first = general.next().map(|(index, _)| index);
    // Two lengths, as of a matrix: guessing would be as likely wrong as right.
    if general.next().is_some() { None } else { first }
}
