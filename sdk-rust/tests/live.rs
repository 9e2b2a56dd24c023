//! The client with the real local runtime, or with the hosted service. Without the runtime the tests are skipped with a message; in CI they fail.

#[allow(dead_code, reason = "only its `main` is not used here")]
#[path = "../examples/approval.rs"]
mod approval;
mod support;

use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use support::runtime::{Runtime, is_hosted, own_runtime, shared_runtime};
use support::{client, client_builder};
use workflow_execution_service::{
    Client, EnvironmentChange, Error, ExecutionFilter, ExecutionStatus, HistoryEntryType, NewToken, NewTrigger, Page,
    ProjectDescription, Role, Schedule, StartOptions, UsageGrouping, UsageQuery, VersionOrigin, Waiting, Webhook,
};

/// A client with a new project for this test.
async fn client_in_new_project(runtime: &Runtime, name: &str) -> Client {
    let project = client(&runtime.url)
        .projects()
        .create(ProjectDescription::new(name))
        .await
        .unwrap();
    client_builder(&runtime.url).project_id(project.id).build().unwrap()
}

fn artifact(id: &str, run: &str) -> Value {
    json!({ "format": "wes.program/1", "id": id, "program": { "code": format!("({{ run: {run} }})") } })
}

const WAITS: &str = "async (ctx, input) => ({ input, got: await ctx.waitForEvent('go') })";

#[expect(clippy::unnecessary_wraps, reason = "the methods take it")]
fn page(limit: u64, cursor: Option<String>) -> Option<Page> {
    Some(Page {
        limit: Some(limit),
        cursor,
    })
}

#[tokio::test]
async fn programs_are_deployed_versioned_and_listed() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "programs").await;

    let first = client.deploy(artifact("a", "async () => 1")).await.unwrap();
    assert_eq!(
        (first.id.as_str(), first.latest_version.number, first.runnable),
        ("a", 1, true)
    );
    assert_eq!(first.latest_version.origin, VersionOrigin::Upload);
    let same = client.deploy(&artifact("a", "async () => 1")).await.unwrap();
    assert_eq!(same.latest_version, first.latest_version);
    let mut described = artifact("a", "async () => 2");
    described["description"] = json!("Gives two");
    described["manifest"] = json!({ "events": [{ "name": "go" }], "owner": "me" });
    let second = client.deploy(described).await.unwrap();
    assert_eq!(second.latest_version.number, 2);
    assert_eq!(second.description.as_deref(), Some("Gives two"));
    assert_eq!(second.latest_version.manifest.events[0].name, "go");
    assert_eq!(second.latest_version.manifest.other["owner"], "me");
    client.deploy(artifact("b", "async () => 1")).await.unwrap();

    assert_eq!(client.programs().get("a").await.unwrap(), second);
    let ids: Vec<String> = client
        .programs()
        .list(None)
        .await
        .unwrap()
        .into_iter()
        .map(|program| program.id)
        .collect();
    assert_eq!(ids, ["a", "b"]);
    let newest = client.programs().versions("a", page(1, None)).await.unwrap();
    assert_eq!(newest.items[0].number, 2);
    let oldest = client
        .programs()
        .versions("a", page(1, newest.next_cursor))
        .await
        .unwrap();
    assert_eq!((oldest.items[0].number, oldest.next_cursor), (1, None));
    let mut versions = client.programs().versions_stream("a", page(1, None));
    assert_eq!(versions.next().await.unwrap().unwrap().number, 2);
    assert_eq!(versions.next().await.unwrap().unwrap().number, 1);
    assert!(versions.next().await.is_none());

    let pinned = client
        .executions()
        .start_with("a", (), StartOptions::new().version(1))
        .await
        .unwrap();
    assert_eq!(pinned.result().await.unwrap(), json!(1));
    let newest = client.executions().start("a", ()).await.unwrap();
    assert_eq!(newest.result_as::<u8>().await.unwrap(), 2);
}

