//! Commands carried out, one after the other (SMT-LIB 2.6, chapter 4).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use labrys_solver::{Answer, Limits, Portfolio, Session, Why};
use labrys_term::smtlib::script::{Command, Declaration, Script, ScriptError, Source, Written};
use labrys_term::smtlib::{Options, print_script, sort_text, value_text};
use labrys_term::{Store, TermId};

use super::channel::{Channel, Files};
use super::frame::{Frame, Kind};
use super::settings::{Refused, Settings, information};
use super::text;
use crate::args::SolveArgs;

/// What a `:status` says and answers are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Sat,
    Unsat,
}

/// Whether commands may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// They may.
    On,
    /// `(exit)`.
    Exit,
}

/// How long looking for a smaller core may take.
const SHRINKING: Duration = Duration::from_secs(5);

/// What an assertion is called and how it was written.
#[derive(Clone, Debug, Default)]
struct Label {
    name: Option<String>,
    text: Option<String>,
}

/// A script's state.
pub struct Interpreter<'a> {
    arguments: &'a SolveArgs,
    /// When every check must be over.
    deadline: Option<Instant>,
    /// Whether each command is answered as it comes, errors too.
    stream: bool,
    send: &'a mut dyn FnMut(Frame),
    /// How many bytes of the script are done with when the present command is.
    done: u64,
    store: Store,
    script: Script,
    session: Session,
    settings: Settings,
    /// What was opened as channels; the parent writes.
    files: Files,
    /// By assertion.
    labels: Vec<Label>,
    /// What is asserted, declared or defined but not supported, by the level it happened on.
    unsupported: Vec<(usize, String)>,
    status: Option<Status>,
    /// The answer since which nothing has changed.
    answer: Option<Answer>,
    assumptions: Vec<Written>,
    shrunk: bool,
    /// How many checks there were.
    checks: usize,
    /// The exit code so far.
    code: u8,
    contradicted: bool,
}

