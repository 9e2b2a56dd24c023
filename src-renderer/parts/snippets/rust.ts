// Snippets for the Rust client.

import { ExactNumber } from '../../exact-json.ts'
import { environmentComments, type SnippetRequest, type SnippetTarget } from './request.ts'

export const rustSnippet = (request: SnippetRequest, target: SnippetTarget): string => {
  const calls = callsOf(request)
  const code = calls.join('\n')
  const imports = ['Client', ...(code.includes('StartOptions') ? ['StartOptions'] : [])]
  return [
    ...environmentComments(target),
    ...(code.includes('json!(') ? ['use serde_json::json;'] : []),
    `use workflow_execution_service::${imports.length === 1 ? imports[0] : `{${imports.join(', ')}}`};`,
    '',
    '#[tokio::main]',
    'async fn main() -> workflow_execution_service::Result<()> {',
    ...clientOf(target),
    ...calls.map((line) => `    ${line}`),
    '    Ok(())',
    '}',
    '',
  ].join('\n')
}

const clientOf = ({ url, projectId, needsToken }: SnippetTarget): readonly string[] => [
  '    let client = Client::builder()',
  ...(needsToken ? [] : [`        .url(${textLiteral(url)})`]),
  ...(projectId === undefined ? [] : [`        .project_id(${textLiteral(projectId)})`]),
  '        .build()?;',
]

const callsOf = (request: SnippetRequest): readonly string[] => {
  switch (request.kind) {
    case 'start': {
      const { programId, version, input, idempotencyKey } = request
      const options = [
        ...(version === undefined ? [] : [`.version(${version})`]),
        ...(idempotencyKey === undefined ? [] : [`.idempotency_key(${textLiteral(idempotencyKey)})`]),
      ]
      const given = `${textLiteral(programId)}, ${valueLiteral(input)}`
      const call =
        options.length === 0 ? `start(${given})` : `start_with(${given}, StartOptions::new()${options.join('')})`
      return [
        `let execution = client.executions().${call}.await?;`,
        'println!("{} {}", execution.id(), execution.result().await?);',
      ]
    }
    case 'read':
      return [`println!("{:#?}", client.executions().get(${textLiteral(request.executionId)}).await?);`]
    case 'send-event': {
      const { executionId, name, payload } = request
      const handle = `client.executions().handle(${textLiteral(executionId)})`
      return [`${handle}.send(${textLiteral(name)}, ${valueLiteral(payload)}).await?;`]
    }
  }
}

/** In the Rust client, `()` means no value. */
const valueLiteral = (value: unknown): string => (value === undefined ? '()' : `json!(${jsonLiteral(value)})`)

export const textLiteral = (text: string): string => {
  let out = ''
  for (const character of text) {
    if (character === '"' || character === '\\') out += `\\${character}`
    else if (character === '\n') out += '\\n'
    else if (character === '\t') out += '\\t'
    // Control characters, and characters that change the direction of the text.
    else if (/[\p{Cc}\p{Cf}\u2028\u2029]/u.test(character)) out += `\\u{${character.codePointAt(0)!.toString(16)}}`
    // Rust has no unpaired surrogates.
    else out += /\p{Cs}/u.test(character) ? '\\u{fffd}' : character
  }
  return `"${out}"`
}

const jsonLiteral = (value: unknown): string => {
  if (value instanceof ExactNumber) return bigLiteral(value.source)
  if (typeof value === 'string') return textLiteral(value)
  if (typeof value === 'number') return numberLiteral(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(jsonLiteral).join(', ')}]`
  const members = Object.entries(value).map(([name, member]) => `${textLiteral(name)}: ${jsonLiteral(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Integer literals are 32 bits wide without a suffix. */
const numberLiteral = (value: number): string => {
  if (!Number.isInteger(value)) return String(value).replace('e+', 'e')
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return `${String(value).replace('e+', 'e')}_f64`
  return Math.abs(value) > 2_147_483_647 ? `${value}_i64` : String(value)
}

const bigLiteral = (source: string): string => {
  if (/^\d+$/.test(source) && BigInt(source) <= 18_446_744_073_709_551_615n) return `${source}_u64`
  if (/^-\d+$/.test(source) && BigInt(source) >= -9_223_372_036_854_775_808n) return `${source}_i64`
  return `serde_json::from_str::<serde_json::Value>("${source}").expect("a number")`
}
