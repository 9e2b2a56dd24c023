//! The client's requests.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use workflow_execution_service::{Client, Error, Page, ProjectDescription, StartOptions};

use super::samples::{ID, list, program, service};
use super::support::scripted_server::{Received, Reply, ScriptedServer, answer};
use super::support::{self, client, client_builder};

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
    handle.fire_command(3).await.unwrap();
    handle.retry_command(4).await.unwrap();
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
            format!("POST /v1/executions/{ID}/commands/3/fire"),
            format!("POST /v1/executions/{ID}/commands/4/retry"),
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
async fn inputs_and_payloads_are_serialised_and_unit_is_left_out() {
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
async fn a_start_sends_a_version_and_an_idempotency_key() {
    let server = service();
    let client = client(&server.url);
    let options = StartOptions::new().version(3).idempotency_key("order 4711");
    client.executions().start_with("hello", (), options).await.unwrap();
    client.executions().start("hello", ()).await.unwrap();
    let received = server.received();
    assert_eq!(received[0].json(), json!({ "programId": "hello", "version": 3 }));
    assert_eq!(received[0].header("idempotency-key"), Some("order 4711"));
    assert_eq!(received[1].header("idempotency-key"), None);

    let options = StartOptions::new().idempotency_key("\u{feff}é\t日");
    client.executions().start_with("hello", (), options).await.unwrap();
    assert_eq!(server.received()[2].header("idempotency-key"), Some("\u{feff}é\t日"));

    for key in ["", " a", "a\t", "a\n", "a\u{7f}", "a\r\nx-evil: 1"] {
        let options = StartOptions::new().idempotency_key(key);
        let error = client.executions().start_with("hello", (), options).await.unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{key:?}");
    }
    assert_eq!(server.lines().len(), 3, "nothing more was sent");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = ScriptedServer::answering(200, list(&[]));
    let target = format!("{}/v1/programs", elsewhere.url);
    let location = target.clone();
    let server = ScriptedServer::start(move |_, _| answer(307, "").header("location", location.clone()).into());
    let with_token = client_builder(&server.url).token("wes_secret").build().unwrap();
    let error = with_token.programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(307), "http_307"));
    let said = format!("a redirect to {target}, and redirects are not followed");
    assert!(error.to_string().contains(&said), "{error}");
    assert_eq!(elsewhere.lines().len(), 0);

    let cache = ScriptedServer::start(|_, _| answer(304, "").into());
    let error = client(&cache.url).programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(304), "http_304"));
    assert!(error.to_string().contains("was refused without a reason"), "{error}");
}

#[tokio::test]
async fn errors_and_debug_output_do_not_contain_the_token() {
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
async fn the_callers_http_client_is_used() {
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

#[test]
fn clients_and_handles_can_be_shared_between_threads() {
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

#[tokio::test]
async fn many_calls_at_once_do_not_all_connect_before_the_first_of_them_is_sent() {
    const CALLS: usize = 400;
    const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n{\"items\":[],\"nextCursor\":null}";
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = client(&format!("http://{}", listener.local_addr().unwrap()));
    let server = thread::spawn(move || {
        let (mut connections, mut most_silent) = (Vec::new(), 0);
        // Answers once all have come: no call may wait for the answer to another.
        for connection in listener.incoming().take(CALLS) {
            let connection = connection.unwrap();
            connection.set_nonblocking(true).unwrap();
            connections.push(connection);
            let silent = connections.iter().filter(|known| known.peek(&mut [0]).is_err());
            most_silent = most_silent.max(silent.count());
        }
        for mut connection in connections {
            connection.set_nonblocking(false).unwrap();
            assert_ne!(connection.read(&mut [0; 4096]).unwrap(), 0);
            connection.write_all(ANSWER).unwrap();
        }
        most_silent
    });

    let mut calls = JoinSet::new();
    for _ in 0..CALLS {
        let client = client.clone();
        calls.spawn(async move { client.programs().list(None).await });
    }
    while let Some(call) = calls.join_next().await {
        call.unwrap().unwrap();
    }
    let silent = server.join().unwrap();
    assert!(silent <= CALLS / 2, "{silent} connections at once without a request");
}
