//! Peers that are processes of their own: each answers one line of JSON for every line it reads.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::peer::{Peer, Result, State};

/// Folder of what cargo and its helpers compile.
pub fn target_folder() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    chosen.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"))
}

/// A solver in a process of its own, with a scene loaded.
pub struct Process {
    child: Child,
    /// `None` once its input is closed.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

/// The answer to `frames`.
#[derive(Deserialize)]
struct Frames {
    seconds: f64,
}

impl Process {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().ok_or("the process has no output")?);
        Ok(Self { child, input, output })
    }

    /// Writes a line that is not answered.
    pub fn tell(&mut self, line: &str) -> Result<()> {
        Ok(writeln!(self.input.as_mut().ok_or("the process has no input")?, "{line}")?)
    }

    fn ask<T: DeserializeOwned>(&mut self, question: &str) -> Result<T> {
        self.tell(question)?;
        let mut answer = String::new();
        self.output.read_line(&mut answer)?;
        if answer.is_empty() {
            return Err("the process ended early; what it said is above".into());
        }
        Ok(serde_json::from_str(&answer)?)
    }
}

impl Peer for Process {
    fn frames(&mut self, count: u32) -> Result<Duration> {
        let frames: Frames = self.ask(&format!("frames {count}"))?;
        Ok(Duration::try_from_secs_f64(frames.seconds)?)
    }

    fn state(&mut self) -> Result<State> {
        self.ask("state")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends the process. Its exit status is ignored.
        self.input = None;
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_ends_early_is_an_error() {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        let mut process = Process::start(command.arg("--list")).expect("it starts");
        assert!(process.frames(1).is_err(), "a list of tests is no time");
    }
}
