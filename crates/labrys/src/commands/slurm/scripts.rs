//! The scripts of a campaign.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, anyhow};

use super::with_options;

/// What is to be run.
pub struct Campaign {
    /// labrys' executable.
    pub program: PathBuf,
    /// The analysis and its options, without those of a part.
    pub command: Vec<String>,
    /// Where it runs.
    pub folder: PathBuf,
    /// The folder of everything that is written.
    pub output: PathBuf,
    /// How many parts there are.
    pub tasks: u32,
    /// How many processors each has.
    pub jobs: usize,
    /// How long a task may run.
    pub time: Option<Duration>,
    /// How often a task is queued again.
    pub restarts: u32,
    /// Further options of every job.
    pub options: Vec<String>,
    /// Whether callers are asked, in an array of their own.
    pub asks_callers: bool,
}

/// The longest that a task needs to stop and say so.
const STOPPING: Duration = Duration::from_secs(120);

/// What ends a task, in every script of an array. A process that was killed, by whomever, may have a better lot elsewhere; one that ended by itself with
/// an error would only do so again.
const QUEUED_AGAIN: &str = r#"
again() {
    if [ "${SLURM_RESTART_COUNT:-0}" -ge "$restarts" ]; then
        echo "labrys: $1, and the task was queued again $restarts times: it is left"
        exit 1
    fi
    echo "labrys: $1: the task is queued again, and goes on where it was"
    # This ends the task, script and all.
    scontrol requeue "$SLURM_JOB_ID" && sleep 600
    exit 1
}

late=
trap 'late=1; kill -TERM "$run" 2>/dev/null' USR1
"${words[@]}" &
run=$!
wait "$run"
code=$?
# A trap ends a wait, not what is waited for.
while [ -n "$late" ] && kill -0 "$run" 2>/dev/null; do
    wait "$run"
    code=$?
done
if [ -n "$late" ] && [ "$code" -ne 0 ] && [ "$code" -ne 2 ]; then again "the task's time is nearly over"; fi
if [ "$code" -gt 128 ]; then again "labrys was ended by signal $((code - 128))"; fi
exit "$code"
"#;

/// The names and texts of all scripts.
pub fn scripts(campaign: &Campaign) -> Result<Vec<(&'static str, String)>> {
    let output = &campaign.output;
    let count = campaign.tasks;
    let products = ["--products".to_owned(), shown(&output.join("build"))];
    let folder = |name: &str| shown(&output.join(name));
    let built = [vec!["--shard".to_owned(), format!("0/{count}"), "-o".to_owned(), shown(output)]].concat();
    let build = format!("{}\"${{words[@]}}\"\n", campaign.head("build", None, &campaign.words(&built, &[])?));
    // The task's number is the shell's to fill in.
    let part = |name: &str| {
        let number = ["--shard".to_owned(), format!("@/{count}"), "-o".to_owned(), format!("{}-@", folder(name))];
        [&number[..], &products].concat()
    };
    let gathered: Vec<String> =
        (1..=count).flat_map(|shard| ["--gather".to_owned(), format!("{}-{shard}", folder("shard"))]).collect();
    let array = |name: &str, options: &[String]| -> Result<String> {
        let words = campaign.words(options, &["$SLURM_ARRAY_TASK_ID"])?;
        let head = campaign.head(name, Some(count), &words);
        Ok(format!("{head}restarts={}\n{QUEUED_AGAIN}", campaign.restarts))
    };
    let functions = array("functions", &part("shard"))?;
    let callers = array("callers", &[part("asked"), gathered].concat())?;
    let asked = if campaign.asks_callers { " \"$out\"/asked-*" } else { "" };
    let program = quoted(&shown(&campaign.program))?;
    let merge = format!(
        "{}out={}\n# What is not there is no folder of a shard.\nshopt -s nullglob\n{program} merge --trust \"$out\"/shard-*{asked} -o \"$out\" --format text > \"$out\"/report.txt\n\
         # Findings are no failure of the job.\ncode=$?\necho \"labrys merge ended with $code\"\nif [ \"$code\" -eq 2 ]; then exit 2; fi\n",
        campaign.head("merge", None, "words=()"),
        quoted(&shown(output))?,
    );
    let mut scripts = vec![("build.sbatch", build), ("functions.sbatch", functions), ("merge.sbatch", merge)];
    if campaign.asks_callers {
        scripts.push(("callers.sbatch", callers));
    }
    scripts.push(("submit.sh", campaign.submission()?));
    Ok(scripts)
}

