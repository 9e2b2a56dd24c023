// Runs the dashboard's snippets: lines in a shell, TypeScript with the compiler.

import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { transform } from 'esbuild'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseExactJson } from '../../src-renderer/exact-json.ts'
import { powerShellDeploy, powerShellSnippet, powerShellString } from '../../src-renderer/parts/snippets/power-shell.ts'
import type { SnippetRequest, SnippetTarget } from '../../src-renderer/parts/snippets/request.ts'
import { cliSnippet, curlSnippet, shellWord } from '../../src-renderer/parts/snippets/shell.ts'
import { textLiteral, typeScriptSnippet } from '../../src-renderer/parts/snippets/typescript.ts'

const HOSTILE = [
  `it's`,
  `'; touch /tmp/wes-owned; '`,
  '$(touch /tmp/wes-owned) `id` ${HOME} $HOME',
  '"double" \\backslash\\ \\n',
  'new\nline\r\n\ttab',
  '-rf',
  '--url=http://evil',
  '!history !! *glob* ~ [a-z] {a,b} # no comment',
  'ünïcode 💥 \u2028\u2029 \u202e',
  ' spaces ',
  '@file',
  '\u0001\u007f',
  '"#"##"',
]
const VALUE: unknown = parseExactJson(
  `{"texts":${JSON.stringify(HOSTILE)},"big":12345678901234567890,"__proto__":{"x":[]},"a b":{},"n":null,"f":-1.5e-7}`,
)
const LOCAL: SnippetTarget = { url: 'http://localhost:3477', projectId: undefined, needsToken: false }
const OTHER: SnippetTarget = { url: 'https://wes.test/api', projectId: 'prj_1', needsToken: true }

let folder: string
const run = promisify(execFile)

/** Runs a line in a shell in which curl and wes print their arguments. */
const argumentsOf = async (line: string): Promise<readonly string[]> => {
  const { stdout } = await run('sh', ['-c', line], {
    env: { PATH: `${folder}${delimiter}${process.env['PATH']}` },
    timeout: 60_000,
  })
  return JSON.parse(stdout) as readonly string[]
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'wes-snippets-'))
  for (const name of ['curl', 'wes']) {
    const file = join(folder, name)
    writeFileSync(file, `#!${process.execPath}\nconsole.log(JSON.stringify(process.argv.slice(2)))\n`)
    chmodSync(file, 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const start = (input: unknown): SnippetRequest => ({ kind: 'start', programId: 'order-approval', input })

describe('a line for the shell', () => {
  it('passes hostile text unchanged, without running it', async () => {
    expect(await argumentsOf(`wes ${HOSTILE.map(shellWord).join(' ')}`)).toEqual(HOSTILE)
  })

  it('passes any text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0'))),
        async (texts) => {
          const wellFormed = texts.map((text) => text.toWellFormed())
          expect(await argumentsOf(`wes x ${wellFormed.map(shellWord).join(' ')}`)).toEqual(['x', ...wellFormed])
        },
      ),
      { numRuns: 20 },
    )
  })

  it('starts with curl, in a project, with a placeholder for the token', async () => {
    const request: SnippetRequest = { kind: 'start', programId: 'p', version: 3, input: VALUE, idempotencyKey: "k'1" }
    const given = await argumentsOf(curlSnippet(request, OTHER))
    expect(given.slice(0, -1)).toEqual([
      '-sS',
      'https://wes.test/api/v1/executions',
      '-H',
      'Authorization: Bearer <your token>',
      '-H',
      'X-Service-Project-Id: prj_1',
      '-H',
      "Idempotency-Key: k'1",
      '-H',
      'Content-Type: application/json',
      '--data-raw',
    ])
    expect(given.at(-1)).toBe(JSON.stringify({ programId: 'p', version: 3, input: VALUE }))
    expect(given.at(-1)).toContain('12345678901234567890')
  })

  it('leaves out a missing input and payload', async () => {
    expect((await argumentsOf(curlSnippet(start(undefined), LOCAL))).at(-1)).toBe('{"programId":"order-approval"}')
    expect(cliSnippet(start(undefined), LOCAL)).toBe('wes start order-approval')
    const event: SnippetRequest = { kind: 'send-event', executionId: 'exe_1', name: 'go', payload: undefined }
    expect(cliSnippet(event, LOCAL)).toBe('wes send exe_1 go')
    expect((await argumentsOf(curlSnippet(event, LOCAL))).at(-1)).toBe('{"name":"go"}')
  })

  it('reads with curl', async () => {
    expect(await argumentsOf(curlSnippet({ kind: 'read', executionId: 'exe_1/..?' }, LOCAL))).toEqual([
      '-sS',
      'http://localhost:3477/v1/executions/exe_1%2F..%3F',
    ])
  })

  it('starts and sends with wes', async () => {
    expect(await argumentsOf(cliSnippet({ ...start(VALUE), version: 2 } as SnippetRequest, OTHER))).toEqual([
      'start',
      '--project-id=prj_1',
      '--version',
      '2',
      `--input=${JSON.stringify(VALUE)}`,
      'order-approval',
    ])
    for (const name of HOSTILE) {
      const event: SnippetRequest = { kind: 'send-event', executionId: 'exe_1', name, payload: -5 }
      const given = await argumentsOf(cliSnippet(event, LOCAL))
      expect(given.filter((one) => one !== '--')).toEqual(['send', 'exe_1', name, '-5'])
      expect(given[1], 'what begins with a dash is no flag').toBe('--')
    }
  })
})

