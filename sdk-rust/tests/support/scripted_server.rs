//! A real HTTP server that sends the answers of a test, and records the requests.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

#[derive(Debug, Clone)]
pub struct Received {
    pub method: String,
    /// The path and query, unchanged.
    pub target: String,
    /// With lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }
}

pub enum Reply {
    Answer(Answer),
    /// Sends these bytes, and closes the connection.
    Raw(Vec<u8>),
    /// Answers after a delay.
    Late(Duration, Answer),
}

pub struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

pub fn answer(status: u16, body: impl Into<Vec<u8>>) -> Answer {
    Answer {
        status,
        headers: Vec::new(),
        body: body.into(),
    }
}

pub fn json(status: u16, body: &Value) -> Reply {
    answer(status, body.to_string())
        .header("content-type", "application/json")
        .into()
}

pub fn refusal(status: u16, code: &str, message: &str) -> Reply {
    json(
        status,
        &serde_json::json!({ "error": { "code": code, "message": message } }),
    )
}

impl Answer {
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut head = format!(
            "HTTP/1.1 {} Scripted\r\ncontent-length: {}\r\n",
            self.status,
            self.body.len()
        );
        for (name, value) in &self.headers {
            write!(head, "{name}: {value}\r\n").unwrap();
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self::Answer(answer)
    }
}

pub struct ScriptedServer {
    pub url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

type Script = dyn Fn(&Received, usize) -> Reply + Send + Sync;

impl ScriptedServer {
    /// The script gets each request and the number of earlier ones.
    pub fn start(script: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(TcpListener::bind("127.0.0.1:0").unwrap(), script)
    }

    pub fn listen(listener: TcpListener, script: impl Fn(&Received, usize) -> Reply + Send + Sync + 'static) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (script, seen): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&received));
        thread::spawn(move || {
            for connection in listener.incoming() {
                let (script, seen) = (Arc::clone(&script), Arc::clone(&seen));
                thread::spawn(move || serve(connection.unwrap(), &*script, &seen));
            }
        });
        Self { url, received }
    }

    /// Always answers the same.
    pub fn answering(status: u16, body: Value) -> Self {
        Self::start(move |_, _| json(status, &body))
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub fn lines(&self) -> Vec<String> {
        self.received().iter().map(Received::line).collect()
    }
}

fn serve(connection: TcpStream, script: &Script, seen: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut writer = connection;
    while let Some(request) = read_request(&mut reader) {
        let count = {
            let mut seen = seen.lock().unwrap();
            seen.push(request.clone());
            seen.len() - 1
        };
        let written = match script(&request, count) {
            Reply::Answer(answer) => writer.write_all(&answer.bytes()),
            Reply::Late(pause, answer) => {
                thread::sleep(pause);
                writer.write_all(&answer.bytes())
            }
            Reply::Raw(bytes) => {
                let _ = writer.write_all(&bytes);
                return;
            }
        };
        if written.is_err() {
            return;
        }
    }
}

fn read_request(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let (method, rest) = line.trim_end().split_once(' ')?;
    let (target, _) = rest.split_once(' ')?;
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let mut received = Received {
        method: method.to_owned(),
        target: target.to_owned(),
        headers,
        body: Vec::new(),
    };
    let length = received
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    received.body = vec![0; length];
    reader.read_exact(&mut received.body).ok()?;
    Some(received)
}
