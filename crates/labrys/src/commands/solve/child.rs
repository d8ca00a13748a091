//! The process that does the work.

use std::fs::File;
use std::io::Write;
use std::time::{Duration, Instant};

use labrys_solver::interval::{IntervalConfig, Order};
use labrys_solver::{CertifyConfig, EngineChoice, Portfolio, PortfolioConfig};
use labrys_term::sexpr::Position;
use labrys_term::smtlib::script::{Source, Splitter};

use super::frame::{Frame, Kind};
use super::input::{Input, read_some};
use super::interpreter::{Flow, Interpreter};
use super::text;
use crate::args::{Engine, Labelling, SolveArgs};

/// A malformed script.
const MALFORMED: u8 = 2;

/// Works through the script and tells the parent.
pub fn run(arguments: &SolveArgs, input: &Input, deadline: Option<Instant>, parent: &mut impl Write) {
    let mut send = |frame: Frame| {
        if frame.send(parent).is_err() {
            // Nobody is listening any more.
            // SAFETY: ends the process at once.
            unsafe { libc::_exit(0) }
        }
    };
    let deadline = deadline.map(|deadline| deadline - margin(deadline));
    let stream = matches!(input, Input::Stream { .. });
    let mut interpreter = Interpreter::new(arguments, deadline, stream, solver(arguments), &mut send);
    let code = match input {
        Input::Whole { name, text } => whole(&mut interpreter, name, text),
        Input::Stream { name, file } => commands(&mut interpreter, name, file),
    };
    let code = code.unwrap_or_else(|| interpreter.code());
    send(Frame { kind: Kind::End(code), done: u64::MAX, text: String::new() });
}

fn solver(arguments: &SolveArgs) -> Portfolio {
    let engines = match arguments.engine {
        Engine::Portfolio => EngineChoice::Portfolio,
        Engine::Interval => EngineChoice::Interval,
        Engine::Bitblast => EngineChoice::BitBlast,
        Engine::Local => EngineChoice::Local,
    };
    let order = match arguments.labelling {
        Labelling::Conflicts => Order::Conflicts,
        Labelling::LargestDomain => Order::LargestDomain,
        Labelling::SmallestDomain => Order::SmallestDomain,
        Labelling::MostConstrained => Order::MostConstrained,
        Labelling::Declared => Order::Declared,
    };
    let interval = IntervalConfig { ulp_max: !arguments.no_ulp_maximum, order };
    let SolveArgs { seed, reproducible, certify, proof_limit, .. } = *arguments;
    let certify = certify.then_some(CertifyConfig { largest_proof: proof_limit << 20 });
    Portfolio::new(PortfolioConfig { engines, seed, reproducible, interval, certify, ..PortfolioConfig::default() })
}

/// How long before the end the work stops by itself, so that it is the child that says `unknown` and why.
fn margin(deadline: Instant) -> Duration {
    const LONGEST: Duration = Duration::from_millis(100);
    (deadline.saturating_duration_since(Instant::now()) / 50).min(LONGEST)
}

/// A whole script. The exit code of a malformed one.
fn whole(interpreter: &mut Interpreter<'_>, name: &str, text: &[u8]) -> Option<u8> {
    match interpreter.run(&mut Source::new(text), text) {
        Ok(_) => None,
        Err(error) => {
            interpreter.complain(format!("labrys: {name}:{error}\n"));
            Some(MALFORMED)
        }
    }
}

/// Commands as they come. A malformed one is answered with an error, and the next is read.
fn commands(interpreter: &mut Interpreter<'_>, name: &str, file: &File) -> Option<u8> {
    let (mut held, mut splitter) = (Vec::new(), Splitter::new());
    let mut position = Position { line: 1, column: 1 };
    let mut seen = 0;
    let mut code = None;
    loop {
        while let Some(length) = splitter.feed(&held[seen..]) {
            let rest = held.split_off(seen + length);
            let text = std::mem::replace(&mut held, rest);
            seen = 0;
            if command(interpreter, (name, &text), &mut position, &mut code) == Flow::Exit {
                return code;
            }
            splitter.set_backslashes(interpreter.has_backslashes());
        }
        seen = held.len();
        match read_some(file, &mut held) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                interpreter.complain(format!("labrys: cannot read {name}: {error}\n"));
                return Some(MALFORMED);
            }
        }
    }
    if splitter.is_open() {
        command(interpreter, (name, &held), &mut position, &mut code);
    }
    code
}

/// One command of the stream of this name; moves the position behind it.
fn command(
    interpreter: &mut Interpreter<'_>,
    (name, text): (&str, &[u8]),
    position: &mut Position,
    code: &mut Option<u8>,
) -> Flow {
    let mut source = Source::at(text, *position);
    *position = source.end();
    interpreter.run(&mut source, text).unwrap_or_else(|error| {
        interpreter.say(text::error(&format!("{name}:{error}")));
        *code = Some(MALFORMED);
        Flow::On
    })
}