/// An option of sbatch as one word of a script's line, where it would be several: `--comment=a b`. What its own quotation marks make one word stays.
fn one_word(option: &str) -> String {
    let Some((name, value)) = option.split_once('=').filter(|(name, _)| name.starts_with("--")) else {
        return option.to_owned();
    };
    let splits = |c: char| c.is_whitespace() || "#;&|<>()$`*?".contains(c);
    let has_quotes = value.contains(['"', '\'', '\\']);
    let is_quoted = has_quotes && shlex::split(value).is_some_and(|words| words.len() == 1);
    if name.contains(char::is_whitespace) || is_quoted || !(has_quotes || value.contains(splits)) {
        return option.to_owned();
    }
    format!("{name}={}", in_quotes(value))
}

/// A value of an option of sbatch in quotation marks.
fn in_quotes(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A path as the value of an option of sbatch.
fn path_value(path: &Path) -> String {
    in_quotes(&shown(path))
}

impl Campaign {
    /// A script's beginning: what Slurm is told of it, and the command as a shell's array.
    fn head(&self, name: &str, tasks: Option<u32>, words: &str) -> String {
        let output = absolute(&self.output);
        let mut head = format!("#!/bin/bash\n# Written by labrys slurm.\n#SBATCH --job-name=labrys-{name}\n");
        let mut option = |text: String| head.push_str(&format!("#SBATCH {text}\n"));
        let log = if tasks.is_some() { format!("{name}-%a") } else { name.to_owned() };
        option(format!("--output={}", path_value(&output.join(format!("logs/{log}.log")))));
        option("--open-mode=append".to_owned());
        option("--requeue".to_owned());
        option("--nodes=1".to_owned());
        option("--ntasks=1".to_owned());
        option(format!("--cpus-per-task={}", self.jobs));
        option(format!("--chdir={}", path_value(&self.folder)));
        if let Some(tasks) = tasks {
            option(format!("--array=1-{tasks}"));
            if let Some(time) = self.time {
                option(format!("--time={}", slurm_time(time)));
                option(format!("--signal=B:USR1@{}", STOPPING.min(time / 4).as_secs().max(1)));
            }
        }
        self.options.iter().for_each(|text| option(one_word(text)));
        head.push_str(&format!("\n{words}\n"));
        head
    }

    /// The command with these options as a shell's array; each `@` of the options is `number`, if there is one.
    fn words(&self, options: &[String], number: &[&str]) -> Result<String> {
        let program = shown(&self.program);
        let marked: Vec<String> = options.iter().map(|text| format!("\u{0}{text}")).collect();
        let mut words = vec![program];
        words.extend(with_options(&self.command, &marked));
        let of = |word: &String| -> Result<String> {
            let Some(option) = word.strip_prefix('\u{0}') else { return quoted(word) };
            match number {
                [number] if option.contains('@') => {
                    let parts: Result<Vec<String>> = option
                        .split('@')
                        .map(|part| if part.is_empty() { Ok(String::new()) } else { quoted(part) })
                        .collect();
                    Ok(parts?.join(&format!("\"{number}\"")))
                }
                _ => quoted(option),
            }
        };
        let words: Result<Vec<String>> = words.iter().map(of).collect();
        Ok(format!("words=({})", words?.join(" ")))
    }

    /// What submits everything, each job after the one before.
    fn submission(&self) -> Result<String> {
        let output = quoted(&absolute(&self.output).display().to_string())?;
        let mut text = format!(
            "#!/bin/sh\n# Written by labrys slurm: submits the jobs of this campaign, each after the one before. Run again, it goes on with what is missing.\n\
             set -eu\nout={output}\n\
             submit() {{ id=$(sbatch --parsable \"$@\") && echo \"${{id%%;*}}\"; }}\n\
             build=$(submit \"$out\"/build.sbatch)\n\
             functions=$(submit --dependency=\"afterok:$build\" --kill-on-invalid-dep=yes \"$out\"/functions.sbatch)\n\
             last=$functions\n"
        );
        let mut told = "build $build, functions $functions".to_owned();
        if self.asks_callers {
            text.push_str(
                "callers=$(submit --dependency=\"afterok:$functions\" --kill-on-invalid-dep=yes \"$out\"/callers.sbatch)\nlast=$callers\n",
            );
            told.push_str(", callers $callers");
        }
        text.push_str(
            "# Whatever became of these: the merge says what is missing.\n\
             merge=$(submit --dependency=\"afterany:$last\" \"$out\"/merge.sbatch)\n",
        );
        text.push_str(&format!("echo \"jobs: {told}, merge $merge\"\n"));
        Ok(text)
    }
}

/// A time as Slurm takes it, in whole minutes: the least that it counts.
fn slurm_time(time: Duration) -> String {
    let minutes = time.as_secs().div_ceil(60).max(1);
    format!("{}-{:02}:{:02}:00", minutes / 1440, minutes / 60 % 24, minutes % 60)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A word as a shell takes it.
fn quoted(word: &str) -> Result<String> {
    shlex::try_quote(word)
        .map(|word| word.into_owned())
        .map_err(|_| anyhow!("a word with a null byte fits in no script"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_minutes() {
        let of = |seconds| slurm_time(Duration::from_secs(seconds));
        assert_eq!([of(1), of(60), of(61), of(7200)], ["0-00:01:00", "0-00:01:00", "0-00:02:00", "0-02:00:00"]);
        assert_eq!(of(2 * 86_400 + 3_600), "2-01:00:00");
    }

    #[test]
    fn scripts_are_shell() {
        let words = |text: &str| text.split('|').map(str::to_owned).collect();
        let campaign = Campaign {
            program: "/opt/my labrys/labrys".into(),
            command: words("exceptions|-p|a b|--entry|gsl_'*|--|-DX=@"),
            folder: "/tmp".into(),
            output: "out 1".into(),
            tasks: 3,
            jobs: 2,
            time: Some(Duration::from_secs(600)),
            restarts: 5,
            options: vec!["--partition=long".to_owned()],
            asks_callers: true,
        };
        let all = scripts(&campaign).expect("scripts");
        assert_eq!(all.len(), 5);
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in &all {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("writable");
            let checked = std::process::Command::new("bash").arg("-n").arg(&path).status().expect("bash");
            assert!(checked.success(), "{text}");
        }
        let functions = &all.iter().find(|(name, _)| *name == "functions.sbatch").expect("there").1;
        // What the shell makes of the words.
        let line = functions.lines().find(|line| line.starts_with("words=(")).expect("words");
        let echoed = std::process::Command::new("bash")
            .env("SLURM_ARRAY_TASK_ID", "2")
            .args(["-c", &format!("{line}; printf '%s|' \"${{words[@]}}\"")])
            .output()
            .expect("bash");
        let expected = "/opt/my labrys/labrys|exceptions|-p|a b|--entry|gsl_'*|--shard|2/3|-o|out 1/shard-2|--products|out 1/build|--|-DX=@|";
        assert_eq!(String::from_utf8_lossy(&echoed.stdout), expected);
        assert!(functions.contains("#SBATCH --array=1-3\n#SBATCH --time=0-00:10:00\n#SBATCH --signal=B:USR1@120\n"));
    }

    /// A folder with quotation marks ended the option.
    #[test]
    fn folders_stay_one_word() {
        assert_eq!(path_value(Path::new("/a b/\"x\\y\"")), r#""/a b/\"x\\y\"""#);
    }

    /// sbatch took what stood behind the first blank for options, or nothing at all.
    #[test]
    fn options_of_sbatch_stay_one_word() {
        let words =
            ["--comment=a b;c", "--partition=long", "--comment=\"a b\"", "-p long", "--exclusive"].map(one_word);
        assert_eq!(words, ["--comment=\"a b;c\"", "--partition=long", "--comment=\"a b\"", "-p long", "--exclusive"]);
        assert_eq!(
            ["--comment=Ada's", "--comment=\"a\" b"].map(one_word),
            ["--comment=\"Ada's\"", "--comment=\"\\\"a\\\" b\""]
        );
    }
}
