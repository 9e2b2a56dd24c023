import { describe, expect, it } from 'vitest'
import { parseExactJson } from '../../exact-json.ts'
import type { SnippetRequest, SnippetTarget } from './request.ts'
import { rustSnippet, textLiteral as rustText } from './rust.ts'

const LOCAL: SnippetTarget = { url: 'http://localhost:3477', projectId: undefined, needsToken: false }
const OTHER: SnippetTarget = { url: 'https://wes.test/api', projectId: 'prj_1', needsToken: true }
const start = (input: unknown): SnippetRequest => ({ kind: 'start', programId: 'order-approval', input })

describe('code in Rust', () => {
  it('escapes text for Rust', () => {
    expect(rustText('a"b\\c\n\t\r\0\u2028\u202e💥/\ud800')).toBe(
      '"a\\"b\\\\c\\n\\t\\u{d}\\u{0}\\u{2028}\\u{202e}💥/\\u{fffd}"',
    )
  })

  it('starts, with numbers of every size', () => {
    const input = parseExactJson(
      '{"a":[1,2147483648,12345678901234567890,-9223372036854775808,1.5,1e30,123456789012345678901234567890],"n":null}',
    )
    expect(rustSnippet({ ...start(input), version: 2 } as SnippetRequest, OTHER)).toBe(`// Environment:
// SERVICE_API_BASE_URL=https://wes.test/api
// SERVICE_TOKEN=<your token>

use serde_json::json;
use workflow_execution_service::{Client, StartOptions};

#[tokio::main]
async fn main() -> workflow_execution_service::Result<()> {
    let client = Client::builder()
        .project_id("prj_1")
        .build()?;
    let execution = client.executions().start_with("order-approval", json!({ "a": [1, 2147483648_i64, 12345678901234567890_u64, -9223372036854775808_i64, 1.5, 1e30_f64, serde_json::from_str::<serde_json::Value>("123456789012345678901234567890").expect("a number")], "n": null }), StartOptions::new().version(2)).await?;
    println!("{} {}", execution.id(), execution.result().await?);
    Ok(())
}
`)
  })

  it('writes no value as ()', () => {
    expect(rustSnippet(start(undefined), LOCAL)).toContain('.start("order-approval", ()).await?;')
    expect(rustSnippet({ kind: 'send-event', executionId: 'e', name: 'n', payload: undefined }, LOCAL)).toContain(
      'client.executions().handle("e").send("n", ()).await?;',
    )
  })
})