#[tokio::test]
async fn projects_are_created_and_selected() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "chosen").await;
    client.deploy(artifact("only-here", "async () => 1")).await.unwrap();

    let without = support::client(&runtime.url);
    let projects = without.projects().list().await.unwrap();
    let default = &projects.items[0];
    assert!(default.is_default && (is_hosted() || default.id == "default"));
    assert!(projects.into_iter().any(|project| project.name == "chosen"));
    let error = without
        .projects()
        .create(json!({ "name": "chosen" }))
        .await
        .unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(409), "project_exists"));
    let error = without.programs().get("only-here").await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(404), "program_not_found"));
    let nowhere = client_builder(&runtime.url).project_id("prj_nowhere").build().unwrap();
    assert_eq!(
        nowhere.programs().list(None).await.unwrap_err().code(),
        "project_not_found"
    );
}

#[tokio::test]
async fn an_execution_is_started_inspected_and_sent_events() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "events").await;
    let run = "async (ctx) => [await ctx.waitForEvent('go'), (await ctx.waitForEvent('go')) === undefined]";
    client.deploy(artifact("twice", run)).await.unwrap();
    let handle = client
        .executions()
        .start("twice", json!({ "a": [1, null] }))
        .await
        .unwrap();

    let waiting = until_waiting(&client, handle.id()).await;
    assert_eq!(waiting.status, ExecutionStatus::Waiting);
    assert_eq!(waiting.input, Some(json!({ "a": [1, null] })));
    assert_eq!(waiting.result, None);
    assert!(matches!(&waiting.waiting_for[..], [Waiting::Event { name, .. }] if name == "go"));
    assert_eq!(client.executions().list(None).await.unwrap().items[0].id, handle.id());

    let receipt = handle.send("go", json!({ "by": "ada" })).await.unwrap();
    assert_eq!(
        (receipt.execution_id.as_str(), receipt.name.as_str()),
        (handle.id(), "go")
    );
    let same = client.executions().handle(handle.id());
    same.send("go", ()).await.unwrap();
    assert_eq!(same.result().await.unwrap(), json!([{ "by": "ada" }, true]));
    let error = handle.send("go", ()).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(409), "execution_finished"));
    assert_eq!(handle.cancel().await.unwrap_err().code(), "execution_finished");

    let history = client.executions().history(handle.id(), None).await.unwrap();
    assert_eq!(history.items[0].kind, HistoryEntryType::ExecutionStarted);
    assert_eq!(history.items.last().unwrap().kind, HistoryEntryType::ExecutionCompleted);
    assert!(
        !history
            .items
            .iter()
            .any(|entry| matches!(entry.kind, HistoryEntryType::Unknown(_)))
    );
    let mut entries = client.executions().history_stream(handle.id(), page(2, None));
    let mut positions = Vec::new();
    while let Some(entry) = entries.next().await {
        positions.push(entry.unwrap().position);
    }
    let expected: Vec<u64> = history.items.iter().map(|entry| entry.position).collect();
    assert_eq!(positions, expected);
}

async fn until_waiting(client: &Client, id: &str) -> workflow_execution_service::Execution {
    let begun = Instant::now();
    loop {
        let execution = client.executions().get(id).await.unwrap();
        if !execution.waiting_for.is_empty() {
            return execution;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{execution:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_program_is_run_to_its_result() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "run").await;
    let run = "async (ctx, input) => { await ctx.sleep(input.ms); if (input.fails) throw new Error('declined'); \
               return input }";
    client.deploy(artifact("sleeper", run)).await.unwrap();

    for ms in [0, 300] {
        let input = json!({ "ms": ms });
        assert_eq!(client.executions().run("sleeper", &input).await.unwrap(), input);
    }
    let failing = json!({ "ms": 0, "fails": true });
    let error = client.executions().run("sleeper", failing).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "execution_failed"));
    assert!(error.to_string().contains("declined"), "{error}");

    let options = || StartOptions::new().idempotency_key("once");
    for _ in 0..2 {
        let input = json!({ "ms": 10 });
        let result = client.executions().run_with("sleeper", &input, options()).await;
        assert_eq!(result.unwrap(), input);
    }
    assert_eq!(client.executions().list(None).await.unwrap().items.len(), 4);
}

