//! Runs the golden requests in `fixtures/http` with the client. A scripted server sends the golden answers; the client
//! must send exactly the golden requests, and read the answers completely. vitest checks the same files against the real
//! runtime.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use support::client_builder;
use support::scripted_server::{Received, Reply, ScriptedServer, answer};
use workflow_execution_service::{Client, Error, Page, Result, StartOptions};

#[derive(Deserialize)]
struct Conversation {
    exchanges: Vec<Exchange>,
}

#[derive(Deserialize)]
struct Exchange {
    name: String,
    request: GoldenRequest,
    answer: GoldenAnswer,
}

#[derive(Deserialize, Clone)]
#[serde(rename_all = "camelCase")]
struct GoldenRequest {
    method: String,
    path: String,
    #[serde(default)]
    headers: Map<String, Value>,
    body: Option<Value>,
    text: Option<String>,
    filler_bytes: Option<u64>,
}

#[derive(Deserialize, Clone)]
struct GoldenAnswer {
    status: u16,
    #[serde(default)]
    headers: Map<String, Value>,
    #[serde(default)]
    body: Value,
}

/// The call of the client that sends a golden request.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Clone)]
enum Call {
    WhoAmI,
    ListProjects,
    CreateProject,
    Deploy,
    ListPrograms,
    GetProgram(String),
    Versions(String),
    DeleteVersion(String, u64),
    Start,
    ListExecutions,
    GetExecution(String),
    History(String),
    Send(String),
    Cancel(String),
    Result(String, u64),
}

