//! Runs the golden requests in `fixtures/http` with the client. A scripted server sends the golden answers; the client
//! must send exactly the golden requests, and read the answers completely. vitest checks the same files against the real
//! runtime.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use support::client_builder;
use support::scripted_server::{Received, Reply, ScriptedServer, answer};
use workflow_execution_service::{
    Client, Error, ExecutionFilter, Page, Result, StartOptions, TriggerList, UsageGrouping, UsageQuery,
};

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
    Workspace,
    UpdateWorkspace,
    ListTokens,
    CreateToken,
    RevokeToken(String),
    Environment(String),
    ChangeEnvironment(String),
    Triggers(String),
    ReplaceTriggers(String),
    FireTrigger(String, String),
    ProgramTriggers(String),
    Usage,
    Plan,
    Invoices,
    UpcomingInvoice,
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
    assert_eq!(spoken.len(), 30, "the fixtures contain every call, not only {spoken:?}");
}

/// The headers that belong to a call.
const SENT_BY_CLIENTS: [&str; 4] = ["x-service-project-id", "idempotency-key", "prefer", "if-match"];

/// `None` for requests that the client does not make: other routes, broken bodies, reading a result without waiting for
/// it.
fn call_for(exchange: &Exchange) -> Option<Call> {
    let GoldenRequest {
        method,
        path,
        headers,
        body,
        ..
    } = &exchange.request;
    let unusual = exchange.request.text.is_some()
        || exchange.request.filler_bytes.is_some()
        || headers.keys().any(|name| !SENT_BY_CLIENTS.contains(&name.as_str()));
    if unusual {
        return None;
    }
    let path = path.split('?').next().unwrap_or_default();
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
        _ => hosted_call_for(method, &segments, body.is_some()),
    }
}

fn hosted_call_for(method: &str, segments: &[&str], has_body: bool) -> Option<Call> {
    match (method, segments) {
        ("GET", ["workspaces", "current"]) => Some(Call::Workspace),
        ("PATCH", ["workspaces", "current"]) if has_body => Some(Call::UpdateWorkspace),
        ("GET", ["workspaces", "current", "tokens"]) => Some(Call::ListTokens),
        ("POST", ["workspaces", "current", "tokens"]) if has_body => Some(Call::CreateToken),
        ("DELETE", ["workspaces", "current", "tokens", id]) => Some(Call::RevokeToken((*id).to_owned())),
        ("GET", ["projects", id, "environment"]) => Some(Call::Environment((*id).to_owned())),
        ("PUT", ["projects", id, "environment"]) if has_body => Some(Call::ChangeEnvironment((*id).to_owned())),
        ("GET", ["projects", id, "triggers"]) => Some(Call::Triggers((*id).to_owned())),
        ("PUT", ["projects", id, "triggers"]) if has_body => Some(Call::ReplaceTriggers((*id).to_owned())),
        ("POST", ["projects", project, "triggers", id, "fire"]) if has_body => {
            Some(Call::FireTrigger((*project).to_owned(), (*id).to_owned()))
        }
        ("GET", ["programs", id, "triggers"]) => Some(Call::ProgramTriggers((*id).to_owned())),
        ("GET", ["usage"]) => Some(Call::Usage),
        ("GET", ["billing", "plan"]) => Some(Call::Plan),
        ("GET", ["billing", "invoices"]) => Some(Call::Invoices),
        ("GET", ["billing", "invoices", "upcoming"]) => Some(Call::UpcomingInvoice),
        _ => None,
    }
}

/// The differences to the golden request and answer.
async fn play(call: &Call, exchange: &Exchange) -> Vec<String> {
    let golden = exchange.answer.clone();
    let server = ScriptedServer::start(move |_, _| reply(&golden));
    let mut builder = client_builder(&server.url).max_retries(0);
    builder = match header(&exchange.request, "x-service-project-id") {
        Some(id) if exchange.request.path.contains(&format!("/projects/{id}/")) => {
            builder.project_id("prj_of_the_client")
        }
        Some(id) => builder.project_id(id),
        None => builder,
    };
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
        Call::ListExecutions => match filter_of(&request.path) {
            Some(filter) => whole(client.executions().list_matching(&filter, page).await),
            None => whole(client.executions().list(page).await),
        },
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
            // The service is to answer within the last second.
            let handle = client
                .executions()
                .handle(id)
                .with_timeout(Duration::from_secs(seconds + 1));
            handle.result().await.map(|result| json!({ "result": result }))
        }
        _ => make_hosted(call, client, request, body).await,
    }
}

