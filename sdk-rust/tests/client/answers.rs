//! The client's results and errors for answers, and without an answer.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use workflow_execution_service::{Client, Error, ExecutionStatus, HistoryEntryType, Page, StartOptions, Waiting};

use super::samples::{AT, ID, execution, list, program};
use super::support::scripted_server::{Reply, ScriptedServer, answer, json, refusal};
use super::support::{client, client_builder};

fn not_repeating(url: &str) -> Client {
    client_builder(url).max_retries(0).build().unwrap()
}

#[tokio::test]
async fn an_error_has_status_code_and_message() {
    let server = ScriptedServer::start(|_, _| refusal(404, "program_not_found", "there is no Program \"x\""));
    let error = client(&server.url).programs().get("x").await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(404), "program_not_found"));
    assert_eq!(error.to_string(), "there is no Program \"x\" (404 program_not_found)");
}

#[tokio::test]
async fn an_error_of_another_server_gets_a_code_by_its_status() {
    for (status, body, code) in [
        (502, "<html>Bad gateway</html>", "unavailable"),
        (401, "", "unauthorized"),
        (418, "{}", "http_418"),
        (500, r#"{"error":"text"}"#, "internal"),
        (404, r#"{"error":{"code":"","message":""}}"#, "not_found"),
        (404, r#"{"error":{"code":"brand_new"}}"#, "brand_new"),
    ] {
        let server = ScriptedServer::start(move |_, _| answer(status, body).into());
        let error = not_repeating(&server.url).programs().list(None).await.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(status), code));
        assert!(error.to_string().contains("GET http://127.0.0.1"), "{error}");
    }
}

#[tokio::test]
async fn an_error_has_the_message_of_an_answer_without_a_code() {
    let server = ScriptedServer::start(|_, _| answer(403, r#"{"error":{"code":7,"message":"no entry"}}"#).into());
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!(error.to_string(), "no entry (403 forbidden)");
}

#[tokio::test]
async fn an_answer_that_is_larger_than_any_of_the_api_is_refused() {
    let server = ScriptedServer::start(|_, _| answer(200, vec![b' '; 65 * 1024 * 1024]).into());
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
    assert!(error.to_string().contains("more than 64 MiB"), "{error}");
}

#[tokio::test]
async fn a_page_of_another_server_is_no_answer_to_a_removal() {
    let remove = async |status, body: &'static str| {
        let server = ScriptedServer::start(move |_, _| answer(status, body).into());
        let client = client(&server.url);
        let outcome = client.programs().delete_version("hello", 1).await;
        let same = client.tokens().revoke("tok_1").await;
        assert_eq!(outcome.is_ok(), same.is_ok());
        outcome
    };
    let error = remove(200, "<html>").await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
    assert!(
        error.to_string().contains("check that the address is the service's"),
        "{error}"
    );
    remove(204, "").await.unwrap();
    remove(200, "{}").await.unwrap();
}

#[tokio::test]
async fn an_acknowledgement_may_be_empty_but_no_page_of_another_server() {
    for body in [
        "",
        "{}",
        r#"{"id":7,"executionId":null,"name":[],"receivedAt":1,"status":{}}"#,
    ] {
        let server = ScriptedServer::start(move |_, _| answer(202, body).into());
        let handle = client(&server.url).executions().handle(ID);
        let receipt = handle.send("go", ()).await.unwrap();
        assert_eq!((receipt.execution_id.as_str(), receipt.name.as_str()), (ID, "go"));
        let receipt = handle.cancel().await.unwrap();
        assert_eq!((receipt.id.as_str(), receipt.status), (ID, ExecutionStatus::Cancelling));
    }
    for body in ["<html>", "[]", "null"] {
        let server = ScriptedServer::start(move |_, _| answer(200, body).into());
        let handle = client(&server.url).executions().handle(ID);
        assert_eq!(handle.send("go", ()).await.unwrap_err().code(), "invalid_response");
        assert_eq!(handle.cancel().await.unwrap_err().code(), "invalid_response");
    }
}

#[tokio::test]
async fn json_that_was_cut_off_is_no_answer_and_a_page_is_one_of_another_server() {
    for body in [r#"{"id":"exe_1","sta"#, "{", r#"{"items":["#] {
        let server =
            ScriptedServer::start(move |_, _| answer(200, body).header("content-type", "application/json").into());
        let error = client(&server.url).executions().start("p", ()).await.unwrap_err();
        assert!(matches!(error, Error::CutOff { .. }), "{error}");
        assert_eq!((error.status(), error.code()), (None, "network_error"));
        assert!(
            error
                .to_string()
                .ends_with("/v1/executions got no answer: its JSON was cut off"),
            "{error}"
        );
        assert_eq!(server.lines().len(), 1);

        let page = ScriptedServer::start(move |_, _| answer(200, body).into());
        let error = client(&page.url).executions().start("p", ()).await.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
    }
}

#[tokio::test]
async fn an_answer_may_have_an_id_alone() {
    let server = ScriptedServer::answering(200, json!({ "id": "a" }));
    let one = client(&server.url);
    let program = one.deploy(json!({})).await.unwrap();
    assert_eq!((program.id.as_str(), program.latest_version.number), ("a", 0));
    assert_eq!(one.programs().get("a").await.unwrap(), program);
    assert_eq!(one.projects().create(json!({})).await.unwrap().id, "a");
    let execution = one.executions().get(ID).await.unwrap();
    assert_eq!(execution.status, ExecutionStatus::Unknown(String::new()));
    let error = one.whoami().await.unwrap_err();
    assert_eq!(error.code(), "invalid_response");
    assert!(error.to_string().contains("missing field `workspace`"), "{error}");

    let server = ScriptedServer::answering(200, list(&[json!({ "id": "a" })]));
    let many = client(&server.url);
    assert_eq!(many.projects().list().await.unwrap().items[0].id, "a");
    assert_eq!(many.programs().list(None).await.unwrap().items[0].id, "a");
    assert_eq!(many.programs().versions("a", None).await.unwrap().items[0].id, "a");
    assert_eq!(many.executions().list(None).await.unwrap().items[0].id, "a");
}

#[tokio::test]
async fn a_proxy_that_wants_a_password_is_named() {
    let server = ScriptedServer::start(|_, _| answer(407, "").into());
    let error = client(&server.url).executions().handle(ID).result().await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(407), "http_407"));
    assert!(
        error.to_string().contains("a proxy in front of the service wants"),
        "{error}"
    );
}