#[tokio::test]
async fn the_client_sends_every_golden_request() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/http");
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    let mut spoken = BTreeSet::new();
    let mut failures = Vec::new();
    for file in files {
        let conversation: Conversation = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        for exchange in conversation.exchanges {
            let Some(call) = call_for(&exchange) else { continue };
            let place = format!("{}: {}", file.file_name().unwrap().to_string_lossy(), exchange.name);
            failures.extend(
                play(&call, &exchange)
                    .await
                    .iter()
                    .map(|failure| format!("{place}: {failure}")),
            );
            spoken.insert(format!("{call:?}").split('(').next().unwrap().to_owned());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert_eq!(spoken.len(), 15, "the fixtures contain every call, not only {spoken:?}");
}

/// `None` for requests that the client does not make: other routes, list filters, broken bodies, reading a result
/// without waiting for it.
fn call_for(exchange: &Exchange) -> Option<Call> {
    let GoldenRequest {
        method,
        path,
        headers,
        body,
        ..
    } = &exchange.request;
    let sent_by_clients = ["x-service-project-id", "idempotency-key", "prefer"];
    let unusual = exchange.request.text.is_some()
        || exchange.request.filler_bytes.is_some()
        || headers.keys().any(|name| !sent_by_clients.contains(&name.as_str()));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let filtered = query
        .split('&')
        .any(|pair| !matches!(pair.split('=').next(), Some("" | "limit" | "cursor")));
    if unusual || filtered {
        return None;
    }
    let members = |known: &[&str]| {
        let members = body.as_ref().and_then(Value::as_object);
        members
            .is_some_and(|body| body.contains_key(known[0]) && body.keys().all(|name| known.contains(&name.as_str())))
    };
    let segments: Vec<&str> = path.strip_prefix("/v1/")?.split('/').collect();
    match (method.as_str(), &segments[..]) {
        ("GET", ["whoami"]) => Some(Call::WhoAmI),
        ("GET", ["projects"]) => Some(Call::ListProjects),
        ("POST", ["projects"]) if body.is_some() => Some(Call::CreateProject),
        ("POST", ["programs", "deploy"]) if body.is_some() => Some(Call::Deploy),
        ("GET", ["programs"]) => Some(Call::ListPrograms),
        ("GET", ["programs", id]) => Some(Call::GetProgram((*id).to_owned())),
        ("GET", ["programs", id, "versions"]) => Some(Call::Versions((*id).to_owned())),
        ("DELETE", ["programs", id, "versions", number]) => {
            Some(Call::DeleteVersion((*id).to_owned(), number.parse().ok()?))
        }
        ("POST", ["executions"])
            if members(&["programId", "input", "version", "againOf"]) && !headers.contains_key("prefer") =>
        {
            Some(Call::Start)
        }
        ("GET", ["executions"]) => Some(Call::ListExecutions),
        ("GET", ["executions", "counts"]) => None,
        ("GET", ["executions", id]) => Some(Call::GetExecution((*id).to_owned())),
        ("GET", ["executions", id, "history"]) => Some(Call::History((*id).to_owned())),
        ("POST", ["executions", id, "events"]) if members(&["name", "payload"]) => Some(Call::Send((*id).to_owned())),
        ("POST", ["executions", id, "cancel"]) if body.is_none() => Some(Call::Cancel((*id).to_owned())),
        ("GET", ["executions", id, "result"]) => {
            let seconds = headers.get("prefer")?.as_str()?.strip_prefix("wait=")?.parse().ok()?;
            (seconds > 0).then(|| Call::Result((*id).to_owned(), seconds))
        }
        _ => None,
    }
}

/// The differences to the golden request and answer.
async fn play(call: &Call, exchange: &Exchange) -> Vec<String> {
    let golden = exchange.answer.clone();
    let server = ScriptedServer::start(move |_, _| reply(&golden));
    let mut builder = client_builder(&server.url);
    if let Some(id) = header(&exchange.request, "x-service-project-id") {
        builder = builder.project_id(id);
    }
    let outcome = make(call, &builder.build().unwrap(), &exchange.request).await;
    let received = server.received();
    let mut failures = Vec::new();
    match &received[..] {
        [request] => failures.extend(request_differences(&exchange.request, request)),
        _ => failures.push(format!("{} requests instead of one", received.len())),
    }
    let (expected, actual) = (expected_outcome(call, &exchange.answer), actual_outcome(outcome));
    if expected != actual {
        failures.push(format!("the client returned\n{actual}\ninstead of\n{expected}"));
    }
    failures
}

fn reply(golden: &GoldenAnswer) -> Reply {
    if golden.body.is_null() {
        return answer(golden.status, "").into();
    }
    let mut reply = answer(golden.status, golden.body.to_string()).header("content-type", "application/json");
    for (name, value) in &golden.headers {
        let name: &'static str = name.clone().leak();
        reply = reply.header(name, value.as_str().unwrap());
    }
    reply.into()
}

async fn make(call: &Call, client: &Client, request: &GoldenRequest) -> Result<Value> {
    let body = request.body.clone().unwrap_or_default();
    let page = page_of(&request.path);
    match call {
        Call::WhoAmI => whole(client.whoami().await),
        Call::ListProjects => whole(client.projects().list().await),
        Call::CreateProject => whole(client.projects().create(body).await),
        Call::Deploy => whole(client.deploy(body).await),
        Call::ListPrograms => whole(client.programs().list(page).await),
        Call::GetProgram(id) => whole(client.programs().get(id).await),
        Call::Versions(id) => whole(client.programs().versions(id, page).await),
        Call::DeleteVersion(id, number) => whole(client.programs().delete_version(id, *number).await),
        Call::ListExecutions => whole(client.executions().list(page).await),
        Call::GetExecution(id) => whole(client.executions().get(id).await),
        Call::History(id) => whole(client.executions().history(id, page).await),
        Call::Cancel(id) => whole(client.executions().handle(id).cancel().await),
        Call::Send(id) => {
            let (handle, name) = (client.executions().handle(id), body["name"].as_str().unwrap());
            match (header(request, "idempotency-key"), body.get("payload")) {
                (Some(key), Some(payload)) => whole(handle.send_with_key(name, payload, key).await),
                (Some(key), None) => whole(handle.send_with_key(name, (), key).await),
                (None, Some(payload)) => whole(handle.send(name, payload).await),
                (None, None) => whole(handle.send(name, ()).await),
            }
        }
        Call::Start => start(client, request, &body).await.map(|id| json!({ "id": id })),
        Call::Result(id, seconds) => {
            let handle = client
                .executions()
                .handle(id)
                .with_timeout(Duration::from_secs(*seconds));
            handle.result().await.map(|result| json!({ "result": result }))
        }
    }
}

async fn start(client: &Client, request: &GoldenRequest, body: &Value) -> Result<String> {
    let mut options = StartOptions::new();
    if let Some(number) = body.get("version") {
        options = options.version(number.as_u64().unwrap());
    }
    if let Some(id) = body.get("againOf") {
        options = options.again_of(id.as_str().unwrap());
    }
    if let Some(key) = header(request, "idempotency-key") {
        options = options.idempotency_key(key);
    }
    let (executions, program) = (client.executions(), body["programId"].as_str().unwrap());
    let handle = match body.get("input") {
        Some(input) => executions.start_with(program, input, options).await?,
        None => executions.start_with(program, (), options).await?,
    };
    Ok(handle.id().to_owned())
}

fn whole<T: Serialize>(outcome: Result<T>) -> Result<Value> {
    outcome.map(|model| serde_json::to_value(model).unwrap())
}

fn header<'a>(request: &'a GoldenRequest, name: &str) -> Option<&'a str> {
    request.headers.get(name).and_then(Value::as_str)
}

