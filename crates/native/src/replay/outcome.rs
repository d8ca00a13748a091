//! What a run of a program under sanitizers showed.

use labrys_testcase::InputObject;

use crate::SourceFrame;

/// An error that a sanitizer or the runtime reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// `assert` failed: its text.
    Assertion(String),
    /// A function was called that says that control must not come here: its name.
    ErrorReached(String),
    /// A panic of Rust's: its message.
    Panic(String),
    /// `abort`.
    Abort,
    /// A trap or an illegal instruction.
    Trap,
    /// Code that is said to be unreachable, or the end of a function that should have returned a value.
    Unreachable,
    /// An access outside an object's bounds.
    OutOfBounds,
    /// An access to memory that is not there, or not to be written.
    WildAccess {
        /// Whether it was a write; `None` where the processor does not say. A sanitizer's look at what is known of the address reads.
        is_write: Option<bool>,
    },
    /// An access through the null pointer, or to memory just above it.
    Null,
    /// An access to memory that was freed.
    UseAfterFree,
    /// An access to a local variable of a function that has returned.
    UseAfterReturn,
    /// An access to a local variable outside its block.
    UseAfterScope,
    /// A second `free`.
    DoubleFree,
    /// `free` of what `malloc` did not give.
    InvalidFree,
    /// `memcpy` between ranges that overlap.
    Overlap,
    /// A decision by something that was never written.
    Uninitialised,
    /// Integer division by zero.
    DivisionByZero,
    /// The smallest integer divided by −1.
    DivisionOverflow,
    /// The processor's trap for one of these two.
    DivisionTrap,
    /// A shift by as many bits as the number has, or more.
    Shift,
    /// Overflow of a signed integer.
    SignedOverflow,
    /// Memory that nothing points to at the program's end.
    Leak,
    /// The stack ran out.
    StackOverflow,
    /// Another report: its words.
    Other(String),
}

impl ErrorKind {
    /// It in words.
    pub fn words(&self) -> String {
        match self {
            ErrorKind::Assertion(text) => format!("the assertion `{text}` fails"),
            ErrorKind::Panic(message) => format!("the program panics: {message}"),
            ErrorKind::ErrorReached(name) if name == "error stop" => "error stop is reached".to_owned(),
            ErrorKind::ErrorReached(name) => format!("{name} is called"),
            ErrorKind::Other(words) => words.clone(),
            ErrorKind::WildAccess { is_write: Some(true) } => "a write to memory that is not there for it".to_owned(),
            ErrorKind::WildAccess { .. } => "an access to memory that is not there".to_owned(),
            other => other.phrase().to_owned(),
        }
    }

    fn phrase(&self) -> &'static str {
        match self {
            ErrorKind::Abort => "abort is called",
            ErrorKind::Trap => "a trap",
            ErrorKind::Unreachable => "unreachable code is reached",
            ErrorKind::OutOfBounds => "an access outside an object's bounds",
            ErrorKind::Null => "an access through the null pointer",
            ErrorKind::UseAfterFree => "an access to memory that was freed",
            ErrorKind::UseAfterReturn => "an access to a local variable of a function that has returned",
            ErrorKind::UseAfterScope => "an access to a local variable outside its block",
            ErrorKind::DoubleFree => "memory is freed twice",
            ErrorKind::InvalidFree => "free of what malloc did not give",
            ErrorKind::Overlap => "a copy between ranges that overlap",
            ErrorKind::Uninitialised => "a decision by an uninitialised value",
            ErrorKind::DivisionByZero => "integer division by zero",
            ErrorKind::DivisionOverflow => "the smallest integer divided by -1",
            ErrorKind::DivisionTrap => "an integer division traps",
            ErrorKind::Shift => "a shift by too many bits",
            ErrorKind::SignedOverflow => "overflow of a signed integer",
            ErrorKind::Leak => "memory leaks",
            ErrorKind::StackOverflow => "the stack runs out",
            ErrorKind::Assertion(_)
            | ErrorKind::Panic(_)
            | ErrorKind::ErrorReached(_)
            | ErrorKind::WildAccess { .. }
            | ErrorKind::Other(_) => "an error",
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program ended by itself, with this code.
    Exited(i32),
    /// An error was reported.
    Error(ErrorKind),
    /// An assumption of the program's does not hold on this input: the function that made it.
    AssumptionFailed(String),
    /// The program asked for more inputs than there are.
    InputsExhausted {
        /// How many there are.
        given: u32,
        /// What it asked for.
        name: String,
    },
    /// The program asked for an input of another size than the recorded one.
    InputSize {
        /// The recorded size in bytes.
        recorded: u64,
        /// The size that was asked for.
        asked: u64,
        /// What it asked for.
        name: String,
    },
    /// A signal that no sanitizer reported.
    Signal(i32),
    /// It was still running at its limit.
    TimedOut,
    /// It used more memory than it may.
    OutOfMemory,
    /// The inputs could not be given to it.
    Damaged(String),
}

impl Ending {
    /// It in words.
    pub fn words(&self) -> String {
        match self {
            Ending::Exited(code) => format!("the program ends with exit code {code}"),
            Ending::Error(kind) => kind.words(),
            Ending::AssumptionFailed(name) => format!("the condition of {name} does not hold"),
            Ending::InputsExhausted { given, name } => {
                format!("the program asks for `{name}` behind the {given} inputs that there are")
            }
            Ending::InputSize { recorded, asked, name } => {
                format!("the program asks for {asked} bytes for `{name}` where {recorded} were recorded")
            }
            Ending::Signal(number) => format!("the program is ended by signal {number}"),
            Ending::TimedOut => "the program is still running at its time limit".to_owned(),
            Ending::OutOfMemory => "the program uses more memory than it may".to_owned(),
            Ending::Damaged(why) => why.clone(),
        }
    }
}

/// A request for an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayInput {
    /// What the program, or the function it called, names it.
    pub name: String,
    /// The call.
    pub call: SourceFrame,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// How it ended.
    pub ending: Ending,
    /// Where: file, line and column as far as they are known.
    pub place: Option<SourceFrame>,
    /// The calls there in the program's own code, the innermost first; inlined ones too.
    pub stack: Vec<SourceFrame>,
    /// The inputs that it asked for, in order; of more than ten thousand the first.
    pub inputs: Vec<ReplayInput>,
    /// What it said that it computed, in order: names and bytes.
    pub outputs: Vec<InputObject>,
}

impl Replay {
    /// It in one line: what, and where.
    pub fn words(&self) -> String {
        let place = self.place.as_ref().and_then(|place| Some((place.file.as_deref()?, place.line)));
        match place {
            Some((file, line)) => format!("{} at {file}:{line}", self.ending.words()),
            None => self.ending.words(),
        }
    }
}
