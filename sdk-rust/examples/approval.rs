//! Deploys a Program that asks for an approval, starts it, sends the event that it waits for, and prints the result.
//!
//! With a running runtime (`wes dev`): `cargo run --example approval`

use std::error::Error;

use serde_json::{Value, json};
use workflow_execution_service::Client;

const APPROVAL: &str = r"
const run = async (ctx, { requester, cents }) => {
  ctx.log.info(`${requester} asks for ${cents} cents`)
  const { by } = await ctx.waitForEvent('approved')
  return { approved: true, by }
}

;({ run })
";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::from_env()?;
    println!("{}", approve(&client).await?);
    Ok(())
}

/// Starts an approval, and approves it.
pub async fn approve(client: &Client) -> Result<Value, Box<dyn Error>> {
    let artifact = json!({ "format": "wes.program/1", "id": "approval-example", "program": { "code": APPROVAL } });
    let program = client.deploy(artifact).await?;

    let input = json!({ "requester": "Ada", "cents": 4200 });
    let handle = client.executions().start(&program.id, input).await?;
    println!("started {}", handle.id());

    handle.send("approved", json!({ "by": "Grace" })).await?;
    Ok(handle.result().await?)
}