fn page_of(path: &str) -> Option<Page> {
    let (_, query) = path.split_once('?')?;
    let member = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.to_owned())
    };
    Some(Page {
        limit: member("limit").map(|limit| limit.parse().unwrap()),
        cursor: member("cursor"),
    })
}

fn request_differences(golden: &GoldenRequest, actual: &Received) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, golden: String, actual: String| {
        if golden != actual {
            found.push(format!("{what}: {actual} instead of {golden}"));
        }
    };
    compare("line", format!("{} {}", golden.method, golden.path), actual.line());
    for name in ["x-service-project-id", "idempotency-key", "prefer"] {
        let expected = header(golden, name);
        compare(name, format!("{expected:?}"), format!("{:?}", actual.header(name)));
    }
    let body = (!actual.body.is_empty()).then(|| actual.json());
    compare("body", format!("{:?}", golden.body), format!("{body:?}"));
    found
}

/// The outcome as JSON: the client's result, or its error.
fn expected_outcome(call: &Call, golden: &GoldenAnswer) -> Value {
    let body = &golden.body;
    if golden.status >= 300 {
        let retry_after = golden
            .headers
            .get("retry-after")
            .map(|value| value.as_str().unwrap().parse::<u64>().unwrap());
        return json!({ "status": golden.status, "error": body["error"], "retryAfter": retry_after });
    }
    match call {
        Call::Start => json!({ "id": body["id"] }),
        Call::Result(..) if body["status"] == "completed" => json!({ "result": body["result"] }),
        Call::Result(..) => {
            json!({ "code": format!("execution_{}", body["status"].as_str().unwrap()), "error": body["error"] })
        }
        _ => without_empty_declarations(body.clone()),
    }
}

fn actual_outcome(outcome: Result<Value>) -> Value {
    match outcome {
        Ok(value) => value,
        Err(Error::Api {
            status,
            code,
            message,
            retry_after,
            ..
        }) => json!({
            "status": status,
            "error": { "code": code, "message": message },
            "retryAfter": retry_after.map(|pause| pause.as_secs()),
        }),
        Err(error) => json!({ "code": error.code(), "error": error.execution_error() }),
    }
}

/// The client does not distinguish missing and empty declarations.
fn without_empty_declarations(mut value: Value) -> Value {
    match &mut value {
        Value::Object(members) => {
            if let Some(Value::Object(manifest)) = members.get_mut("manifest") {
                manifest.retain(|_, declarations| declarations.as_array().is_none_or(|list| !list.is_empty()));
            }
            for member in members.values_mut() {
                *member = without_empty_declarations(member.take());
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| *item = without_empty_declarations(item.take())),
        _ => {}
    }
    value
}
