//! `labrys slurm`: a library run as jobs of Slurm, and how far they are.

mod scripts;
mod status;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use anyhow::{Context, Result, bail};
use clap::Parser;
use labrys_program::CompilationDatabase;
use labrys_report::{shell_word, visible, write_whole};

use self::scripts::{Campaign, scripts};
use super::made_folders;
use super::output::{tell, write_out};
use super::run_options::Asked;
use crate::args::{Cli, Command, SlurmArgs};
use crate::usage_words;

/// What can be run in parts.
const ANALYSES: [&str; 3] = ["diff", "exceptions", "accuracy"];

/// The options of `slurm` that have a value.
const WITH_VALUES: [&str; 6] = ["--tasks", "--time", "--restarts", "--sbatch", "-o", "--output"];

/// Runs the command; its exit code.
pub fn run(arguments: &SlurmArgs) -> Result<u8> {
    // Behind the analysis' name they are its words to clap.
    let asks_help = |word: &String| word == "--help" || word == "-h";
    if arguments.words.iter().take_while(|word| *word != "--").any(asks_help) {
        return help(&arguments.words[0]);
    }
    if arguments.words.first().is_some_and(|word| word == "status") {
        let [_, folder] = &arguments.words[..] else {
            bail!("status needs the folder of a campaign: labrys slurm status DIR")
        };
        return status::show(Path::new(folder));
    }
    let (own, analysis) = parted(&arguments.words);
    if let Some(other) = analysis.first().filter(|word| !word.starts_with('-') && !ANALYSES.contains(&word.as_str())) {
        bail!("`{other}` is no analysis of a library: slurm takes {}, and status DIR", ANALYSES.join(", "));
    }
    let before = std::env::args().skip(2).take_while(|word| Some(word) != arguments.words.first());
    let words = ["labrys", "slurm"].map(str::to_owned).into_iter().chain(before).chain(own);
    let words = words.chain(analysis.first().cloned());
    let arguments = match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Slurm(arguments)) => arguments,
        Ok(_) => bail!("an analysis of a library is needed: {}", ANALYSES.join(", ")),
        Err(error) => bail!("{}", usage_words(&error)),
    };
    let Some(output) = arguments.output.clone() else {
        bail!("-o names the folder of the campaign, which all nodes see")
    };
    let campaign = campaign(&arguments, &analysis, &output)?;
    write(&campaign, &output)?;
    if arguments.submit { submit(&output) } else { told(&output) }
}

/// What stands behind `slurm` and is asked to explain itself.
fn help(word: &str) -> Result<u8> {
    let of = if ANALYSES.contains(&word) {
        format!("the options of the analysis: labrys {word} --help; those of slurm: labrys slurm --help")
    } else {
        "labrys slurm status DIR says how far each shard of the campaign in DIR is; labrys slurm --help".to_owned()
    };
    write_out(&format!("{of}\n"))?;
    Ok(0)
}

/// The options of `slurm` among the words of an analysis, and the rest.
fn parted(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut own, mut rest) = (Vec::new(), Vec::new());
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split_once('=').map_or(word.as_str(), |(name, _)| name);
        if word == "--" {
            rest.push(word.clone());
            rest.extend(words.by_ref().cloned());
        } else if word == "--submit" || (WITH_VALUES.contains(&name) && name != word) {
            own.push(word.clone());
        } else if WITH_VALUES.contains(&name) {
            own.push(word.clone());
            own.extend(words.next().cloned());
        } else {
            rest.push(word.clone());
        }
    }
    (own, rest)
}

/// The options of sbatch that the campaign itself says, by their names, long and short.
const OWN: [(&str, &str); 12] = [
    ("--array", "-a"),
    ("--output", "-o"),
    ("--chdir", "-D"),
    ("--dependency", "-d"),
    ("--ntasks", "-n"),
    ("--cpus-per-task", "-c"),
    ("--nodes", "-N"),
    ("--wrap", ""),
    ("--parsable", ""),
    ("--open-mode", ""),
    ("--no-requeue", ""),
    ("--kill-on-invalid-dep", ""),
];

/// Why a word is no further option for sbatch, if it is none. The campaign's signal may be said otherwise: it comes with a time.
fn no_option(word: &str) -> Option<String> {
    let shown = visible(word);
    let name = word.split(['=', ' ', '\t']).next().unwrap_or_default();
    let is_long = name.len() > 3 && name.starts_with("--");
    let is_short = name.len() > 1 && name.starts_with('-') && !name.starts_with("--");
    if !(is_long || is_short) {
        return Some(format!("--sbatch={shown} is no option of sbatch: write --sbatch=--comment=x"));
    }
    // sbatch takes long names that are cut short, and values that stand behind short ones.
    let is_own = |(long, short): &&(&str, &str)| {
        if is_long {
            long.starts_with(name) && name.len() > 4 || *long == name
        } else {
            !short.is_empty() && name.starts_with(short)
        }
    };
    let (own, _) = OWN.iter().find(is_own)?;
    Some(format!("--sbatch={shown}: the campaign says {own} itself"))
}

