//! Resolves the arguments that analyses have in common.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use labrys_analysis::{BuildRequest, CampaignOptions, Missing, RunOptions, ScheduleOptions, Subject, TracingChoice};
use labrys_float::Flags;
use labrys_fuzz::InputClass;
use labrys_program::Origin;

use crate::args::{BuildArgs, Inputs, RunArgs, ScheduleArgs, Tracing};

/// What is asked for, and by whom.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The command line.
    pub command: Vec<String>,
    /// Who wrote it.
    pub origin: Origin,
}

impl Asked {
    /// What the user typed.
    pub fn by_user() -> Asked {
        Asked { command: std::env::args().collect(), origin: Origin::User }
    }
}

/// The bounds of a run, whose defaults each command has for itself.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// A bound on everything.
    pub time: Option<Duration>,
    /// A bound on inputs run, for each function.
    pub max_work: u64,
}

/// Fills in every default.
pub fn run_options(
    arguments: &RunArgs,
    Asked { command, origin }: Asked,
    watched: Flags,
    limits: RunLimits,
) -> Result<RunOptions> {
    Ok(RunOptions {
        command: shown_command(command),
        origin,
        input: None,
        function: arguments.function.clone(),
        of_crate: None,
        common_flags: arguments.common_flags.clone(),
        link: arguments.link.clone(),
        database: arguments.database.clone(),
        signature: arguments.signature.clone(),
        lengths: arguments.length.clone(),
        assumptions: arguments.assume.clone(),
        ranges: arguments.range.clone(),
        given: arguments.input.clone(),
        inputs: arguments.inputs.into(),
        watched,
        tracing: match arguments.tracing {
            Tracing::Auto => TracingChoice::Automatic,
            Tracing::Trap => TracingChoice::Trap,
            Tracing::Step => TracingChoice::Step,
            Tracing::Interpreter => TracingChoice::Interpreter,
        },
        time: limits.time,
        max_work: limits.max_work,
        seed: arguments.seed,
        output: arguments.output.clone(),
        dump_queries: arguments.dump_queries.clone(),
        loop_bound: arguments.loop_bound,
        max_paths: arguments.max_paths,
        second_opinion: arguments.second_opinion.clone(),
        plants_wrong_proofs: false,
        call_timeout: arguments.call_timeout,
        worker: worker_command(origin)?,
    })
}

/// The build that is analysed by a command of this name.
pub fn build_request(arguments: &BuildArgs, command: &str) -> Result<BuildRequest> {
    let subject = match (&arguments.file, &arguments.run.database) {
        (Some(_), _) if !arguments.entry.is_empty() => {
            bail!("--entry names functions of a library: give -p without a FILE, or -f with one")
        }
        (Some(_), _) if arguments.schedule.shard.is_some() => {
            bail!("--shard is for a run over a library: -p without a FILE")
        }
        (Some(file), _) => Subject::Source(file.clone()),
        (None, Some(_)) if arguments.run.function.is_some() => {
            bail!("-f names the function of a FILE; for a library give --entry")
        }
        (None, Some(database)) => Subject::Library { database: database.clone(), entries: arguments.entry.clone() },
        (None, None) => bail!("{command} needs a FILE, or a library with -p; see labrys {command} --help"),
    };
    Ok(BuildRequest { subject, flags: arguments.flags.clone(), init: arguments.init.clone() })
}

impl From<Inputs> for InputClass {
    fn from(inputs: Inputs) -> InputClass {
        match inputs {
            Inputs::All => InputClass::All,
            Inputs::Finite => InputClass::Finite,
        }
    }
}

impl From<&ScheduleArgs> for ScheduleOptions {
    fn from(arguments: &ScheduleArgs) -> ScheduleOptions {
        let jobs = usize::try_from(arguments.jobs).unwrap_or(1);
        let campaign = CampaignOptions {
            shard: arguments.shard,
            gathered: arguments.gather.clone(),
            // What a part gathers it does not work out itself.
            missing: Missing::Refuse,
            missing_answers: Missing::Run,
            products: arguments.products.clone(),
            balance: arguments.balance.clone(),
        };
        ScheduleOptions { function_time: arguments.function_time, jobs, campaign }
    }
}

/// The command line as a user would repeat it: the program by its name, `labrys cargo` as `cargo labrys`. [`crate::args::Cli::of_report`]
/// reads it.
pub(super) fn shown_command(mut command: Vec<String>) -> Vec<String> {
    if let Some(first) = command.first_mut() {
        *first = "labrys".to_owned();
    }
    if command.get(1).is_some_and(|word| word == "cargo") {
        command.swap(0, 1);
    }
    command
}

/// Whether whatever a command line names may be run.
pub(super) fn is_trusted(origin: Origin) -> bool {
    matches!(origin, Origin::User | Origin::Report { trusted: true, .. })
}

/// The command that becomes a program that is run on recorded inputs.
pub(super) fn launcher(origin: Origin) -> Result<Vec<std::ffi::OsString>> {
    let program = std::env::current_exe().context("cannot find labrys' own executable")?;
    let mode = if is_trusted(origin) { "open" } else { "confined" };
    Ok(vec![program.into_os_string(), "__replay".into(), mode.into()])
}

/// The command that runs a worker process: this program and a hidden subcommand.
pub(super) fn worker_command(origin: Origin) -> Result<Vec<std::ffi::OsString>> {
    let program = std::env::current_exe().context("cannot find labrys' own executable")?;
    let subcommand = if is_trusted(origin) { "__worker" } else { "__confined" };
    Ok(vec![program.into_os_string(), subcommand.into()])
}