#[tokio::test]
async fn lists_are_paged_newest_first() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "pages").await;
    client.deploy(artifact("quick", "async () => null")).await.unwrap();
    let mut started = Vec::new();
    for _ in 0..7 {
        started.push(client.executions().start("quick", ()).await.unwrap().id().to_owned());
    }
    started.reverse();

    let first = client.executions().list(page(3, None)).await.unwrap();
    let second = client.executions().list(page(3, first.next_cursor)).await.unwrap();
    let third = client.executions().list(page(3, second.next_cursor)).await.unwrap();
    assert_eq!(third.next_cursor, None);
    let listed: Vec<String> = [first.items, second.items, third.items]
        .into_iter()
        .flatten()
        .map(|execution| execution.id)
        .collect();
    assert_eq!(listed, started);

    let mut stream = client.executions().stream(page(2, None));
    let mut streamed = Vec::new();
    while let Some(execution) = stream.next().await {
        streamed.push(execution.unwrap().id);
    }
    assert_eq!(streamed, started);

    for bad in [page(0, None), page(201, None), page(1, Some("nonsense".to_owned()))] {
        let error = client.executions().list(bad).await.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(400), "invalid_request"));
    }
}

#[tokio::test]
async fn a_cancelled_execution_cleans_up_and_its_result_is_an_error() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "cancel").await;
    let run = "async (ctx) => { try { await ctx.waitForEvent('never') } finally { await ctx.waitForEvent('clean') } }";
    client.deploy(artifact("careful", run)).await.unwrap();
    let handle = client.executions().start("careful", ()).await.unwrap();
    until_waiting(&client, handle.id()).await;
    let waiting = handle.clone();
    let result = tokio::spawn(async move { waiting.result().await });

    let receipt = handle.cancel().await.unwrap();
    assert_eq!(
        (receipt.id.as_str(), receipt.status),
        (handle.id(), ExecutionStatus::Cancelling)
    );
    handle.cancel().await.unwrap();
    handle.send("clean", ()).await.unwrap();
    let error = result.await.unwrap().unwrap_err();
    assert!(matches!(&error, Error::ExecutionCancelled { id, .. } if id == handle.id()));
    assert_eq!((error.status(), error.code()), (Some(200), "execution_cancelled"));
    assert_eq!(handle.cancel().await.unwrap().status, ExecutionStatus::Cancelled);
    let execution = client.executions().get(handle.id()).await.unwrap();
    assert!(execution.cancel_requested_at.is_some() && execution.finished_at.is_some());
}

#[tokio::test]
async fn the_result_of_a_failed_execution_is_its_error() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "failure").await;
    client
        .deploy(artifact("broken", "async () => { throw new RangeError('no stock') }"))
        .await
        .unwrap();
    let handle = client.executions().start("broken", ()).await.unwrap();
    let error = handle.result().await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(200), "execution_failed"));
    assert!(error.to_string().ends_with("RangeError: no stock"), "{error}");
    let cause = error.execution_error().unwrap();
    assert_eq!(
        (cause.code.as_str(), cause.message.as_str()),
        ("program_error", "no stock")
    );
    assert!(cause.stack.is_some());
    assert_eq!(
        client.executions().get(handle.id()).await.unwrap().error.as_ref(),
        Some(cause)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_survives_the_runtime_being_killed_and_started_again() {
    let Some(runtime) = own_runtime() else { return };
    let client = client(&runtime.url);
    client.deploy(artifact("waits", WAITS)).await.unwrap();
    let handle = client.executions().start("waits", json!("x")).await.unwrap();
    until_waiting(&client, handle.id()).await;
    let waiting = handle.clone();
    let result = tokio::spawn(async move { waiting.result().await });
    tokio::time::sleep(Duration::from_millis(200)).await;

    runtime.kill();
    let error = handle.send("go", json!(1)).await.unwrap_err();
    assert_eq!(
        (error.status(), error.code()),
        (None, "network_error"),
        "the client does not send it later"
    );
    let limited = handle.clone().with_timeout(Duration::from_millis(200));
    assert_eq!(limited.result().await.unwrap_err().code(), "wait_timeout");
    runtime.start_again();
    assert!(!result.is_finished());
    handle.send("go", json!(2)).await.unwrap();
    assert_eq!(result.await.unwrap().unwrap(), json!({ "input": "x", "got": 2 }));
}

#[tokio::test]
async fn a_wait_ends_at_its_timeout() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "timeout").await;
    client.deploy(artifact("waits", WAITS)).await.unwrap();
    let handle = client.executions().start("waits", ()).await.unwrap();
    let begun = Instant::now();
    let error = handle
        .with_timeout(Duration::from_millis(1_200))
        .result()
        .await
        .unwrap_err();
    assert_eq!((error.status(), error.code()), (None, "wait_timeout"));
    assert!(
        (1_200..10_000).contains(&begun.elapsed().as_millis()),
        "{:?}",
        begun.elapsed()
    );
}

