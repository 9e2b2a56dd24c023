//! Runs the real local runtime with `wes dev`, or with `WES_LIVE_HOME=hosted` the hosted service with `wes serve`.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Once, Weak, mpsc};
use std::time::Duration;

const START_LIMIT: Duration = Duration::from_secs(60);

/// Whether the tests call the hosted service.
pub fn is_hosted() -> bool {
    std::env::var("WES_LIVE_HOME").is_ok_and(|home| home == "hosted")
}

/// The tokens of the hosted services that run, with their URLs.
static TOKENS: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());

/// Of the service at this URL; `None` for a local runtime.
pub fn token_of(url: &str) -> Option<String> {
    let tokens = TOKENS.lock().unwrap();
    tokens.iter().find(|(of, _)| of == url).map(|(_, token)| token.clone())
}

pub struct Runtime {
    pub url: String,
    port: u16,
    folder: PathBuf,
    child: Mutex<Option<Child>>,
}

/// The runtime that tests share while any of them uses it; `None`, with a message, if it cannot be started.
pub fn shared_runtime() -> Option<Arc<Runtime>> {
    static SHARED: Mutex<Weak<Runtime>> = Mutex::new(Weak::new());
    if !can_be_started() {
        return None;
    }
    // A test that failed to start it reports that; the next one tries again.
    let mut shared = SHARED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let runtime = shared.upgrade().unwrap_or_else(|| Arc::new(Runtime::start()));
    *shared = Arc::downgrade(&runtime);
    Some(runtime)
}

/// A runtime for one test.
pub fn own_runtime() -> Option<Runtime> {
    can_be_started().then(Runtime::start)
}

fn can_be_started() -> bool {
    let missing: Vec<PathBuf> = [node(), main()].into_iter().filter(|path| !path.exists()).collect();
    if missing.is_empty() {
        return true;
    }
    let message =
        format!("SKIPPED: this test needs the local runtime, and there is no {missing:?}: run `npm ci` first\n");
    let in_ci = std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"));
    assert!(!in_ci, "{message}");
    // Not with a macro, because their output is shown for failed tests only.
    std::io::stderr().write_all(message.as_bytes()).unwrap();
    false
}

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn node() -> PathBuf {
    repository().join("node_modules/.bin/node")
}

fn main() -> PathBuf {
    repository().join("src-cli/wes.mjs")
}

impl Runtime {
    fn start() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "wes-rust-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("project")).unwrap();
        let (child, port, token) = spawn(&folder, 0);
        let url = format!("http://127.0.0.1:{port}");
        if let Some(token) = token {
            TOKENS.lock().unwrap().push((url.clone(), token));
        }
        Self {
            url,
            port,
            folder,
            child: Mutex::new(Some(child)),
        }
    }

    /// Kills it like a power failure.
    pub fn kill(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// Stops it as a user would, so that nothing writes to its folder any more.
    fn stop(&self) {
        if let Some(mut child) = self.child.lock().unwrap().take() {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
    }

    /// With the same port and data.
    pub fn start_again(&self) {
        self.kill();
        let (child, port, _) = spawn(&self.folder, self.port);
        assert_eq!(port, self.port);
        *self.child.lock().unwrap() = Some(child);
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        if is_hosted() {
            self.stop();
        }
        self.kill();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The first command after a change of the sources builds a bundle. That must not count as the runtime's start, and
/// concurrent tests must not all do it.
fn bundle_once() {
    static BUNDLED: Once = Once::new();
    BUNDLED.call_once(|| {
        let status = Command::new(node())
            .arg(main())
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success());
    });
}

/// Returns when it accepts requests, with its port, and a token where it makes one. Port 0 selects a free one.
fn spawn(folder: &Path, port: u16) -> (Child, u16, Option<String>) {
    bundle_once();
    let mut command = Command::new(node());
    command
        .arg(main())
        .arg(if is_hosted() { "serve" } else { "dev" })
        .args(["--port", &port.to_string(), "--data-dir"])
        .arg(folder.join("data"));
    if is_hosted() {
        command.args(["--hooks-port", "0", "--unsafe-effects"]);
    } else {
        command.arg("--project").arg(folder.join("project"));
    }
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, printed) = mpsc::channel();
    // Reads all output, so that the runtime can always write.
    std::thread::spawn(move || {
        for line in stdout.lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    let after = |prefix: &str| {
        std::iter::from_fn(|| printed.recv_timeout(START_LIMIT).ok())
            .find_map(|line| line.strip_prefix(prefix).map(str::to_owned))
    };
    let ready = after("ready http://localhost:").and_then(|port| port.parse().ok());
    let Some(ready) = ready else {
        let _ = child.kill();
        panic!("the runtime did not become ready: {:?}", child.wait());
    };
    // Only its first start makes a token.
    let token = if is_hosted() && port == 0 {
        after("token ")
    } else {
        None
    };
    (child, ready, token)
}