impl<'a> Interpreter<'a> {
    /// Nothing asserted yet; what there is to say goes to `send`.
    pub fn new(
        arguments: &'a SolveArgs,
        deadline: Option<Instant>,
        stream: bool,
        solver: Portfolio,
        send: &'a mut dyn FnMut(Frame),
    ) -> Interpreter<'a> {
        Interpreter {
            arguments,
            deadline,
            stream,
            send,
            done: 0,
            store: Store::new(),
            script: Script::new(),
            session: Session::new(solver),
            settings: Settings::default(),
            files: Files::default(),
            labels: Vec::new(),
            unsupported: Vec::new(),
            status: None,
            answer: None,
            assumptions: Vec::new(),
            shrunk: false,
            checks: 0,
            code: 0,
            contradicted: false,
        }
    }

    /// The exit code: by the last answer, or 1 where an answer contradicted its status.
    pub fn code(&self) -> u8 {
        if self.contradicted { 1 } else { self.code }
    }

    /// Carries out all commands of a text. An error is where reading cannot go on.
    pub fn run(&mut self, source: &mut Source<'_>, text: &[u8]) -> Result<Flow, ScriptError> {
        while let Some(command) = self.script.next(&mut self.store, source)? {
            self.done = source.last_command().end as u64;
            if self.execute(command, text) == Flow::Exit {
                return Ok(Flow::Exit);
            }
        }
        Ok(Flow::On)
    }

    /// Whether the script's strings are those of SMT-LIB 2.0.
    pub fn has_backslashes(&self) -> bool {
        self.script.has_backslashes()
    }

    /// Says something that is neither an answer nor a fault.
    pub fn say(&mut self, text: String) {
        self.send(Kind::Output, text);
    }

    /// Says what is wrong on standard error.
    pub fn complain(&mut self, text: String) {
        self.send(Kind::Message, text);
    }

    fn send(&mut self, kind: Kind, text: String) {
        (self.send)(Frame { kind, done: self.done, text });
    }

    fn success(&mut self) {
        if self.settings.print_success {
            self.say("success\n".to_owned());
        }
    }

    /// Assertions or symbols have changed.
    fn changed(&mut self) {
        self.answer = None;
        self.success();
    }

    fn execute(&mut self, command: Command, text: &[u8]) -> Flow {
        match command {
            Command::Assert { term, name, span } => {
                self.session.assert(&self.store, term);
                let words = || String::from_utf8_lossy(text.get(span).unwrap_or_default()).trim().to_owned();
                self.labels.push(Label { name, text: self.settings.assertions.then(words) });
                self.changed();
            }
            Command::Push(count) => {
                (0..count).for_each(|_| self.session.push());
                self.changed();
            }
            Command::Pop(count) => {
                (0..count).for_each(|_| {
                    self.session.pop();
                });
                self.labels.truncate(self.session.assertions().len());
                let levels = self.session.levels();
                self.unsupported.retain(|(level, _)| *level <= levels);
                self.changed();
            }
            Command::Declare(_) | Command::Define => self.success(),
            Command::CheckSat => self.check(Vec::new()),
            Command::CheckSatAssuming(assumptions) => self.check(assumptions),
            Command::SetLogic(_) => self.success(),
            Command::SetOption(keyword, value) => self.set_option(&keyword, &value),
            Command::SetInfo(keyword, value) => {
                if keyword == "status" {
                    self.status = match value.as_str() {
                        "sat" => Some(Status::Sat),
                        "unsat" => Some(Status::Unsat),
                        _ => None,
                    };
                }
                self.success();
            }
            Command::Echo(words) => self.say(format!("{words}\n")),
            Command::Reset => {
                self.store = Store::new();
                self.settings = Settings::default();
                self.tell_channels();
                self.status = None;
                self.forget();
            }
            Command::ResetAssertions => self.forget(),
            Command::Exit => {
                self.success();
                return Flow::Exit;
            }
            Command::Unsupported { what, matters } => {
                if matters {
                    let level = self.session.levels();
                    self.unsupported.push((level, what));
                    self.answer = None;
                }
                self.say("unsupported\n".to_owned());
            }
            other => self.inquire(other),
        }
        Flow::On
    }

    fn forget(&mut self) {
        self.session.reset();
        self.labels.clear();
        self.unsupported.clear();
        self.changed();
    }

    fn set_option(&mut self, keyword: &str, value: &str) {
        let before = self.settings.clone();
        match self.settings.set(keyword, value) {
            Ok(()) if keyword.ends_with("-output-channel") => {
                let channel = if keyword.starts_with('r') { &self.settings.regular } else { &self.settings.diagnostic };
                let opened = match channel {
                    Channel::File(path) => self.files.open(path, self.arguments.trust),
                    Channel::Stdout | Channel::Stderr => Ok(()),
                };
                match opened {
                    Ok(()) => {
                        self.tell_channels();
                        self.success();
                    }
                    Err(why) => {
                        self.settings = before;
                        self.say(text::error(&format!("option :{keyword}: {value} {why}").replace('"', "'")));
                    }
                }
            }
            Ok(()) => {
                if let ("random-seed" | "seed", Some(seed)) = (keyword, self.settings.seed) {
                    self.session.set_seed(seed);
                    self.answer = None;
                }
                self.success();
            }
            Err(Refused::Unknown) => self.say("unsupported\n".to_owned()),
            Err(Refused::Value(wanted)) => {
                self.say(text::error(&format!("option :{keyword} takes {wanted}, not `{value}`")));
            }
        }
    }

    /// Tells the parent, which writes, where to.
    fn tell_channels(&mut self) {
        let (regular, diagnostic) = (self.settings.regular.name(), self.settings.diagnostic.name());
        self.send(Kind::Regular, regular);
        self.send(Kind::Diagnose, diagnostic);
    }

    fn limits(&self) -> Limits {
        /// Where nothing is bounded.
        const FOREVER: Duration = Duration::from_secs(1 << 30);
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let wall = left.unwrap_or(FOREVER).min(self.settings.timeout.unwrap_or(FOREVER));
        Limits { work: self.settings.resource_limit, wall, memory_mib: self.arguments.memory.unwrap_or(0) }
    }

    fn check(&mut self, assumptions: Vec<Written>) {
        self.send(Kind::Checking, String::new());
        self.checks += 1;
        self.shrunk = false;
        let terms: Vec<TermId> = assumptions.iter().map(|assumption| assumption.term).collect();
        self.assumptions = assumptions;
        self.dump(&terms);
        if self.arguments.show_domains {
            self.show_domains(&terms);
        }
        let answer = match self.unsupported.last() {
            Some((_, what)) => Answer::Unknown(Why::Unsupported(what.clone())),
            None => self.decide(&terms),
        };
        if self.arguments.stats {
            let statistics = self.session.statistics();
            let lines = statistics.iter().map(|(name, value)| format!("; {name} {value}\n"));
            let text = lines.collect::<String>();
            self.send(Kind::Diagnostic, text);
        }
        let (kind, word, code) = match &answer {
            Answer::Sat => (Kind::Sat, "sat\n", 10),
            Answer::Unsat => (Kind::Unsat, "unsat\n", 20),
            Answer::Unknown(_) => (Kind::Unknown, "unknown\n", 0),
        };
        self.compare(&answer);
        self.code = code;
        if let Answer::Unknown(why @ Why::Uncertified(_)) = &answer {
            self.complain(format!("{why}\n"));
        }
        let certificate = self.session.certificate().filter(|_| code != 0);
        self.answer = Some(answer);
        self.send(kind, word.to_owned());
        if let Some(certificate) = certificate {
            self.complain(format!("certified: {certificate}\n"));
        }
    }

    /// What propagation alone knows of each declared constant, as comments.
    fn show_domains(&mut self, assumptions: &[TermId]) {
        let text = match self.session.domains(&self.store, assumptions, &self.limits()) {
            Err(why) => format!("; no domains: {why}\n"),
            Ok(None) => "; propagation finds a contradiction\n".to_owned(),
            Ok(Some(facts)) => {
                let declared = self.script.declared().iter();
                let line = |declaration: &Declaration| match facts.domains.get(&declaration.term) {
                    Some(domain) => format!("; {} in {domain}\n", declaration.name),
                    None => format!("; {} may have any value\n", declaration.name),
                };
                declared.map(line).collect()
            }
        };
        self.say(text);
    }

    /// Asks the solver. An engine that gives up by itself hides that the others have used up the time.
    fn decide(&mut self, assumptions: &[TermId]) -> Answer {
        if let Some(folder) = &self.arguments.proof {
            self.session.keep_proof(folder.join(format!("check-{:04}", self.checks)));
        }
        let (begun, limits) = (Instant::now(), self.limits());
        match self.session.check(&self.store, assumptions, &limits) {
            answer @ Answer::Unknown(Why::Uncertified(_)) => answer,
            Answer::Unknown(_) if begun.elapsed() >= limits.wall => Answer::Unknown(Why::Wall),
            answer => answer,
        }
    }

    /// Compares an answer with what the script says it is.
    fn compare(&mut self, answer: &Answer) {
        // It is said of one check.
        let status = self.status.take();
        let (found, stated) = match (answer, status) {
            (Answer::Sat, Some(Status::Unsat)) => ("sat", "unsat"),
            (Answer::Unsat, Some(Status::Sat)) => ("unsat", "sat"),
            _ => return,
        };
        if self.arguments.check_status {
            self.contradicted = true;
            let check = self.checks;
            self.send(Kind::Message, format!("labrys: check {check} is answered {found}, but :status is {stated}\n"));
        }
    }

    /// Writes the query where that is wanted. A folder that has become full is no reason to give up.
    fn dump(&self, assumptions: &[TermId]) {
        if let Some(folder) = &self.arguments.dump_queries {
            let terms = [self.session.assertions(), assumptions].concat();
            let script = print_script(&self.store, &terms, &Options::default());
            let _ = std::fs::write(folder.join(format!("check-{:04}.smt2", self.checks)), script);
        }
    }

    /// Commands that ask for something.
    fn inquire(&mut self, command: Command) {
        let answered = match command {
            Command::GetInfo(keyword) => Ok(self.information(&keyword)),
            Command::GetOption(keyword) => {
                Ok(self.settings.get(&keyword).map_or("unsupported\n".to_owned(), |value| format!("{value}\n")))
            }
            Command::GetModel => self.model(),
            Command::GetValue(terms) => self.values(&terms),
            Command::GetAssignment => self.assignment(),
            Command::GetUnsatCore => self.core(),
            Command::GetUnsatAssumptions => self.failed_assumptions(),
            Command::GetAssertions if !self.settings.assertions => Err("set :produce-assertions before"),
            Command::GetAssertions => Ok(text::list(self.labels.iter().filter_map(|label| label.text.as_deref()))),
            _ => Ok("unsupported\n".to_owned()),
        };
        match answered {
            Ok(answer) => self.say(answer),
            Err(why) => self.say(text::error(why)),
        }
    }

    fn information(&self, keyword: &str) -> String {
        let value = match (keyword, &self.answer) {
            ("reason-unknown", Some(Answer::Unknown(why))) => text::reason(why),
            ("reason-unknown", _) => return text::error("the last answer was not unknown"),
            ("assertion-stack-levels", _) => self.session.levels().to_string(),
            ("status", Some(answer)) => match answer {
                Answer::Sat => "sat".to_owned(),
                Answer::Unsat => "unsat".to_owned(),
                Answer::Unknown(_) => "unknown".to_owned(),
            },
            ("status", None) => "unknown".to_owned(),
            ("all-statistics", _) => {
                let statistics = self.session.statistics();
                let items: Vec<String> =
                    statistics.iter().map(|(name, value)| format!(":{} {value}", name.replace(' ', "-"))).collect();
                return text::list(items.iter().map(String::as_str));
            }
            ("error-behavior", _) if self.stream => "continued-execution".to_owned(),
            _ => match information(keyword) {
                Some(value) => value,
                None => return "unsupported\n".to_owned(),
            },
        };
        format!("(:{keyword} {value})\n")
    }

    fn satisfied(&self) -> Result<(), &'static str> {
        match self.answer {
            Some(Answer::Sat) => Ok(()),
            _ => Err("there is no model: the last command that could have changed it was not answered sat"),
        }
    }

    fn model(&mut self) -> Result<String, &'static str> {
        self.satisfied()?;
        let mut text = String::from("(\n");
        for declaration in self.script.declared() {
            let value = self.session.value(&self.store, declaration.term).ok_or("the model has no value")?;
            let sort = sort_text(self.store.sort(declaration.term));
            text.push_str(&format!("  (define-fun {} () {sort} {})\n", declaration.name, value_text(&value)));
        }
        Ok(text + ")\n")
    }

    fn values(&mut self, terms: &[Written]) -> Result<String, &'static str> {
        self.satisfied()?;
        let mut pairs = Vec::new();
        for written in terms {
            let value = self.session.value(&self.store, written.term).ok_or("the theory leaves this value open")?;
            pairs.push((written.text.as_str(), value_text(&value)));
        }
        Ok(text::pairs(pairs))
    }

    fn assignment(&mut self) -> Result<String, &'static str> {
        if !self.settings.assignments {
            return Err("set :produce-assignments before");
        }
        self.satisfied()?;
        let mut pairs = Vec::new();
        for label in self.script.labels() {
            if let Some(value) = self.session.value(&self.store, label.term).and_then(|value| value.as_bool()) {
                pairs.push((label.name.as_str(), value.to_string()));
            }
        }
        Ok(text::pairs(pairs))
    }

    /// Makes the core small, once, leaving out what was asked for by name where that is not needed.
    fn shrink(&mut self) -> Result<(), &'static str> {
        if self.answer != Some(Answer::Unsat) {
            return Err("there is no core: the last command that could have changed it was not answered unsat");
        }
        if !self.shrunk {
            let named = self.labels.iter().enumerate().filter(|(_, label)| label.name.is_some());
            let asserted = self.labels.len();
            let assumed = (0..self.assumptions.len()).map(|index| asserted + index);
            let candidates: Vec<usize> = named.map(|(index, _)| index).chain(assumed).collect();
            let limits = self.limits();
            let limits = Limits { wall: limits.wall.min(SHRINKING), ..limits };
            self.session.shrink_core(&self.store, &candidates, &limits);
            self.shrunk = true;
        }
        Ok(())
    }

    fn core(&mut self) -> Result<String, &'static str> {
        if !self.settings.cores {
            return Err("set :produce-unsat-cores before");
        }
        self.shrink()?;
        let core = self.session.core().unwrap_or_default();
        Ok(text::list(core.iter().filter_map(|&index| self.labels.get(index)?.name.as_deref())))
    }

    fn failed_assumptions(&mut self) -> Result<String, &'static str> {
        if !self.settings.unsat_assumptions {
            return Err("set :produce-unsat-assumptions before");
        }
        self.shrink()?;
        let failed: BTreeSet<usize> = self.session.failed_assumptions().unwrap_or_default().into_iter().collect();
        Ok(text::list(failed.iter().filter_map(|&index| Some(self.assumptions.get(index)?.text.as_str()))))
    }
}
