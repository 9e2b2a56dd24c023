//! Starts the approval Program, sends the event that it waits for, and prints the result.
//!
//! With a running runtime (`npm run -s wes -- dev` in the repository's folder): `cargo run --example approval`

use std::error::Error;

use serde_json::{Value, json};
use workflow_execution_service::Client;

const ARTIFACT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../examples/artifacts/approval.program.json"
);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    println!("{}", approve(&client).await?);
    Ok(())
}

/// Starts an approval, and approves it.
pub async fn approve(client: &Client) -> Result<Value, Box<dyn Error>> {
    let artifact: Value = serde_json::from_slice(&std::fs::read(ARTIFACT)?)?;
    let program = client.deploy(artifact).await?;

    let input = json!({ "requester": "Ada", "cents": 4200 });
    let handle = client.executions().start(&program.id, input).await?;
    println!("started {}", handle.id());

    handle.send("approved", json!({ "by": "Grace" })).await?;
    Ok(handle.result().await?)
}