/// What is to be run, once the analysis' own words are understood.
fn campaign(arguments: &SlurmArgs, analysis: &[String], output: &Path) -> Result<Campaign> {
    let mut command = vec!["labrys".to_owned()];
    command.extend(analysis.iter().cloned());
    let of_shard = with_options(&command, &["--shard".to_owned(), "1/1".to_owned(), "-o".to_owned(), "out".to_owned()]);
    let cli = Cli::try_parse_from(&of_shard)
        .map_err(|error| anyhow::anyhow!("labrys {}: {}", analysis.join(" "), usage_words(&error)))?;
    let asked = || Asked { command: of_shard.clone(), ..Asked::by_user() };
    // What is refused there is better known before anything is submitted.
    let (schedule, run, asks_callers) = match &cli.command {
        Command::Diff(of) => super::diff::resolve(of, asked()).map(|of| (of.schedule, of.run, false))?,
        Command::Exceptions(of) => super::exceptions::resolve(of, asked()).map(|of| (of.schedule, of.run, true))?,
        Command::Accuracy(of) => super::accuracy::resolve(of, asked()).map(|of| (of.schedule, of.run, false))?,
        _ => bail!("an analysis of a library is needed: {}", ANALYSES.join(", ")),
    };
    let folder = std::env::current_dir().context("cannot find the current folder")?;
    let logs = std::path::absolute(output).unwrap_or_else(|_| output.to_owned()).display().to_string();
    if logs.contains(['%', '\\']) {
        bail!(
            "{}: of % and \\ in the name of a log Slurm makes something of its own: choose another folder",
            visible(&logs)
        );
    }
    let in_lines = [logs, folder.display().to_string()];
    if let Some(of) = in_lines.iter().chain(&arguments.sbatch).find(|text| text.contains(['\n', '\r'])) {
        bail!("{}: what has a line break does not fit into a line for sbatch", visible(of));
    }
    if let Some(why) = arguments.sbatch.iter().find_map(|option| no_option(option)) {
        bail!("{why}");
    }
    if let Some(database) = &run.database {
        CompilationDatabase::load(database)?.sources()?;
    }
    Ok(Campaign {
        program: std::env::current_exe().context("cannot find labrys' own executable")?,
        command: analysis.to_vec(),
        folder,
        output: output.to_owned(),
        tasks: arguments.tasks,
        jobs: schedule.jobs,
        time: arguments.time,
        restarts: arguments.restarts,
        options: arguments.sbatch.clone(),
        asks_callers,
    })
}

/// A command with further options, which stand before flags of compilers.
fn with_options(command: &[String], options: &[String]) -> Vec<String> {
    let at = command.iter().position(|word| word == "--").unwrap_or(command.len());
    let mut words = command.to_vec();
    words.splice(at..at, options.iter().cloned());
    words
}

/// Writes the scripts.
fn write(campaign: &Campaign, output: &Path) -> Result<()> {
    made_folders::probe(&output.join("logs"))?;
    for (name, text) in scripts(campaign)? {
        let path = output.join(name);
        write_whole(&path, text.as_bytes())?;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, mode).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn submit_file(output: &Path) -> PathBuf {
    output.join("submit.sh")
}

fn told(output: &Path) -> Result<u8> {
    write_out(&format!(
        "{} submits the jobs; labrys slurm status {} then shows how far they are\n",
        word(&submit_file(output)),
        word(output)
    ))?;
    Ok(0)
}

/// A path in a command that is to be pasted.
fn word(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// Submits the jobs.
fn submit(output: &Path) -> Result<u8> {
    let file = submit_file(output);
    let run = Process::new("sh").arg(&file).output().with_context(|| format!("cannot run {}", file.display()))?;
    if !run.status.success() {
        let said = String::from_utf8_lossy(&run.stderr);
        bail!("{} failed: {}", file.display(), said.lines().last().unwrap_or("it said nothing"));
    }
    write_out(&String::from_utf8_lossy(&run.stdout))?;
    tell(&format!("labrys: labrys slurm status {} shows how far they are", word(output)));
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_are_taken_out_wherever_they_stand() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let (own, rest) =
            parted(&words("exceptions -p b --tasks 64 --entry e* --time=2h -o out --submit --max-work 5 -- --time 3"));
        assert_eq!(own, words("--tasks 64 --time=2h -o out --submit"));
        assert_eq!(rest, words("exceptions -p b --entry e* --max-work 5 -- --time 3"));
    }
}