describe('a snippet for PowerShell', () => {
  it('names the address, the project and the body', () => {
    const request: SnippetRequest = { kind: 'start', programId: 'p', input: { by: "it's" } }
    expect(powerShellSnippet(request, LOCAL)).toBe(
      "Invoke-RestMethod -Method Post 'http://localhost:3477/v1/executions' `\n" +
        "  -ContentType 'application/json; charset=utf-8' `\n" +
        `  -Body '{"programId":"p","input":{"by":"it''s"}}'`,
    )
    expect(powerShellSnippet({ ...request, version: 2, idempotencyKey: 'a b' }, OTHER)).toBe(
      "$env:SERVICE_API_BASE_URL = 'https://wes.test/api'\n" +
        "$env:SERVICE_TOKEN = '<your token>'\n" +
        "Invoke-RestMethod -Method Post ($env:SERVICE_API_BASE_URL + '/v1/executions') `\n" +
        `  -Headers @{ Authorization = "Bearer $env:SERVICE_TOKEN"; 'X-Service-Project-Id' = 'prj_1'; 'Idempotency-Key' = 'a b' } \`\n` +
        "  -ContentType 'application/json; charset=utf-8' `\n" +
        `  -Body '{"programId":"p","version":2,"input":{"by":"it''s"}}'`,
    )
  })

  it('reads an Execution, and sends an event', () => {
    expect(powerShellSnippet({ kind: 'read', executionId: 'exe_1' }, LOCAL)).toBe(
      "Invoke-RestMethod 'http://localhost:3477/v1/executions/exe_1'",
    )
    const event: SnippetRequest = { kind: 'send-event', executionId: 'exe_1', name: 'approved', payload: undefined }
    expect(powerShellSnippet(event, LOCAL)).toContain(
      "Post 'http://localhost:3477/v1/executions/exe_1/events' `\n  -ContentType",
    )
  })

  it('deploys a folder', () => {
    expect(powerShellDeploy({ ...LOCAL, url: 'http://localhost:4000' })).toBe('wes deploy --url http://localhost:4000')
    expect(powerShellDeploy({ ...OTHER, cli: 'npx wes' })).toBe(
      "$env:SERVICE_API_BASE_URL = 'https://wes.test/api'; $env:SERVICE_TOKEN = '<your token>'; npx wes deploy --project-id=prj_1",
    )
  })

  it('doubles everything that would end a string', () => {
    expect(powerShellString("a'b’c‘d‚e‛f $x `n")).toBe("'a''b’’c‘‘d‚‚e‛‛f $x `n'")
  })
})

describe('code in TypeScript', () => {
  /** Runs it with a client that records its calls. */
  const calls = async (request: SnippetRequest, target: SnippetTarget): Promise<unknown> => {
    const { code } = await transform(typeScriptSnippet(request, target), { loader: 'ts', target: 'es2022' })
    const seen: unknown[] = []
    const note =
      (name: string) =>
      (...given: unknown[]) => {
        seen.push([name, JSON.stringify(given)])
        return { id: 'exe_1', result: () => null }
      }
    const createClient = (...given: unknown[]) => {
      seen.push(['createClient', JSON.stringify(given)])
      return { start: note('start'), sendEvent: note('sendEvent'), getExecution: note('getExecution') }
    }
    const body = code.replace(/^import .*$/m, '')
    await (runInNewContext(`(async () => {${body}})()`, {
      createClient,
      JSON,
      console: { log: () => {} },
    }) as Promise<void>)
    return seen
  }

  it('writes every value exactly', async () => {
    expect(await calls({ ...start(VALUE), version: 3, idempotencyKey: "k'" } as SnippetRequest, OTHER)).toEqual([
      ['createClient', '[{"projectId":"prj_1"}]'],
      ['start', JSON.stringify(['order-approval', VALUE, { version: 3, idempotencyKey: "k'" }])],
    ])
    expect(await calls({ kind: 'send-event', executionId: 'exe_1', name: "it's", payload: VALUE }, LOCAL)).toEqual([
      ['createClient', '[]'],
      ['sendEvent', JSON.stringify(['exe_1', "it's", VALUE])],
    ])
  })

  it('writes any text exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(runInNewContext(textLiteral(text))).toBe(text)
      }),
    )
  })

  it('reads', () => {
    expect(typeScriptSnippet({ kind: 'read', executionId: 'exe_1' }, LOCAL)).toBe(
      "import { createClient } from 'workflow-execution-service'\n\nconst client = createClient()\n" +
        "console.log(await client.getExecution('exe_1'))\n",
    )
  })
})
