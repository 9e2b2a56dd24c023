//! What the client sends, and what it makes of every kind of answer, against a real server that follows a script.

mod support;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use support::scripted_server::{Received, Reply, ScriptedServer, answer, json, refusal};
use support::{client, client_builder};
use workflow_execution_service::{
    Client, Error, ExecutionStatus, HistoryEntryType, Page, ProjectDescription, StartOptions, Waiting,
};

const ID: &str = "exe_01jcx3b8e0e0t9qv2m5k7w4z6n";
const AT: &str = "2026-11-20T12:00:00.000Z";

fn version() -> Value {
    json!({
        "id": "ver_1", "programId": "hello", "number": 1, "digest": "00", "origin": "upload", "hasEffects": false,
        "runnable": true, "manifest": {}, "createdAt": AT,
    })
}

fn program() -> Value {
    json!({
        "id": "hello", "projectId": "default", "latestVersion": version(), "runnable": true, "createdAt": AT,
        "updatedAt": AT,
    })
}

fn execution(status: &str) -> Value {
    json!({
        "id": ID, "projectId": "default", "programId": "hello", "versionId": "ver_1", "versionNumber": 1,
        "status": status, "createdAt": AT, "waitingFor": [],
    })
}

fn list(items: &[Value]) -> Value {
    json!({ "items": items, "nextCursor": null })
}

/// What the service would answer, roughly.
fn service() -> ScriptedServer {
    ScriptedServer::start(|request, _| {
        let path = request.target.split('?').next().unwrap();
        let (status, body) = match (request.method.as_str(), path) {
            ("GET", "/v1/projects" | "/v1/programs" | "/v1/executions") => (200, list(&[])),
            ("POST", "/v1/projects") => (
                201,
                json!({ "id": "p", "name": "n", "isDefault": false, "createdAt": AT }),
            ),
            ("POST", "/v1/programs/deploy") => (201, program()),
            ("POST", "/v1/executions") => (201, execution("queued")),
            ("GET", path) if path.ends_with("/result") => (200, json!({ "status": "completed", "result": 1 })),
            ("GET", path) if path.ends_with("/history") || path.ends_with("/versions") => (200, list(&[])),
            ("GET", path) if path.starts_with("/v1/programs/") => (200, program()),
            ("GET", path) if path.starts_with("/v1/executions/") => (200, execution("running")),
            ("POST", path) if path.ends_with("/events") => (
                202,
                json!({ "id": "evt_1", "executionId": ID, "name": "n", "receivedAt": AT }),
            ),
            ("POST", path) if path.ends_with("/cancel") => (202, json!({ "id": ID, "status": "cancelling" })),
            ("GET", "/v1/whoami") => (
                200,
                json!({
                    "workspace": { "id": "wsp_1", "name": "Acme" },
                    "token": { "id": "tok_1", "name": "ci", "createdAt": AT },
                    "defaultProjectId": "default",
                }),
            ),
            _ => return refusal(404, "not_found", "no such route"),
        };
        json(status, &body)
    })
}

