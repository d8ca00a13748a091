//! What tests of findings run: the program, built so that a run shows what goes wrong.

use std::path::Path;

use labrys_native::Sanitizers;
use labrys_report::{ViolationClass, ViolationDetails};

use super::building::{self, BuiltProgram};
use super::property::Property;
use super::reproduce::way_build;
use super::request::Request;
use crate::AnalysisError;
use crate::run::clock::Clock;
use crate::whole::commands::TestBuild;

/// What a build must have for a run to show an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Way {
    /// Address and undefined-behaviour sanitizers.
    Address,
    /// The same, and memory that is lost is an error.
    Leaks,
    /// Memory sanitizer.
    Memory,
}

impl Way {
    /// That of a kind of error.
    pub(crate) fn of(kind: ViolationClass) -> Way {
        match kind {
            ViolationClass::Uninitialised => Way::Memory,
            ViolationClass::Leak => Way::Leaks,
            _ => Way::Address,
        }
    }

    /// Flags with which a run shows an error of a program that is asked for the request's properties.
    pub(super) fn flags(self, request: &Request) -> String {
        let asks = |property| request.properties.contains(&property);
        let sanitizers = match self {
            Way::Memory => Sanitizers::Memory,
            Way::Address | Way::Leaks => Sanitizers::Address {
                types: true,
                shift: asks(Property::Shift),
                signed_overflow: asks(Property::SignedOverflow),
                traps: false,
            },
        };
        self.flags_of(sanitizers)
    }

    /// Flags for these sanitizers.
    pub(super) fn flags_of(self, sanitizers: Sanitizers) -> String {
        let leaks = if self == Way::Leaks { " -DLABRYS_LEAKS" } else { "" };
        let flags = sanitizers.instrumentation().flags.join(" ");
        format!("-g {flags} -fno-omit-frame-pointer{leaks}")
    }

    /// The folder of its tests.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Way::Address => "address",
            Way::Leaks => "leaks",
            Way::Memory => "memory",
        }
    }
}

/// A program with findings.
pub(crate) struct Tested<'a> {
    request: &'a Request,
    built: BuiltProgram,
}

impl<'a> Tested<'a> {
    /// The request's program.
    ///
    /// # Errors
    ///
    /// Where it cannot be built.
    pub(crate) fn new(request: &'a Request, folder: &Path, clock: &Clock) -> Result<Tested<'a>, AnalysisError> {
        Ok(Tested { request, built: building::build(request, folder, clock)? })
    }

    /// Why no test can show a finding, if none can.
    pub(crate) fn test_obstacle(&self, details: &ViolationDetails) -> Option<&'static str> {
        let is_called = self.built.calling.is_some().then_some("the program is entered at another function than main");
        self.built.finding_obstacle(details).or(is_called)
    }

    /// How it is built for tests of findings.
    pub(crate) fn build(&self, way: Way) -> TestBuild {
        TestBuild { headers: Some("include"), ..way_build(self.request, &self.built, way) }
    }
}
