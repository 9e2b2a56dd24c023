//! What only the hosted service has. `tests/fixtures.rs` holds each call against the golden requests and answers.

use serde_json::{Value, json};
use workflow_execution_service::{
    EnvironmentChange, NewTrigger, Role, Schedule, Trigger, TriggerType, UsageMetric, Webhook, WorkspaceChange,
};

use super::samples::AT;
use super::support::client;
use super::support::scripted_server::{ScriptedServer, answer, json};

fn trigger(more: &Value) -> Value {
    let mut trigger = json!({
        "id": "trg_1", "programId": "hello", "projectId": "prj_1", "type": "webhook", "enabled": true, "createdAt": AT,
        "updatedAt": AT,
    });
    for (name, value) in more.as_object().unwrap() {
        trigger[name] = value.clone();
    }
    trigger
}

fn read(trigger: Value) -> Trigger {
    serde_json::from_value(trigger).unwrap()
}

fn written(trigger: &NewTrigger) -> Value {
    serde_json::to_value(trigger).unwrap()
}

#[tokio::test]
async fn the_project_of_a_path_is_the_project_of_its_request() {
    let server = ScriptedServer::answering(200, json!({ "items": [], "nextCursor": null }));
    let client = super::support::client_builder(&server.url)
        .project_id("prj_other")
        .build()
        .unwrap();
    client.triggers().list("prj_1").await.unwrap();
    client.triggers().replace("prj_1", &[] as &[NewTrigger]).await.unwrap();
    client.environment().list("prj_1").await.unwrap();
    client
        .environment()
        .change("prj_1", EnvironmentChange::new())
        .await
        .unwrap();
    client.triggers().of_program("hello").await.unwrap();
    let projects: Vec<_> = server
        .received()
        .iter()
        .map(|request| request.header("x-service-project-id").unwrap().to_owned())
        .collect();
    assert_eq!(projects, ["prj_1", "prj_1", "prj_1", "prj_1", "prj_other"]);
    assert_eq!(
        client.triggers().list("prj\u{e9}\n").await.unwrap_err().code(),
        "invalid_argument"
    );
}