#[tokio::test]
async fn the_same_start_with_the_same_key_returns_the_same_execution() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "idempotency").await;
    client.deploy(artifact("waits", WAITS)).await.unwrap();
    let start = |input: u8| {
        let options = StartOptions::new().idempotency_key("order 4711");
        client.executions().start_with("waits", input, options)
    };
    let first = start(1).await.unwrap();
    assert_eq!(start(1).await.unwrap().id(), first.id());
    let error = start(2).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(422), "idempotency_conflict"));
}

#[tokio::test]
async fn values_are_returned_unchanged() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "values").await;
    client
        .deploy(artifact("echo", "async (ctx, input) => input"))
        .await
        .unwrap();
    let deep: Value = serde_json::from_str(&format!("{}{}", "[".repeat(120), "]".repeat(120))).unwrap();
    let deep = json!([[deep.clone()], deep]);
    for value in [
        json!(null),
        json!({ "__proto__": { "a": 1 }, "constructor": null, "é": "\u{1f600}\u{0}" }),
        json!([
            0.1 + 0.2,
            5e-324,
            1.797_693_134_862_315_7e308,
            -1,
            9_007_199_254_740_991_u64
        ]),
        deep,
    ] {
        let handle = client.executions().start("echo", &value).await.unwrap();
        assert_eq!(handle.result().await.unwrap(), value);
        assert_eq!(client.executions().get(handle.id()).await.unwrap().input, Some(value));
    }
    let handle = client.executions().start("echo", ()).await.unwrap();
    assert_eq!(handle.result().await.unwrap(), Value::Null);
    assert_eq!(client.executions().get(handle.id()).await.unwrap().input, None);

    let run = "async () => { let v = '\\ud800'; for (let i = 0; i < 255; i += 1) v = [v]; return v }";
    client.deploy(artifact("hostile", run)).await.unwrap();
    let result = client
        .executions()
        .start("hostile", ())
        .await
        .unwrap()
        .result()
        .await
        .unwrap();
    assert_eq!(result.to_string().trim_matches(['[', ']']), "\"\u{fffd}\"");
}

#[tokio::test]
async fn errors_of_the_runtime_arrive_completely() {
    #[derive(Deserialize)]
    struct Nothing {}
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "refusals").await;
    client
        .deploy(artifact("echo", "async (ctx, input) => input"))
        .await
        .unwrap();
    let refused = |error: Error| (error.status().unwrap(), error.code().to_owned());
    let refusal = |status, code: &str| (status, code.to_owned());

    if is_hosted() {
        assert_eq!(client.whoami().await.unwrap().workspace.name, "default");
    } else {
        assert_eq!(refused(client.whoami().await.unwrap_err()), refusal(404, "hosted_only"));
    }
    let error = client.deploy(json!({ "id": "x" })).await.unwrap_err();
    assert_eq!(refused(error), refusal(400, "invalid_request"));
    let error = client.deploy(artifact("x", "this does not parse")).await.unwrap_err();
    assert_eq!(refused(error), refusal(422, "invalid_artifact"));
    let error = client.executions().start("nothing", ()).await.unwrap_err();
    assert_eq!(refused(error), refusal(404, "program_not_found"));
    let error = client
        .executions()
        .start("echo", "x".repeat(2 << 20))
        .await
        .unwrap_err();
    assert_eq!(refused(error), refusal(413, "payload_too_large"));
    for id in ["nonsense", "a/b?c#d", "exe_01jcx3b8e0e0t9qv2m5k7w4z6n"] {
        let error = client
            .executions()
            .handle(id)
            .result_as::<Nothing>()
            .await
            .err()
            .unwrap();
        assert_eq!(refused(error), refusal(404, "execution_not_found"), "{id}");
    }
}

