//! Waits for results, over real connections. The delays are tested beside the code.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;

use workflow_execution_service::{Error, StartOptions};

use super::samples::{ID, execution};
use super::support::scripted_server::{Received, Reply, ScriptedServer, answer, json, refusal};
use super::support::{client, client_builder};

#[tokio::test]
async fn a_result_is_returned_as_json_and_as_the_callers_type() {
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
    assert!(error.to_string().contains("has another type"), "{error}");

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
async fn a_wait_continues_after_refused_and_broken_connections_and_a_service_that_starts() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let handle = client(&format!("http://{address}")).executions().handle(ID);
    let result = tokio::spawn(async move { handle.result().await });
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert!(!result.is_finished(), "without a server, the wait continues");

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
async fn a_wait_with_a_timeout_ends_without_an_answer() {
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
    let no_answer = |after| format!("the service gave no answer about Execution {ID} within {after}");
    assert_eq!(error.to_string(), no_answer("100ms"));

    let at_once = handle.with_timeout(Duration::ZERO);
    assert_eq!(at_once.result().await.unwrap_err().to_string(), no_answer("0ns"));
}

#[tokio::test]
async fn a_wait_ends_at_a_permanent_error() {
    let server = ScriptedServer::start(|_, _| refusal(404, "execution_not_found", "no"));
    let error = client(&server.url).executions().handle(ID).result().await.unwrap_err();
    assert_eq!((error.code(), error.execution_id()), ("execution_not_found", Some(ID)));

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
    assert_eq!((error.code(), error.execution_id()), ("network_error", Some(ID)));
}

fn keys(server: &ScriptedServer) -> Vec<String> {
    let starts = server
        .received()
        .into_iter()
        .filter(|request: &Received| request.method == "POST");
    starts
        .map(|start| start.header("idempotency-key").unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_run_repeats_its_start_with_the_same_key_if_the_connection_breaks() {
    let server = ScriptedServer::start(|request, count| match count {
        0 => Reply::Raw(Vec::new()),
        1 => answer(502, "<html>").into(),
        2 => refusal(503, "unavailable", "starting"),
        3 => json(201, &execution("running")),
        _ if request.method == "POST" => json(201, &execution("completed")),
        _ => json(200, &json!({ "status": "completed", "result": "done" })),
    });
    let client = client(&server.url);
    assert_eq!(client.executions().run("hello", 1).await.unwrap(), json!("done"));
    let methods: Vec<String> = server.received().into_iter().map(|request| request.method).collect();
    assert_eq!(methods, ["POST", "POST", "POST", "POST", "GET"]);
    let sent = keys(&server);
    assert!(
        sent[0].len() >= 32 && sent.iter().all(|key| *key == sent[0]),
        "{sent:?}"
    );
    let bodies: Vec<Vec<u8>> = server.received().into_iter().map(|request| request.body).collect();
    assert!(bodies[..4].iter().all(|body| *body == bodies[0]));

    client.executions().run("hello", 1).await.unwrap();
    let options = StartOptions::new().idempotency_key("mine");
    client.executions().run_with("hello", 1, options).await.unwrap();
    let sent = keys(&server);
    assert!(sent[4] != sent[0] && sent[5] == "mine", "{sent:?}");
}

#[tokio::test]
async fn an_answer_that_was_cut_off_does_not_end_a_wait_or_a_run() {
    let server = ScriptedServer::start(|request, count| {
        let whole = json!({ "id": ID, "status": "completed", "result": count }).to_string();
        let sent = if count % 2 == 0 {
            &whole[..whole.len() - 1]
        } else {
            &whole
        };
        assert!(request.method == "GET" || request.header("idempotency-key").is_some());
        answer(200, sent).header("content-type", "application/json").into()
    });
    let executions = client(&server.url);
    assert_eq!(executions.executions().handle(ID).result().await.unwrap(), json!(1));
    assert_eq!(executions.executions().run("hello", ()).await.unwrap(), json!(3));
    let keys = keys(&server);
    assert_eq!((keys.len(), &keys[0]), (2, &keys[1]));
}

#[tokio::test]
async fn a_run_needs_no_more_of_the_start_than_an_id() {
    for started in [json!({ "id": ID }), json!({ "id": ID, "status": 5 })] {
        let server = ScriptedServer::start(move |request, _| match request.method.as_str() {
            "POST" => json(201, &started),
            _ => json(200, &json!({ "status": "completed", "result": "done" })),
        });
        let result = client(&server.url).executions().run("hello", ()).await;
        assert_eq!(result.unwrap(), json!("done"));
    }
}

#[tokio::test]
async fn that_an_execution_failed_is_told_whatever_the_form_of_its_error() {
    for (said, code, message) in [
        (json!({ "message": "no stock" }), "unknown", "no stock"),
        (
            json!({ "code": "program_error", "message": 5 }),
            "program_error",
            "the service gave no reason",
        ),
        (json!("no stock"), "unknown", "the service gave no reason"),
        (json!(null), "unknown", "the service gave no reason"),
    ] {
        let server = ScriptedServer::answering(200, json!({ "id": ID, "status": "failed", "error": said }));
        let caller = client(&server.url);
        for end in [
            caller.executions().handle(ID).result().await,
            caller.executions().run("hello", ()).await,
        ] {
            let error = end.unwrap_err();
            assert_eq!(error.code(), "execution_failed", "{error}");
            let told = error.execution_error().unwrap();
            assert_eq!((told.code.as_str(), told.message.as_str()), (code, message));
        }
        let server = ScriptedServer::answering(200, json!({ "status": "cancelled", "error": said }));
        let end = client(&server.url).executions().handle(ID).result().await;
        assert_eq!(end.unwrap_err().code(), "execution_cancelled");
    }
}

#[tokio::test]
async fn a_run_ends_at_once_if_nothing_listens_or_the_service_refuses_it_for_good() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = client(&format!("http://{address}"));
    let error = nobody.executions().run("hello", ()).await.unwrap_err();
    assert_eq!(error.code(), "network_error");
    for (status, code) in [(404, "program_not_found"), (429, "quota_exceeded")] {
        let server = ScriptedServer::start(move |_, _| refusal(status, code, "no"));
        let error = client(&server.url).executions().run("hello", ()).await.unwrap_err();
        assert_eq!(error.code(), code);
        assert_eq!(server.lines().len(), 1);
    }
}

#[tokio::test]
async fn a_run_that_takes_longer_than_the_timeout_is_a_wait_that_timed_out() {
    let timed_out = async |server: &ScriptedServer| {
        let timeout = Duration::from_millis(400);
        let client = client_builder(&server.url).timeout(timeout).build().unwrap();
        let error = client.executions().run("hello", ()).await.unwrap_err();
        assert_eq!((error.status(), error.code()), (None, "wait_timeout"));
        assert!(
            matches!(error, Error::TimedOut { after, .. } if after == timeout),
            "{error:?}"
        );
        (error.to_string(), error.execution_id().map(str::to_owned))
    };
    let silent = ScriptedServer::start(|_, _| Reply::Late(Duration::from_secs(30), answer(200, "{}")));
    let (message, id) = timed_out(&silent).await;
    assert!(message.ends_with("may have been started") && id.is_none(), "{message}");
    let broken = ScriptedServer::start(|_, _| Reply::Raw(Vec::new()));
    let (message, _) = timed_out(&broken).await;
    assert!(message.contains("the last attempt failed: POST http://"), "{message}");
    let slow = ScriptedServer::answering(200, execution("running"));
    let (message, id) = timed_out(&slow).await;
    assert_eq!(message, format!("Execution {ID} had not ended after 400ms"));
    assert_eq!(id.as_deref(), Some(ID));

    let client = client_builder(&slow.url)
        .timeout(Duration::from_nanos(1))
        .build()
        .unwrap();
    let error = client.executions().run("hello", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the start was not sent within 1ns: no Execution was started"
    );
}
