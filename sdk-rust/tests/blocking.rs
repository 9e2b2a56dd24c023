//! The blocking client: outside async code, inside it, and between threads.
#![cfg(feature = "blocking")]

mod support;

use serde_json::json;
use support::client_builder;
use support::scripted_server::{ScriptedServer, json, refusal};
use workflow_execution_service::blocking::Client;
use workflow_execution_service::{
    EnvironmentChange, ExecutionFilter, NewToken, NewTrigger, Page, ProjectDescription, Role, StartOptions, UsageQuery,
    Webhook, WorkspaceChange,
};

const ID: &str = "exe_01jcx3b8e0e0t9qv2m5k7w4z6n";

fn client(server: &ScriptedServer) -> Client {
    client_builder(&server.url).build_blocking().unwrap()
}

fn empty_list() -> ScriptedServer {
    ScriptedServer::answering(200, json!({ "items": [], "nextCursor": null }))
}

#[test]
fn every_method_calls_its_route() {
    let server = ScriptedServer::start(|request, _| match (request.method.as_str(), request.target.as_str()) {
        ("POST", "/v1/executions") => json(201, &json!({ "id": ID })),
        ("GET", target) if target.ends_with("/result") => json(200, &json!({ "status": "completed", "result": 7 })),
        _ => refusal(404, "not_found", "not here"),
    });
    let client = client(&server);
    let handle = client.executions().start("hello", json!({})).unwrap();
    assert_eq!(handle.id(), ID);
    assert_eq!(handle.result().unwrap(), json!(7));
    assert_eq!(handle.result_as::<u8>().unwrap(), 7);
    let options = StartOptions::new().version(1);
    client.executions().start_with("hello", (), options).unwrap();

    assert_eq!(client.whoami().unwrap_err().code(), "not_found");
    client.deploy(json!({})).unwrap_err();
    client.projects().list().unwrap_err();
    client.projects().create(ProjectDescription::new("n")).unwrap_err();
    client.programs().list(None).unwrap_err();
    client.programs().get("hello").unwrap_err();
    client.programs().versions("hello", None).unwrap_err();
    client.executions().list(None).unwrap_err();
    client.executions().get(ID).unwrap_err();
    client.executions().history(ID, None).unwrap_err();
    handle.send("approved", ()).unwrap_err();
    client.executions().handle(ID).cancel().unwrap_err();

    let lines: Vec<String> = server.lines().iter().map(|line| line.replace(ID, "ID")).collect();
    assert_eq!(
        lines,
        [
            "POST /v1/executions",
            "GET /v1/executions/ID/result",
            "GET /v1/executions/ID/result",
            "POST /v1/executions",
            "GET /v1/whoami",
            "POST /v1/programs/deploy",
            "GET /v1/projects",
            "POST /v1/projects",
            "GET /v1/programs",
            "GET /v1/programs/hello",
            "GET /v1/programs/hello/versions",
            "GET /v1/executions",
            "GET /v1/executions/ID",
            "GET /v1/executions/ID/history",
            "POST /v1/executions/ID/events",
            "POST /v1/executions/ID/cancel",
        ]
    );
}

#[test]
fn every_method_of_the_hosted_service_calls_its_route() {
    let server = ScriptedServer::start(|_, _| refusal(404, "hosted_only", "not here"));
    let client = client(&server);
    assert_eq!(client.workspace().unwrap_err().code(), "hosted_only");
    client.update_workspace(WorkspaceChange::new().name("n")).unwrap_err();
    client.usage(UsageQuery::new().from("2026-01-01")).unwrap_err();
    client.tokens().list(None).unwrap_err();
    client.tokens().iter(None).next().unwrap().unwrap_err();
    client.tokens().create(NewToken::new("ci", Role::Read)).unwrap_err();
    client.tokens().revoke("tok_1").unwrap_err();
    client.environment().list("default").unwrap_err();
    client
        .environment()
        .change("default", EnvironmentChange::new())
        .unwrap_err();
    client.triggers().list("default").unwrap_err();
    client.triggers().of_program("hello").unwrap_err();
    let triggers = [NewTrigger::webhook("hello", Webhook::new())];
    client.triggers().replace("default", &triggers).unwrap_err();
    client
        .triggers()
        .replace_if_match("default", &triggers, "\"1\"")
        .unwrap_err();
    client.triggers().fire("default", "trg_1", ()).unwrap_err();
    client.billing().plan().unwrap_err();
    client.billing().invoices(None).unwrap_err();
    client.billing().invoices_iter(None).next().unwrap().unwrap_err();
    client.billing().upcoming_invoice().unwrap_err();
    let filter = ExecutionFilter::new().trigger("trg_1");
    client.executions().list_matching(&filter, None).unwrap_err();
    client
        .executions()
        .iter_matching(filter, None)
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(
        server.lines(),
        [
            "GET /v1/workspaces/current",
            "PATCH /v1/workspaces/current",
            "GET /v1/usage?from=2026-01-01",
            "GET /v1/workspaces/current/tokens",
            "GET /v1/workspaces/current/tokens",
            "POST /v1/workspaces/current/tokens",
            "DELETE /v1/workspaces/current/tokens/tok_1",
            "GET /v1/projects/default/environment",
            "PUT /v1/projects/default/environment",
            "GET /v1/projects/default/triggers",
            "GET /v1/programs/hello/triggers",
            "PUT /v1/projects/default/triggers",
            "PUT /v1/projects/default/triggers",
            "POST /v1/projects/default/triggers/trg_1/fire",
            "GET /v1/billing/plan",
            "GET /v1/billing/invoices",
            "GET /v1/billing/invoices",
            "GET /v1/billing/invoices/upcoming",
            "GET /v1/executions?triggerId=trg_1",
            "GET /v1/executions?triggerId=trg_1",
        ]
    );
}

#[test]
fn an_iterator_reads_all_pages() {
    let server = ScriptedServer::start(|request, count| {
        let entry = json!({ "position": count + 1, "at": "", "type": "log" });
        let next = (!request.target.contains("cursor=b")).then_some(if count == 0 { "a" } else { "b" });
        json(200, &json!({ "items": [entry], "nextCursor": next }))
    });
    let page = Page {
        limit: Some(1),
        cursor: None,
    };
    let history = client(&server).executions().history_iter(ID, Some(page));
    let positions: Vec<u64> = history.map(|entry| entry.unwrap().position).collect();
    assert_eq!(positions, [1, 2, 3]);
}

#[test]
fn threads_share_one_client() {
    let server = empty_list();
    let client = client(&server);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..5).for_each(|_| assert!(client.programs().list(None).unwrap().items.is_empty())));
        }
    });
    assert_eq!(server.lines().len(), 40);
}

#[tokio::test]
#[should_panic(expected = "Cannot start a runtime from within a runtime")]
async fn a_call_from_async_code_panics_and_says_why() {
    let _ = client(&empty_list()).programs().list(None);
}

#[tokio::test]
async fn a_call_inside_spawn_blocking_works_and_the_client_may_be_dropped_anywhere() {
    let client = client(&empty_list());
    let same = client.clone();
    let programs = tokio::task::spawn_blocking(move || same.programs().list(None))
        .await
        .unwrap()
        .unwrap();
    assert!(programs.items.is_empty());
    drop(client);
}
