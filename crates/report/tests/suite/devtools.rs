//! A headless Chromium, driven by the DevTools protocol over a pipe: JSON messages with a zero byte behind each.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

/// How long a page may take until something that is waited for is so.
const PATIENCE: Duration = Duration::from_secs(20);
/// Executables that can do it, and the variable that names another one.
const BROWSERS: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
const VARIABLE: &str = "LABRYS_CHROMIUM";

/// A browser with one page.
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    /// What the page complained of: messages on the console, exceptions, violations of its policy.
    pub complaints: Vec<String>,
}

/// The browser's executable.
fn executable() -> String {
    if let Ok(named) = std::env::var(VARIABLE) {
        return named;
    }
    let works = |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = BROWSERS.iter().find(works);
    found.map(|name| (*name).to_owned()).unwrap_or_else(|| {
        panic!("no Chromium found: install Debian's chromium-headless-shell (scripts/setup.sh does), or name one in {VARIABLE}")
    })
}

impl Browser {
    /// Starts one; `profile` is a folder of its own.
    pub fn start(profile: &Path) -> Browser {
        // The protocol's pipe is descriptors 3 and 4; the shell moves its standard ones there.
        let mut process = Command::new("sh")
            .arg("-c")
            .arg("exec \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null")
            .arg("sh")
            .arg(executable())
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let to = process.stdin.take().expect("a pipe");
        let from = BufReader::new(process.stdout.take().expect("a pipe"));
        let mut browser = Browser { process, to, from, session: None, sent: 0, complaints: Vec::new() };
        let target = browser.send("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.send("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            browser.send(domain, json!({}));
        }
        browser
    }

    /// A command's result.
    pub fn send(&mut self, method: &str, parameters: Json) -> Json {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        self.to.write_all(&bytes).expect("the browser runs");
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).expect("the browser answers");
            assert_eq!(answer.pop(), Some(0), "the browser ended at {method}");
            let answer: Json = serde_json::from_slice(&answer).expect("JSON");
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
            let event = answer["method"].as_str().unwrap_or_default();
            if ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"].contains(&event) {
                self.complaints.push(answer["params"].to_string());
            }
        }
    }

    /// Opens a file in a window of this size; `fragment` goes behind the address' `#`.
    pub fn open(&mut self, page: &Path, fragment: &str, width: u32, scheme: &str) {
        let metrics = json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        self.send("Emulation.setDeviceMetricsOverride", metrics);
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.send("Emulation.setEmulatedMedia", json!({"features": [feature]}));
        // From another document, so that the page is loaded again.
        self.send("Page.navigate", json!({"url": "about:blank"}));
        let address = format!("file://{}#{fragment}", page.display());
        self.send("Page.navigate", json!({"url": address}));
        self.wait("document.readyState === 'complete' && document.querySelector('#shown, #problem') !== null");
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Json {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.send("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        while self.evaluate(expression) != true {
            assert!(begun.elapsed() < PATIENCE, "never true: {expression}\n{:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The processor time that the browser's processes have had so far, in seconds: on a machine that does nothing else, what it
    /// computes takes no longer than that.
    pub fn processor_seconds(&self) -> f64 {
        // Linux counts in hundredths of a second for everybody (USER_HZ).
        const TICKS: f64 = 100.0;
        let mut processes: Vec<(u32, u32, u64)> = Vec::new();
        for entry in std::fs::read_dir("/proc").expect("Linux").flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let Ok(text) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
            // Behind the name, which stands in parentheses: state, parent, ...; the twelfth and thirteenth are times.
            let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
            let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
            processes.push((pid, number(1) as u32, number(11) + number(12)));
        }
        let mut ours = vec![self.process.id()];
        let mut at = 0;
        while let Some(&parent) = ours.get(at) {
            ours.extend(processes.iter().filter(|(_, of, _)| *of == parent).map(|(pid, ..)| *pid));
            at += 1;
        }
        let ticks: u64 = processes.iter().filter(|(pid, ..)| ours.contains(pid)).map(|(_, _, ticks)| ticks).sum();
        ticks as f64 / TICKS
    }

    /// Types a text where the focus is.
    pub fn insert(&mut self, text: &str) {
        self.send("Input.insertText", json!({"text": text}));
    }

    /// Presses a key; `text` is what it types, if anything.
    pub fn press(&mut self, key: &str, code: u32, text: &str) {
        let down = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": text});
        self.send("Input.dispatchKeyEvent", down);
        self.send("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its helpers end with it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