#[tokio::test]
async fn no_result_is_waited_for_behind_a_proxy_that_wants_a_password() {
    let server = ScriptedServer::start(|_, _| answer(407, "").into());
    let http = reqwest::Client::builder()
        .proxy(reqwest::Proxy::https(&server.url).unwrap())
        .build()
        .unwrap();
    let client = client_builder("https://service.test")
        .http_client(http)
        .build()
        .unwrap();
    let error = client.executions().handle(ID).result().await.unwrap_err();
    assert_eq!(error.code(), "network_error");
    assert!(error.to_string().contains("proxy authorization required"), "{error}");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_time_limit_of_an_effect_may_be_longer_than_every_integer() {
    let limits = json!([{ "name": "a", "timeoutMs": 1e20 }, { "name": "b", "timeoutMs": 5 }, { "name": "c" }]);
    let mut program = program();
    program["latestVersion"]["manifest"] = json!({ "effects": limits });
    let server = ScriptedServer::answering(200, list(&[program]));
    let programs = client(&server.url).programs().list(None).await.unwrap();
    let effects = &programs.items[0].latest_version.manifest.effects;
    let limits: Vec<Option<u64>> = effects.iter().map(|effect| effect.timeout_ms).collect();
    assert_eq!(limits, [Some(u64::MAX), Some(5), None]);
}

#[tokio::test]
async fn an_error_has_the_delay_of_retry_after() {
    // As of the TypeScript client: at most six digits.
    for other in ["+1", "-1", "1000000", "", "Wed, 21 Oct 2026 07:28:00 GMT"] {
        let server = ScriptedServer::start(move |_, _| answer(429, "{}").header("retry-after", other).into());
        let error = not_repeating(&server.url).programs().get("p").await.unwrap_err();
        assert!(
            matches!(error, Error::Api { retry_after: None, .. }),
            "{other}: {error:?}"
        );
    }
    let server = ScriptedServer::start(|_, _| answer(429, "{}").header("retry-after", "7").into());
    let error = not_repeating(&server.url).programs().list(None).await.unwrap_err();
    assert!(
        matches!(error, Error::Api { retry_after: Some(pause), .. } if pause == Duration::from_secs(7)),
        "{error:?}"
    );
    // A date counts from the answer's own.
    for (date, until, seconds) in [
        ("Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:07 GMT", 7),
        ("Tue, 29 Feb 2028 23:59:59 GMT", "Wed, 01 Mar 2028 00:00:00 GMT", 1),
        ("Thu, 31 Dec 2026 23:00:00 GMT", "Fri, 01 Jan 2027 00:00:00 GMT", 3_600),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "Tue, 20 Oct 2026 07:28:00 GMT", 0),
    ] {
        let server = ScriptedServer::start(move |_, _| {
            let refusal = answer(429, "{}").header("date", date);
            refusal.header("retry-after", until).into()
        });
        let error = not_repeating(&server.url).programs().list(None).await.unwrap_err();
        assert!(
            matches!(error, Error::Api { retry_after: Some(pause), .. } if pause == Duration::from_secs(seconds)),
            "{until}: {error:?}"
        );
    }
}