#[tokio::test]
async fn every_method_calls_its_route() {
    let server = service();
    let client = client(&server.url);
    let page = Some(Page {
        limit: Some(2),
        cursor: Some("a b".to_owned()),
    });

    client.whoami().await.unwrap();
    client.projects().list().await.unwrap();
    client
        .projects()
        .create(ProjectDescription::new("billing"))
        .await
        .unwrap();
    client.deploy(json!({ "id": "hello" })).await.unwrap();
    client.programs().list(None).await.unwrap();
    client.programs().list(page.clone()).await.unwrap();
    client.programs().get("hello").await.unwrap();
    client.programs().versions("hello", page.clone()).await.unwrap();
    client.executions().list(page.clone()).await.unwrap();
    client.executions().get(ID).await.unwrap();
    client.executions().history(ID, page).await.unwrap();
    let handle = client
        .executions()
        .start("hello", json!({ "name": "Ada" }))
        .await
        .unwrap();
    handle.send("approved", json!({ "by": "ada" })).await.unwrap();
    handle.cancel().await.unwrap();
    handle.result().await.unwrap();

    assert_eq!(handle.id(), ID);
    assert_eq!(
        server.lines(),
        [
            "GET /v1/whoami".to_owned(),
            "GET /v1/projects".to_owned(),
            "POST /v1/projects".to_owned(),
            "POST /v1/programs/deploy".to_owned(),
            "GET /v1/programs".to_owned(),
            "GET /v1/programs?limit=2&cursor=a%20b".to_owned(),
            "GET /v1/programs/hello".to_owned(),
            "GET /v1/programs/hello/versions?limit=2&cursor=a%20b".to_owned(),
            "GET /v1/executions?limit=2&cursor=a%20b".to_owned(),
            format!("GET /v1/executions/{ID}"),
            format!("GET /v1/executions/{ID}/history?limit=2&cursor=a%20b"),
            "POST /v1/executions".to_owned(),
            format!("POST /v1/executions/{ID}/events"),
            format!("POST /v1/executions/{ID}/cancel"),
            format!("GET /v1/executions/{ID}/result"),
        ]
    );
    let received = server.received();
    for request in &received {
        assert_eq!(request.header("accept"), Some("application/json"), "{}", request.line());
        let expected = (!request.body.is_empty()).then_some("application/json");
        assert_eq!(request.header("content-type"), expected, "{}", request.line());
        assert_eq!(request.header("authorization"), None);
        assert_eq!(request.header("x-service-project-id"), None);
    }
    let bodies: Vec<Value> = received
        .iter()
        .filter(|request| !request.body.is_empty())
        .map(Received::json)
        .collect();
    assert_eq!(
        bodies,
        [
            json!({ "name": "billing" }),
            json!({ "id": "hello" }),
            json!({ "programId": "hello", "input": { "name": "Ada" } }),
            json!({ "name": "approved", "payload": { "by": "ada" } }),
        ]
    );
    assert_eq!(received.last().unwrap().header("prefer"), Some("wait=50"));
}

#[tokio::test]
async fn token_and_project_are_sent_with_every_request() {
    let server = service();
    let builder = client_builder(&format!("{}/", server.url))
        .token("wes_secret")
        .project_id("billing");
    let client = builder.build().unwrap();
    client.whoami().await.unwrap();
    let handle = client.executions().start("hello", ()).await.unwrap();
    handle.result().await.unwrap();
    for request in server.received() {
        assert_eq!(request.header("authorization"), Some("Bearer wes_secret"));
        assert_eq!(request.header("x-service-project-id"), Some("billing"));
    }
}

#[tokio::test]
async fn a_path_in_the_address_is_kept_and_ids_are_percent_encoded() {
    let server = ScriptedServer::answering(200, program());
    client(&format!("{}/a/b/", server.url))
        .programs()
        .get("../x y?")
        .await
        .unwrap();
    assert_eq!(server.lines(), ["GET /a/b/v1/programs/..%2Fx%20y%3F"]);
    let error = client(&server.url).programs().get("..").await.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument { .. }));
    assert_eq!(server.lines().len(), 1, "nothing was sent");
}

#[tokio::test]
async fn inputs_and_payloads_are_sent_as_they_serialise_and_unit_is_left_out() {
    #[derive(Serialize)]
    struct Order<'a> {
        id: &'a str,
        note: Option<&'a str>,
    }
    let server = service();
    let client = client(&server.url);
    let executions = client.executions();
    executions.start("hello", ()).await.unwrap();
    executions.start("hello", Value::Null).await.unwrap();
    let handle = executions.start("hello", &Order { id: "7", note: None }).await.unwrap();
    handle.send("paid", ()).await.unwrap();
    handle.send("paid", 1.5).await.unwrap();
    handle.send("paid", "é").await.unwrap();
    let bodies: Vec<String> = server
        .received()
        .iter()
        .map(|r| String::from_utf8(r.body.clone()).unwrap())
        .collect();
    assert_eq!(
        bodies,
        [
            r#"{"programId":"hello"}"#,
            r#"{"programId":"hello","input":null}"#,
            r#"{"programId":"hello","input":{"id":"7","note":null}}"#,
            r#"{"name":"paid"}"#,
            r#"{"name":"paid","payload":1.5}"#,
            r#"{"name":"paid","payload":"é"}"#,
        ]
    );
}

#[tokio::test]
async fn a_start_takes_a_version_and_an_idempotency_key() {
    let server = service();
    let client = client(&server.url);
    let options = StartOptions::new().version(3).idempotency_key("order 4711");
    client.executions().start_with("hello", (), options).await.unwrap();
    client.executions().start("hello", ()).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].json(), json!({ "programId": "hello", "version": 3 }));
    assert_eq!(received[0].header("idempotency-key"), Some("order 4711"));
    assert_eq!(received[1].header("idempotency-key"), None);

    for key in ["", " a", "a\n", "a\r\nx-evil: 1"] {
        let options = StartOptions::new().idempotency_key(key);
        let error = client.executions().start_with("hello", (), options).await.unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{key:?}");
    }
    assert_eq!(server.lines().len(), 2, "nothing more was sent");
}

