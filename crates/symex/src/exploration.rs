//! What symbolic execution found: executions of sites, ends of paths, calls of library functions.

use labrys_interp::Stop;
use labrys_program::{FloatCall, FunctionId, LocationId};
use labrys_term::TermId;

use crate::{Cut, Site, SiteExecution, StopReason};

/// The end of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEnd {
    /// When inputs take this path: a Bool term over Float terms.
    pub condition: TermId,
    /// Why it ended.
    pub why: StopReason,
    /// One term per leaf of the signature's output record (Float, or BitVec as wide as the leaf), where it returned.
    pub result: Option<Vec<TermId>>,
    /// For each leaf of the result whether poison or undef can reach it.
    pub is_tainted: Vec<bool>,
    /// Instructions executed from the entry on.
    pub instructions: u64,
}

/// A call of a library function that no term expresses: its result is a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryCall {
    /// The variable. Equal calls (function, operands) have the same one, in all explorations of one store.
    pub variable: TermId,
    /// What is called: an elementary function, ldexp or frexp.
    pub call: FloatCall,
    /// The operands.
    pub operands: Vec<TermId>,
    /// What is known of the result, as a Bool term.
    pub fact: Option<TermId>,
    /// Where it stands in the source.
    pub location: Option<LocationId>,
}

/// A loop that was not followed further than the bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopCut {
    /// Symbol of the IR function it stands in.
    pub function: String,
    /// Where its header stands in the source, where debug information says so.
    pub location: Option<LocationId>,
    /// How many paths ended there.
    pub paths: usize,
}

/// A call that a path came to ([`crate::Options::until`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The function that is called.
    pub function: FunctionId,
    /// When inputs take the path to it.
    pub path: TermId,
    /// One for each parameter of the IR function: its scalar as a Float or BitVec term; `None` for pointers, for what has several
    /// scalars, and for what poison may reach.
    pub arguments: Vec<Option<TermId>>,
}

/// The result of an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exploration {
    /// Executions of floating-point operations. What paths share, before they part, is listed once; within a path they
    /// stand in program order.
    pub executions: Vec<SiteExecution>,
    /// The paths. Their conditions exclude one another; together they cover all inputs that were not ruled out.
    pub paths: Vec<PathEnd>,
    /// Calls of library functions without a model, each (function, operands) once.
    pub library_calls: Vec<LibraryCall>,
    /// The calls that were looked for, in the order in which paths came to them.
    pub arrivals: Vec<Arrival>,
    /// The loops that the bound cut, in order of first appearance.
    pub loop_cuts: Vec<LoopCut>,
    /// What the paths that were left early might still have executed, one for each reason, in order of first appearance.
    pub cuts: Vec<Cut>,
    /// Whether some path asked for memory. Those on which there is none are not among the paths.
    pub allocates: bool,
    /// Instructions executed in all.
    pub instructions: u64,
    /// Choices that the feasibility oracle ruled out.
    pub ruled_out: usize,
}

impl Exploration {
    /// Whether every path returned, or could not reach an open site any more: the executions of sites that are open are
    /// all there are.
    pub fn is_complete(&self) -> bool {
        self.paths.iter().all(|path| matches!(path.why, StopReason::Returned | StopReason::NothingOpen))
    }

    /// Whether only loop bounds cut paths: the executions are all there are within the bound.
    pub fn is_complete_within_bound(&self) -> bool {
        let is_followed = |why: &StopReason| {
            matches!(why, StopReason::Returned | StopReason::NothingOpen | StopReason::Stopped(Stop::LoopBound))
        };
        self.paths.iter().all(|path| is_followed(&path.why))
    }

    /// Why executions of a site may be missing; none if all are there, whatever else was cut. Sites that were not wanted
    /// ([`crate::Options::wanted`]) may be missing without a reason.
    pub fn cuts_before<'a>(&'a self, site: &'a Site) -> impl Iterator<Item = &'a StopReason> {
        self.cuts.iter().filter(|cut| cut.may_reach(site)).map(|cut| &cut.why)
    }

    /// How often paths ended for each reason, in order of first appearance.
    pub fn stops(&self) -> Vec<(StopReason, usize)> {
        let mut stops: Vec<(StopReason, usize)> = Vec::new();
        for path in &self.paths {
            match stops.iter_mut().find(|(why, _)| *why == path.why) {
                Some((_, count)) => *count += 1,
                None => stops.push((path.why.clone(), 1)),
            }
        }
        stops
    }
}