#[tokio::test]
async fn the_etag_of_a_list_goes_from_one_call_to_the_next() {
    let server = ScriptedServer::start(|_, _| {
        answer(200, r#"{"items":[],"nextCursor":null}"#)
            .header("etag", "\"7\"")
            .into()
    });
    let client = client(&server.url);
    let list = client.triggers().list("default").await.unwrap();
    let etag = list.etag.unwrap();
    let none: [NewTrigger; 0] = [];
    client
        .triggers()
        .replace_if_match("default", &none, &etag)
        .await
        .unwrap();
    assert_eq!(server.received()[1].header("if-match"), Some("\"7\""));
    for bad in ["", " ", "\"7\"\r\nx-evil: 1"] {
        let error = client
            .triggers()
            .replace_if_match("default", &none, bad)
            .await
            .unwrap_err();
        assert_eq!(error.code(), "invalid_argument", "{bad:?}");
    }
    assert_eq!(server.lines().len(), 2, "nothing more was sent");
}

#[test]
fn a_new_trigger_says_only_what_is_set() {
    assert_eq!(
        written(&NewTrigger::webhook("hello", Webhook::new())),
        json!({ "programId": "hello", "type": "webhook" })
    );
    let signed = NewTrigger::webhook("hello", Webhook::new().generate_secret())
        .name("Orders")
        .enabled(false);
    assert_eq!(
        written(&signed),
        json!({ "programId": "hello", "type": "webhook", "name": "Orders", "enabled": false, "secret": "generate" })
    );
    assert_eq!(
        written(&NewTrigger::webhook("hello", Webhook::new().remove_secret()).id("trg_1")),
        json!({ "id": "trg_1", "programId": "hello", "type": "webhook", "secret": null })
    );
    let schedule = Schedule::new("0 9 * * *").timezone("Europe/Berlin").input(Value::Null);
    assert_eq!(
        written(&NewTrigger::schedule("hello", schedule)),
        json!({
            "programId": "hello", "type": "schedule", "cron": "0 9 * * *", "timezone": "Europe/Berlin", "input": null,
        })
    );
}

#[test]
fn a_trigger_is_kept_as_it_is() {
    let webhook = read(trigger(
        &json!({ "name": "Orders", "url": "https://hooks.example/x", "signed": true }),
    ));
    assert_eq!(
        written(&NewTrigger::keeping(&webhook).unwrap()),
        json!({ "id": "trg_1", "programId": "hello", "type": "webhook", "name": "Orders", "enabled": true })
    );
    let schedule = read(trigger(
        &json!({ "type": "schedule", "enabled": false, "cron": "0 9 * * *", "timezone": "UTC", "input": null }),
    ));
    assert_eq!(
        written(&NewTrigger::keeping(&schedule).unwrap()),
        json!({
            "id": "trg_1", "programId": "hello", "type": "schedule", "enabled": false, "cron": "0 9 * * *",
            "timezone": "UTC", "input": null,
        })
    );
    let newer = read(trigger(&json!({ "type": "mail", "mailbox": "orders" })));
    assert_eq!(newer.kind, TriggerType::Unknown("mail".to_owned()));
    let error = NewTrigger::keeping(&newer).unwrap_err();
    assert_eq!(error.code(), "invalid_argument");
    assert!(
        error.to_string().contains("trg_1") && error.to_string().contains("mail"),
        "{error}"
    );
}

#[tokio::test]
async fn debug_output_has_no_secret() {
    let token = json!({
        "id": "tok_1", "name": "ci", "role": "owner", "createdAt": AT, "secret": "wes_secret", "new": true,
    });
    let server = ScriptedServer::answering(201, token);
    let created = client(&server.url).tokens().create(json!({})).await.unwrap();
    assert_eq!(created.secret.expose(), "wes_secret");
    assert_eq!(created.role, Role::Unknown("owner".to_owned()));

    let list = json!({ "items": [trigger(&json!({ "secret": "whsec_secret" }))], "nextCursor": null });
    let server = ScriptedServer::answering(200, list);
    let triggers = client(&server.url).triggers().list("default").await.unwrap();
    assert_eq!(triggers.items[0].secret.as_ref().unwrap().expose(), "whsec_secret");

    let change = EnvironmentChange::new().set("API_KEY", "value_secret").remove("OLD");
    let shown = format!("{created:?} {triggers:?} {change:?}");
    assert!(!shown.contains("_secret"), "{shown}");
    assert!(
        shown.contains("tok_1") && shown.contains("trg_1") && shown.contains("API_KEY"),
        "{shown}"
    );
}

#[tokio::test]
async fn a_list_of_tokens_and_one_of_invoices_are_read_page_by_page() {
    let server = ScriptedServer::start(|request, _| {
        let item = if request.target.contains("tokens") {
            json!({ "id": "tok_1", "name": "ci", "role": "read", "createdAt": AT })
        } else {
            let line = json!({ "metric": "moons", "quantity": 3, "included": 1, "billable": 2, "amount": 8 });
            json!({ "periodStart": AT, "periodEnd": AT, "currency": "EUR", "lines": [line], "total": 8 })
        };
        let next = (!request.target.contains("cursor")).then_some("b");
        json(200, &json!({ "items": [item], "nextCursor": next }))
    });
    let client = client(&server.url);
    let (mut tokens, mut invoices) = (client.tokens().stream(None), client.billing().invoices_stream(None));
    for _ in 0..2 {
        assert_eq!(tokens.next().await.unwrap().unwrap().role, Role::Read);
        let invoice = invoices.next().await.unwrap().unwrap();
        assert_eq!(invoice.lines[0].metric, UsageMetric::Unknown("moons".to_owned()));
    }
    assert!(tokens.next().await.is_none() && invoices.next().await.is_none());
}

#[test]
fn a_change_of_a_workspace_says_only_what_is_set() {
    assert_eq!(serde_json::to_string(&WorkspaceChange::new()).unwrap(), "{}");
}