#[tokio::test]
async fn a_refusal_carries_status_code_and_message() {
    let server = ScriptedServer::start(|_, _| refusal(404, "program_not_found", "there is no Program \"x\""));
    let error = client(&server.url).programs().get("x").await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(404), "program_not_found"));
    assert_eq!(error.to_string(), "there is no Program \"x\" (404 program_not_found)");
}

#[tokio::test]
async fn a_refusal_that_is_not_the_services_gets_a_code_by_its_status() {
    for (status, body, code) in [
        (502, "<html>Bad gateway</html>", "unavailable"),
        (401, "", "unauthorized"),
        (418, "{}", "http_418"),
        (500, r#"{"error":"text"}"#, "internal"),
        (404, r#"{"error":{"code":"","message":""}}"#, "not_found"),
    ] {
        let server = ScriptedServer::start(move |_, _| answer(status, body).into());
        let error = client(&server.url).programs().list(None).await.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(status), code));
        assert!(error.to_string().contains("GET http://127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn how_long_to_wait_is_told_where_the_service_says_it() {
    let server = ScriptedServer::start(|_, _| answer(429, "{}").header("retry-after", "7").into());
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert!(
        matches!(error, Error::Api { retry_after: Some(pause), .. } if pause == Duration::from_secs(7)),
        "{error:?}"
    );
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = ScriptedServer::answering(200, list(&[]));
    let target = format!("{}/v1/programs", elsewhere.url);
    let server = ScriptedServer::start(move |_, _| answer(307, "").header("location", target.clone()).into());
    let client = client_builder(&server.url).token("wes_secret").build().unwrap();
    let error = client.programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(307), "http_307"));
    assert!(error.to_string().contains("redirects are not followed"), "{error}");
    assert_eq!(elsewhere.lines().len(), 0);
}

#[tokio::test]
async fn answers_of_another_server_are_told_apart_from_those_of_another_shape() {
    let server = ScriptedServer::start(|_, _| answer(200, "<html>").into());
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
    assert!(error.to_string().contains("is it the service's address?"), "{error}");

    let server = ScriptedServer::answering(200, json!({ "items": [{}] }));
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!(error.code(), "invalid_response");
    assert!(error.to_string().contains("missing field"), "{error}");
}

#[tokio::test]
async fn without_an_answer_the_error_says_what_happened() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = client(&format!("http://{port}"))
        .programs()
        .list(None)
        .await
        .unwrap_err();
    assert_eq!((error.status(), error.code()), (None, "network_error"));
    let text = error.to_string();
    assert!(
        text.contains(&format!("GET http://{port}/v1/programs got no answer")),
        "{text}"
    );
    assert!(text.to_lowercase().contains("refused"), "{text}");

    let broken = ScriptedServer::start(|_, _| Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec()));
    let error = client(&broken.url).programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (None, "network_error"));
}