#[tokio::test]
async fn what_only_the_hosted_service_has_is_read_and_changed() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_in_new_project(&runtime, "hosted").await;
    if !is_hosted() {
        let error = client.workspace().await.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(404), "hosted_only"));
        return;
    }
    let project = client
        .deploy(artifact("echo", "async (ctx, input) => input"))
        .await
        .unwrap()
        .project_id;

    let new = [
        NewTrigger::webhook("echo", Webhook::new().generate_secret()),
        NewTrigger::schedule("echo", Schedule::new("0 0 1 1 *").input("New Year")),
    ];
    let made = client.triggers().replace(&project, &new).await.unwrap();
    assert!(made.items[0].secret.is_some() && made.items[1].next_fire_at.is_some());
    let schedule = &made.items[1].id;
    let fired = client.triggers().fire(&project, schedule, ()).await.unwrap();
    let handle = client.executions().handle(&fired.execution_id);
    assert_eq!(handle.result().await.unwrap(), json!("New Year"));
    let filter = ExecutionFilter::new().trigger(schedule);
    let started = client.executions().list_matching(&filter, None).await.unwrap().items;
    assert_eq!((started.len(), &started[0].id), (1, &fired.execution_id));
    assert_eq!(&started[0].trigger.as_ref().unwrap().id, schedule);
    let kept = [NewTrigger::keeping(&made.items[0]).unwrap()];
    let etag = made.etag.unwrap();
    let now = client
        .triggers()
        .replace_if_match(&project, &kept, &etag)
        .await
        .unwrap();
    assert_eq!(
        (now.items[0].signed, &now.items[0].url),
        (Some(true), &made.items[0].url)
    );
    let error = client
        .triggers()
        .replace_if_match(&project, &kept, &etag)
        .await
        .unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(412), "precondition_failed"));

    let token = client
        .tokens()
        .create(NewToken::new("reader", Role::Read))
        .await
        .unwrap();
    let reader = Client::builder()
        .url(&runtime.url)
        .token(token.secret.expose())
        .build()
        .unwrap();
    assert_eq!(reader.whoami().await.unwrap().token.role, Role::Read);
    let error = reader.tokens().list(None).await.unwrap_err();
    assert_eq!((error.status(), error.code()), (Some(403), "forbidden"));
    client.tokens().revoke(&token.id).await.unwrap();
    assert_eq!(reader.whoami().await.unwrap_err().code(), "unauthorized");

    let change = EnvironmentChange::new().set("REGION", "eu");
    assert_eq!(
        client.environment().change(&project, change).await.unwrap().items[0].name,
        "REGION"
    );
    let by_day = UsageQuery::new().group_by(UsageGrouping::Day);
    let usage = client.usage(by_day).await.unwrap();
    assert!(usage.items.iter().all(|item| item.day.is_some()));
    assert_eq!(client.billing().upcoming_invoice().await.unwrap().lines.len(), 6);
    assert_eq!(client.billing().plan().await.unwrap().currency, "EUR");
    assert!(client.billing().invoices(None).await.unwrap().items.is_empty());
    assert!(client.workspace().await.unwrap().limits.retention_days > 0);
}

#[tokio::test]
async fn the_example_prints_the_approval() {
    let Some(runtime) = shared_runtime() else { return };
    let result = approval::approve(&client(&runtime.url)).await.unwrap();
    assert_eq!(result, json!({ "approved": true, "by": "Grace" }));
}

#[cfg(feature = "blocking")]
#[test]
fn the_blocking_client_does_the_same() {
    let Some(runtime) = shared_runtime() else { return };
    let client = client_builder(&runtime.url).build_blocking().unwrap();
    client.deploy(artifact("blocking", WAITS)).unwrap();
    let handle = client.executions().start("blocking", json!({ "a": 1 })).unwrap();
    handle.send("go", json!([true])).unwrap();
    assert_eq!(handle.result().unwrap(), json!({ "input": { "a": 1 }, "got": [true] }));
    let history = client.executions().history_iter(handle.id(), page(2, None));
    let kinds: Vec<HistoryEntryType> = history.map(|entry| entry.unwrap().kind).collect();
    assert_eq!(kinds.last(), Some(&HistoryEntryType::ExecutionCompleted));
    assert!(
        client
            .executions()
            .iter(None)
            .any(|execution| execution.unwrap().id == handle.id())
    );
    let error = client.executions().handle(handle.id()).cancel().unwrap_err();
    assert_eq!(error.code(), "execution_finished");
}
