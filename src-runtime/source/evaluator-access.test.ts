// Code of the project's folder cannot reach outside its process while it is evaluated.

import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvaluator, type Evaluator } from './evaluator.ts'

const folder = mkdtempSync(join(tmpdir(), 'wes-access-'))
const secretFile = join(folder, 'secret')
writeFileSync(secretFile, 'the-secret')
const written = join(folder, 'written')

let connections = 0
const server = createServer((_request, response) => void response.end('the-secret'))
let port = 0
const socketPath = join(folder, 'socket')
const onSocket = createServer((_request, response) => void response.end('the-secret'))
for (const one of [server, onSocket]) one.on('connection', () => void connections++)

let signals = 0
const onSignal = (): void => void signals++

let evaluator: Evaluator

beforeAll(async () => {
  process.env['WES_TEST_SECRET'] = 'the-secret'
  process.on('SIGUSR2', onSignal)
  server.listen(0, '127.0.0.1')
  onSocket.listen(socketPath)
  await Promise.all([once(server, 'listening'), once(onSocket, 'listening')])
  port = (server.address() as AddressInfo).port
  evaluator = createEvaluator()
})

afterAll(() => {
  evaluator.stop()
  server.close()
  onSocket.close()
  process.off('SIGUSR2', onSignal)
  delete process.env['WES_TEST_SECRET']
  rmSync(folder, { recursive: true, force: true })
})

/** Evaluates `expression`, which may await: its value, or the error's message. */
const evaluate = async (expression: string): Promise<unknown> => {
  const run = (config: string) =>
    evaluator.evaluate(`({ programs: [], effects: [], converters: {}, config: ${config} })`)
  const started = await run(
    `(globalThis.outcome = undefined, (async () => (${expression}))().then((value) => { globalThis.outcome = { value: String(value) } }, (error) => { globalThis.outcome = { refused: String(error?.message) } }), 1)`,
  )
  if (started.kind !== 'described') return started
  return settled(async () => {
    const looked = await run('globalThis.outcome')
    return looked.kind === 'described' ? looked.described.config : looked
  })
}

const settled = async (look: () => Promise<unknown>): Promise<unknown> => {
  const deadline = Date.now() + 10_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Error('it never settled')
  }
}

/** Ways to load a built-in module. `NAME` is replaced. */
const WAYS: readonly string[] = [
  `import('node:NAME')`,
  `Function('return import("node:NAME")')()`,
  `Promise.resolve('return import("node:NAME")').then(Function).then((load) => load())`,
  `(0, eval)('import("node:NAME")')`,
  `process.getBuiltinModule('node:NAME')`,
  `process.getBuiltinModule('module').createRequire('/')('node:NAME')`,
  `process.mainModule.require('node:NAME')`,
  `require('node:NAME')`,
  `process.binding('NAME')`,
  `process._linkedBinding('NAME')`,
]
const MODULES = ['net', 'fs', 'child_process', 'worker_threads', 'inspector', 'dgram', 'dns', 'module', 'vm']

describe('code of a project that is evaluated', () => {
  it.each(WAYS)('gets no built-in module by %s', async (way) => {
    for (const name of MODULES) {
      expect(await evaluate(way.replaceAll('NAME', name)), name).toHaveProperty('refused')
    }
  })

  it.each([
    ['fetch', `fetch('http://127.0.0.1:PORT/').then((answer) => answer.text())`],
    ['WebSocket', `new WebSocket('ws://127.0.0.1:PORT/').url`],
    ['EventSource', `new EventSource('http://127.0.0.1:PORT/').url`],
    [
      'a Response that loads the HTTP client',
      `new Response('') && globalThis[Symbol.for('undici.globalDispatcher.1')].constructor.name`,
    ],
    [
      'the HTTP client behind WebAssembly',
      `(WebAssembly.compileStreaming(0).catch(() => 0), globalThis[Symbol.for('undici.globalDispatcher.1')].constructor.name)`,
    ],
    [
      'the handle of the line to the runtime',
      `(() => { const pipe = process[Object.getOwnPropertySymbols(process).find((one) => /kChannelHandle/.test(String(one)))];
        const own = new pipe.constructor(0); own.listen(1); return 'listening' })()`,
    ],
    ['process.kill', `process.kill(PARENT, 'SIGUSR2')`],
    ['process._kill', `process._kill(PARENT, 12)`],
    ['process._debugProcess', `process._debugProcess(PARENT)`],
    ['process.dlopen', `process.dlopen({ exports: {} }, '/lib/x.node')`],
    ['process.execve', `process.execve('/bin/true', [], {})`],
    ['process.loadEnvFile', `process.loadEnvFile('SECRET_FILE')`],
    ['process.report', `process.report.writeReport('WRITTEN')`],
    ['process.chdir', `process.chdir('/')`],
    ['process.stdout', `process.stdout.constructor.name`],
    ['a stream of the console', `console._stdout.constructor.name`],
    ['active handles', `process._getActiveHandles().length`],
    ['local storage', `localStorage.setItem('a', 'b')`],
    [
      'a listener of a signal’s sender',
      `process.emit.constructor('return process')().getBuiltinModule('fs').readFileSync('SECRET_FILE')`,
    ],
  ])('is refused %s', async (_what, attempt) => {
    const expression = attempt
      .replaceAll('PORT', String(port))
      .replaceAll('PARENT', String(process.pid))
      .replaceAll('SECRET_FILE', secretFile)
      .replaceAll('WRITTEN', written)
    expect(await evaluate(expression)).toHaveProperty('refused')
  })

  it('finds no secrets in its environment, and no paths of the machine in its arguments', async () => {
    expect(await evaluate('JSON.stringify(process.env)')).toEqual({ value: '{"TZ":"UTC"}' })
    expect(await evaluate('[process.argv, process.execPath].join()')).toEqual({ value: 'node,' })
  })

  it('cannot restore removed functions', async () => {
    expect(await evaluate(`delete process.kill && delete globalThis.fetch`)).toEqual({ value: 'false' })
  })

  it('has everything that schema libraries use', async () => {
    const uses = `new Blob(['a']).size, new URL('http://a/b').pathname, structuredClone({ a: 1 }).a, new TextEncoder().encode('é').length, crypto.randomUUID().length, Buffer.from('a').length, await new Promise((resolve) => setTimeout(resolve, 1, 7)), console.log('x')`
    expect(await evaluate(`[${uses}].join()`)).toEqual({ value: '1,/b,1,2,36,1,7,' })
  })

  it('reached nothing in these tests', () => {
    expect({ connections, signals, written: existsSync(written) }).toEqual({
      connections: 0,
      signals: 0,
      written: false,
    })
  })
})