#[tokio::test]
async fn a_request_ends_at_the_clients_timeout() {
    let server = ScriptedServer::start(|_, _| Reply::Late(Duration::from_secs(30), answer(200, "{}")));
    let client = client_builder(&server.url)
        .timeout(Duration::from_millis(100))
        .build()
        .unwrap();
    let begun = Instant::now();
    let error = client.programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (None, "request_timeout"));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn neither_errors_nor_debug_output_hold_the_token() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let builder = client_builder(&format!("http://{port}")).token("wes_secret");
    let built = format!("{builder:?}");
    let client = builder.build().unwrap();
    let error = client.programs().list(None).await.unwrap_err();
    let handle = client.executions().handle(ID);
    let (executions, stream) = (client.executions(), client.executions().stream(None));
    let shown = format!("{built} {client:?} {executions:?} {stream:?} {handle:?} {error} {error:?}");
    assert!(!shown.contains("wes_secret"), "{shown}");
    assert!(shown.contains(&port.to_string()));
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_not_used_again() {
    let server = ScriptedServer::start(|_, _| {
        let body = list(&[]).to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        Reply::Raw((head + &body).into_bytes())
    });
    let client = client(&server.url);
    for _ in 0..5 {
        client.programs().list(None).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(server.lines().len(), 5);
}

#[tokio::test]
async fn an_http_client_of_the_callers_is_used() {
    let server = service();
    let http = reqwest::Client::builder().user_agent("mine").build().unwrap();
    let client = client_builder(&server.url).http_client(http).build().unwrap();
    client.programs().list(None).await.unwrap();
    support::client(&server.url).programs().list(None).await.unwrap();
    let agents: Vec<String> = server
        .received()
        .iter()
        .map(|request| request.header("user-agent").unwrap().to_owned())
        .collect();
    assert_eq!(agents[0], "mine");
    assert!(agents[1].starts_with("workflow-execution-service-rust/"), "{agents:?}");
}

#[tokio::test]
async fn what_a_newer_service_adds_is_survived() {
    let mut body = execution("resting");
    body["somethingNew"] = json!({ "a": 1 });
    body["waitingFor"] = json!([
        { "kind": "moon", "phase": "full" },
        { "kind": "timer", "wakeAt": AT, "new": 1 },
        { "kind": "event", "name": "approved", "since": AT, "timeoutAt": AT },
        { "kind": "effect", "name": "charge", "attempt": 2 },
    ]);
    body["error"] = json!({ "code": "brand_new", "message": "m", "more": true });
    let server = ScriptedServer::answering(200, body);
    let execution = client(&server.url).executions().get(ID).await.unwrap();
    assert_eq!(execution.status, ExecutionStatus::Unknown("resting".to_owned()));
    assert_eq!(execution.error.unwrap().code, "brand_new");
    assert_eq!(
        execution.waiting_for[0],
        Waiting::Unknown(json!({ "kind": "moon", "phase": "full" }))
    );
    assert!(matches!(&execution.waiting_for[1], Waiting::Timer { wake_at, .. } if wake_at == AT));
    assert!(matches!(
        &execution.waiting_for[2],
        Waiting::Event {
            timeout_at: Some(_),
            ..
        }
    ));
    assert!(matches!(
        &execution.waiting_for[3],
        Waiting::Effect {
            attempt: 2,
            next_attempt_at: None,
            ..
        }
    ));

    let entry = json!({ "position": 1, "at": AT, "type": "moon_rose", "data": null });
    let server = ScriptedServer::answering(200, list(&[entry]));
    let history = client(&server.url).executions().history(ID, None).await.unwrap();
    assert_eq!(history.items[0].kind, HistoryEntryType::Unknown("moon_rose".to_owned()));
    assert_eq!(history.items[0].data, Some(Value::Null));
}

#[tokio::test]
async fn null_is_told_from_nothing() {
    let server = ScriptedServer::start(|_, count| {
        let mut body = execution("completed");
        if count == 0 {
            body["input"] = Value::Null;
        }
        json(200, &body)
    });
    let client = client(&server.url);
    assert_eq!(client.executions().get(ID).await.unwrap().input, Some(Value::Null));
    assert_eq!(client.executions().get(ID).await.unwrap().input, None);
}

#[tokio::test]
async fn one_hostile_message_does_not_hide_the_whole_list() {
    let mut failed = execution("failed");
    failed["error"] = json!({ "code": "program_error", "message": "MARK" });
    let body = list(&[execution("completed"), failed])
        .to_string()
        .replace("MARK", r"a\ud800b");
    let server = ScriptedServer::start(move |_, _| answer(200, body.clone()).into());
    let executions = client(&server.url).executions().list(None).await.unwrap();
    assert_eq!(executions.items[1].error.as_ref().unwrap().message, "a\u{fffd}b");
}

#[tokio::test]
async fn a_stream_walks_all_pages() {
    let server = ScriptedServer::start(|request, _| {
        let mut page = list(&[program(), program()]);
        if !request.target.contains("cursor=last") {
            page["nextCursor"] = json!(if request.target.contains("cursor") {
                "last"
            } else {
                "a/b"
            });
        }
        json(200, &page)
    });
    let mut programs = client(&server.url).programs().stream(Some(Page {
        limit: Some(2),
        cursor: None,
    }));
    let mut count = 0;
    while let Some(program) = programs.next().await {
        assert_eq!(program.unwrap().id, "hello");
        count += 1;
    }
    assert_eq!(count, 6);
    assert_eq!(
        server.lines(),
        [
            "GET /v1/programs?limit=2",
            "GET /v1/programs?limit=2&cursor=a%2Fb",
            "GET /v1/programs?limit=2&cursor=last"
        ]
    );
}

#[tokio::test]
async fn a_result_is_given_as_json_and_as_a_type_of_the_callers() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Receipt {
        receipt: String,
    }
    let server = ScriptedServer::answering(200, json!({ "status": "completed", "result": { "receipt": "r1" } }));
    let handle = client(&server.url).executions().handle(ID);
    assert_eq!(handle.result().await.unwrap(), json!({ "receipt": "r1" }));
    let receipt = handle.result_as::<Receipt>().await.unwrap();
    assert_eq!(receipt.receipt, "r1");
    let error = handle.result_as::<Vec<u8>>().await.unwrap_err();
    assert_eq!(error.code(), "invalid_response");
    assert!(error.to_string().contains("of another shape"), "{error}");

    let server = ScriptedServer::answering(200, json!({ "status": "completed" }));
    let handle = client(&server.url).executions().handle(ID);
    handle.result_as::<()>().await.unwrap();
    assert_eq!(handle.result_as::<Option<Receipt>>().await.unwrap(), None);
}