#[tokio::test]
async fn an_invalid_answer_of_another_server_has_another_message_than_one_of_the_service() {
    let server = ScriptedServer::start(|_, _| answer(200, "<html>").into());
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
    assert!(
        error.to_string().contains("check that the address is the service's"),
        "{error}"
    );

    let server = ScriptedServer::answering(200, json!({ "items": [{}] }));
    let error = client(&server.url).programs().list(None).await.unwrap_err();
    assert_eq!(error.code(), "invalid_response");
    assert!(error.to_string().contains("missing field"), "{error}");

    // Of which a struct could be read, too.
    let server = ScriptedServer::answering(200, json!([ID]));
    let other = client(&server.url);
    for error in [
        other.whoami().await.unwrap_err(),
        other.executions().start("p", ()).await.unwrap_err(),
        other.executions().run("p", ()).await.unwrap_err(),
    ] {
        assert_eq!((error.status(), error.code()), (Some(200), "invalid_response"));
        assert!(error.to_string().contains("JSON of another API"), "{error}");
    }
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
    assert_eq!((error.status(), error.code()), (None, "network_error"));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn additions_of_a_newer_service_are_accepted() {
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
async fn null_differs_from_a_missing_member() {
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
async fn a_list_with_an_unpaired_surrogate_can_be_read() {
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
async fn a_stream_reads_all_pages() {
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
async fn a_request_that_is_refused_for_the_moment_is_sent_again_if_that_is_safe() {
    let refused_once = |status: u16, code: &'static str| {
        ScriptedServer::start(move |_, count| match count {
            0 => refusal(status, code, "later"),
            _ => json(200, &execution("completed")),
        })
    };
    let limited = || refused_once(429, "rate_limited");
    let away = || refused_once(503, "unavailable");
    let key = || StartOptions::new().idempotency_key("k");

    let servers = [limited(), limited(), away(), away(), away()];
    let [starting, running, reading, with_key, without_key] = servers.each_ref().map(|server| client(&server.url));
    let outcomes = tokio::join!(
        async { starting.executions().start("p", ()).await.is_ok() },
        async { running.executions().run("p", ()).await.is_ok() },
        async { reading.executions().get(ID).await.is_ok() },
        async { with_key.executions().start_with("p", (), key()).await.is_ok() },
        async { without_key.executions().start("p", ()).await.is_ok() },
    );
    assert_eq!(outcomes, (true, true, true, true, false));
    assert_eq!(servers.map(|server| server.lines().len()), [2, 2, 2, 2, 1]);

    let server = ScriptedServer::start(|_, _| answer(429, "{}").header("retry-after", "5").into());
    let hurried = client_builder(&server.url)
        .timeout(Duration::from_secs(4))
        .build()
        .unwrap();
    assert_eq!(hurried.whoami().await.unwrap_err().status(), Some(429));
    assert_eq!(hurried.executions().run("p", ()).await.unwrap_err().status(), Some(429));
    assert_eq!(server.lines().len(), 2);
}