async fn make_hosted(call: &Call, client: &Client, request: &GoldenRequest, body: Value) -> Result<Value> {
    let page = page_of(&request.path);
    match call {
        Call::Workspace => whole(client.workspace().await),
        Call::UpdateWorkspace => whole(client.update_workspace(body).await),
        Call::ListTokens => whole(client.tokens().list(page).await),
        Call::CreateToken => whole(client.tokens().create(body).await),
        Call::RevokeToken(id) => whole(client.tokens().revoke(id).await),
        Call::Environment(project) => whole(client.environment().list(project).await),
        Call::ChangeEnvironment(project) => whole(client.environment().change(project, body).await),
        Call::Triggers(project) => triggers(client.triggers().list(project).await),
        Call::ReplaceTriggers(project) => {
            let new = body["triggers"].as_array().unwrap();
            triggers(match header(request, "if-match") {
                Some(etag) => client.triggers().replace_if_match(project, new, etag).await,
                None => client.triggers().replace(project, new).await,
            })
        }
        Call::FireTrigger(project, id) => whole(match body.get("input") {
            Some(input) => client.triggers().fire(project, id, input).await,
            None => client.triggers().fire(project, id, ()).await,
        }),
        Call::ProgramTriggers(id) => whole(client.triggers().of_program(id).await),
        Call::Usage => whole(client.usage(usage_query(&request.path)).await),
        Call::Plan => whole(client.billing().plan().await),
        Call::Invoices => whole(client.billing().invoices(page).await),
        Call::UpcomingInvoice => whole(client.billing().upcoming_invoice().await),
        _ => panic!("{call:?} is not of the hosted service alone"),
    }
}

/// The list as its answer has it, with the header.
fn triggers(outcome: Result<TriggerList>) -> Result<Value> {
    outcome.map(|list| json!({ "items": list.items, "nextCursor": null, "etag": list.etag }))
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

/// The query's names and decoded values.
fn query_of(path: &str) -> Vec<(String, String)> {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let decoded = |text: &str| percent_decode_str(text).decode_utf8().unwrap().into_owned();
    pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn page_of(path: &str) -> Option<Page> {
    let query = query_of(path);
    let member = |name: &str| {
        let found = query.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.to_owned())
    };
    (!query.is_empty()).then(|| Page {
        limit: member("limit").map(|limit| limit.parse().unwrap()),
        cursor: member("cursor"),
    })
}

fn filter_of(path: &str) -> Option<ExecutionFilter> {
    let mut filter = ExecutionFilter::new();
    for (name, value) in query_of(path) {
        filter = match name.as_str() {
            "limit" | "cursor" => filter,
            "status" => filter.status(value.into()),
            "notStatus" => filter.not_status(value.into()),
            "programId" => filter.program(&value),
            "version" => filter.version(value.parse().unwrap()),
            "q" => filter.text(&value),
            "label" => filter.label(&value),
            "waitingKind" => filter.waiting_kind(&value),
            "waitingName" => filter.waiting_name(&value),
            "errorFingerprint" => filter.error_fingerprint(&value),
            "triggerId" => filter.trigger(&value),
            "againOf" => filter.again_of(&value),
            _ => panic!("the fixtures have a new filter: {name}"),
        };
    }
    (filter != ExecutionFilter::new()).then_some(filter)
}

fn usage_query(path: &str) -> UsageQuery {
    let mut query = UsageQuery::new();
    for (name, value) in query_of(path) {
        query = match name.as_str() {
            "from" => query.from(value),
            "to" => query.to(value),
            _ => query.group_by(UsageGrouping::from(value)),
        };
    }
    query
}

fn request_differences(golden: &GoldenRequest, actual: &Received) -> Vec<String> {
    let mut found = Vec::new();
    let mut compare = |what: &str, golden: String, actual: String| {
        if golden != actual {
            found.push(format!("{what}: {actual} instead of {golden}"));
        }
    };
    compare("method", golden.method.clone(), actual.method.clone());
    compare("path", in_order(&golden.path), in_order(&actual.target));
    for name in SENT_BY_CLIENTS {
        let expected = header(golden, name);
        compare(name, format!("{expected:?}"), format!("{:?}", actual.header(name)));
    }
    let body = (!actual.body.is_empty()).then(|| actual.json());
    compare("body", format!("{:?}", golden.body), format!("{body:?}"));
    found
}

/// The path with its query sorted: the order of its members is not part of a request's meaning.
fn in_order(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else {
        return path.to_owned();
    };
    let mut pairs: Vec<&str> = query.split('&').collect();
    pairs.sort_unstable();
    format!("{path}?{}", pairs.join("&"))
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
        Call::Triggers(_) | Call::ReplaceTriggers(_) => {
            let mut list = body.clone();
            list["etag"] = golden.headers["etag"].clone();
            list
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