#[tokio::test]
async fn a_result_nested_as_deep_as_the_service_allows_arrives() {
    let nested = format!("{}1{}", "[".repeat(256), "]".repeat(256));
    let body = format!(r#"{{"status":"completed","result":{nested}}}"#);
    let server = ScriptedServer::start(move |_, _| answer(200, body.clone()).into());
    let result = tokio::spawn(async move { client(&server.url).executions().handle(ID).result().await });
    assert_eq!(result.await.unwrap().unwrap().to_string(), nested);
}

#[tokio::test]
async fn a_wait_rides_out_refused_and_broken_connections_and_a_service_that_starts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let handle = client(&format!("http://{address}")).executions().handle(ID);
    let result = tokio::spawn(async move { handle.result().await });
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!result.is_finished(), "nobody listens, and the wait goes on");

    let server = ScriptedServer::listen(TcpListener::bind(address).unwrap(), |_, count| match count {
        0 => Reply::Raw(Vec::new()),
        1 => Reply::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{\"status\":".to_vec()),
        2 => refusal(503, "unavailable", "starting"),
        3 => answer(502, "<html>").into(),
        4 => json(200, &json!({ "status": "waiting" })),
        _ => json(200, &json!({ "status": "completed", "result": "done" })),
    });
    assert_eq!(result.await.unwrap().unwrap(), json!("done"));
    assert_eq!(server.lines().len(), 6);
}

#[tokio::test]
async fn a_wait_with_a_timeout_ends_while_nobody_answers() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let builder = client_builder(&format!("http://{address}")).timeout(Duration::from_millis(250));
    let handle = builder.build().unwrap().executions().handle(ID);
    let error = handle.result().await.unwrap_err();
    assert_eq!(error.code(), "wait_timeout");
    assert!(
        error.to_string().contains("the last attempt failed: GET http://"),
        "{error}"
    );

    let silent = ScriptedServer::start(|_, _| Reply::Late(Duration::from_secs(30), answer(200, "{}")));
    let handle = client(&silent.url)
        .executions()
        .handle(ID)
        .with_timeout(Duration::from_millis(100));
    let error = handle.result().await.unwrap_err();
    assert_eq!(error.to_string(), format!("Execution {ID} had not ended after 100ms"));
}

#[tokio::test]
async fn a_wait_does_not_ride_out_what_will_not_pass() {
    let server = ScriptedServer::start(|_, _| refusal(404, "execution_not_found", "no"));
    let error = client(&server.url).executions().handle(ID).result().await.unwrap_err();
    assert_eq!(error.code(), "execution_not_found");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            connection.write_all(b"not TLS").unwrap();
            let _ = connection.read_to_end(&mut Vec::new());
        }
    });
    let waiting = client(&url).executions().handle(ID);
    let error = tokio::time::timeout(Duration::from_secs(10), waiting.result())
        .await
        .unwrap()
        .unwrap_err();
    assert_eq!(error.code(), "network_error");
}

#[test]
fn what_is_shared_between_threads_may_be() {
    fn shared<T: Send + Sync + Clone>() {}
    fn sent<T: Send>(_: &T) {}
    fn error<T: std::error::Error + Send + Sync + 'static>() {}
    shared::<Client>();
    shared::<workflow_execution_service::ExecutionHandle>();
    error::<Error>();

    let client = client("http://127.0.0.1:1");
    let handle = client.executions().handle(ID);
    sent(&client.executions().start("hello", json!({})));
    sent(&handle.send("approved", "text"));
    sent(&handle.result());
    sent(&handle.result_as::<String>());
    sent(&client.executions().stream(None));
}
