//! Sample answers of the service.

use serde_json::{Value, json};

use super::support::scripted_server::{ScriptedServer, json, refusal};

pub const ID: &str = "exe_01jcx3b8e0e0t9qv2m5k7w4z6n";
pub const AT: &str = "2026-11-20T12:00:00.000Z";

pub fn version() -> Value {
    json!({
        "id": "ver_1", "programId": "hello", "number": 1, "digest": "00", "origin": "upload", "hasEffects": false,
        "runnable": true, "manifest": {}, "createdAt": AT,
    })
}

pub fn program() -> Value {
    json!({
        "id": "hello", "projectId": "default", "latestVersion": version(), "runnable": true, "createdAt": AT,
        "updatedAt": AT,
    })
}

pub fn execution(status: &str) -> Value {
    json!({
        "id": ID, "projectId": "default", "programId": "hello", "versionId": "ver_1", "versionNumber": 1,
        "status": status, "createdAt": AT, "waitingFor": [],
    })
}

pub fn list(items: &[Value]) -> Value {
    json!({ "items": items, "nextCursor": null })
}

/// Answers every request of the client, without state.
pub fn service() -> ScriptedServer {
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
            ("POST", path) if path.contains("/commands/") => (202, execution("waiting")),
            ("POST", path) if path.ends_with("/cancel") => (202, json!({ "id": ID, "status": "cancelling" })),
            ("GET", "/v1/whoami") => (
                200,
                json!({
                    "workspace": { "id": "wsp_1", "name": "Acme" },
                    "token": { "id": "tok_1", "name": "ci", "role": "write", "createdAt": AT },
                    "defaultProjectId": "default",
                }),
            ),
            _ => return refusal(404, "not_found", "no such route"),
        };
        json(status, &body)
    })
}
