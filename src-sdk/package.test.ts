// Tests the published package: builds it as for publication, and runs it with only what every platform has.

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ScriptedServer, inTurn, json, startScriptedServer } from './scripted-server.test-support.ts'

const ROOT = join(import.meta.dirname, '..')
const bin = (name: string): string => join(ROOT, 'node_modules', '.bin', name)

let dist: string
let server: ScriptedServer
beforeAll(async () => {
  dist = mkdtempSync(join(tmpdir(), 'wes-sdk-'))
  execFileSync(bin('tsc'), ['-p', join(import.meta.dirname, 'tsconfig.build.json'), '--outDir', dist])
  server = await startScriptedServer(
    inTurn(json(201, { id: 'exe_1' }), json(503, {}), json(200, { status: 'completed', result: 42 })),
  )
})
afterAll(async () => {
  rmSync(dist, { recursive: true })
  await server.close()
})

describe('the published package', () => {
  it('contains modules, types and source maps with their sources, and no tests', () => {
    const files = readdirSync(dist, { encoding: 'utf8', recursive: true })
    expect(files).toContain('src-sdk/index.js')
    expect(files).toContain('src-sdk/index.d.ts')
    expect(files.filter((name) => /\.test[.-]/.test(name))).toEqual([])
    const map = JSON.parse(readFileSync(join(dist, 'src-sdk/create-client.js.map'), 'utf8')) as {
      sourcesContent: string[]
    }
    expect(map.sourcesContent[0]).toContain('createClient')
  })

  it('imports only its own modules', () => {
    const specifiers = readdirSync(dist, { encoding: 'utf8', recursive: true })
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [...readFileSync(join(dist, name), 'utf8').matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)])
      .map(([, specifier]) => specifier)
    expect(specifiers.length).toBeGreaterThan(5)
    for (const specifier of specifiers) expect(specifier).toMatch(/^\.\.?\/[\w./-]+\.js$/)
  })

  it('has types for projects whose `lib` is ES2020, without DOM', () => {
    const lib = ['--lib', 'es2020', '--target', 'es2022', '--module', 'nodenext', '--noEmit']
    const types = ['index.d.ts', 'testing/index.d.ts'].map((name) => join(dist, 'src-sdk', name))
    expect(execFileSync(bin('tsc'), ['--strict', '--ignoreConfig', ...lib, ...types], { encoding: 'utf8' })).toBe('')
  })

  it('has types for functions that define Programs with any schema that they get', () => {
    const generic = join(dist, 'generic.ts')
    writeFileSync(
      generic,
      `import { defineProgram } from './src-sdk/index.js'
      type Order<Input> = { readonly '~standard': { version: 1, vendor: string, types: { input: Input, output: Input } } }
      export const orders = <Described extends Order<{ id: string }>>(input: Described) =>
        defineProgram({ id: 'a', input, label: ({ id }) => id }, async (ctx, order) => order.id)
      declare const untyped: any
      defineProgram({ id: 'b', input: untyped }, async (ctx, input) => input.name)`,
    )
    const options = ['--target', 'es2022', '--module', 'nodenext', '--types', '', '--noEmit']
    expect(
      spawnSync(bin('tsc'), ['--strict', '--ignoreConfig', ...options, generic], { encoding: 'utf8' }).stdout,
    ).toBe('')
  })

  it('has types whose errors say what is wrong with a definition, or with a schema', () => {
    const wrong = join(dist, 'wrong.ts')
    writeFileSync(
      wrong,
      `import { createClient, defineEffect, defineEvent, defineProgram } from './src-sdk/index.js'
      type Text = { readonly '~standard': { version: 1, vendor: string, types: { input: string, output: string } } }
      declare const text: Text
      const done = defineEvent<{ by: string }>('done')
      const charge = defineEffect({}, async (input: { cents: number }) => input.cents)
      defineProgram({ id: 'a', input: text, label: (input) => input.length }, async () => 1)
      defineProgram({ id: 'b', input: text }, async (ctx, input: { cents: number }) => input.cents)
      defineProgram({ id: 'c', input: { name: text } }, async () => 1)
      defineProgram({ id: 'd' }, async (ctx) => [
        await ctx.waitForEvent(done, '3 days'),
        await ctx.effect(charge, { cents: '1' }),
      ])
      const sell = defineEffect({}, async () => ({ at: new Date(), lines: new Map<string, number>() }))
      const events = [defineEvent('paid'), defineEvent('refused', text)] as const
      defineProgram({ id: 'e', events }, async (ctx) => {
        const { at, lines } = await sell()
        at.getTime()
        lines.get('a')
        await ctx.waitForEvent('payed')
      })
      defineEffect({}, async (input: { at: Date }) => input.at.getTime())({ at: new Date() })
      const { start, run } = createClient()
      const paid = defineProgram({ id: 'f' }, async (ctx, input: { cents: number }) => input.cents)
      start(paid, { cents: 1 }).then((handle) =>
        handle.send(done))
      start(paid)
      run(paid)`,
    )
    const options = ['--target', 'es2022', '--module', 'nodenext', '--types', '', '--noEmit']
    const { stdout } = spawnSync(bin('tsc'), ['--strict', '--ignoreConfig', ...options, wrong], { encoding: 'utf8' })
    const errors = stdout.split(/^(?=\S)/m).map((error) => error.trim().split(/\n\s+/))
    expect(errors.map((lines) => [/\((\d+),/.exec(lines[0]!)?.[1], lines.at(-1)])).toEqual([
      ['6', "Type 'number' is not assignable to type 'string'."],
      ['7', "Type 'string' is not assignable to type '{ cents: number; }'."],
      ['8', expect.stringContaining('"describe the whole object, such as with z.object({ … })"')],
      ['10', `Type '"3 days"' has no properties in common with type 'WaitForEventOptions'.`],
      ['11', "Type 'string' is not assignable to type 'number'."],
      ['17', expect.stringMatching(/Property 'getTime' does not exist on type 'string'/)],
      [
        '18',
        expect.stringContaining(
          `does not exist on type 'NotJson<"JSON has no Map and no Set: send a list, [...value]">'`,
        ),
      ],
      ['19', expect.stringContaining('"paid"')],
      ['21', expect.stringContaining('"an input arrives as JSON: declare what arrives, such as string for a Date"')],
      ['25', expect.stringMatching(/: Expected 2-3 arguments, but got 1\.$/)],
      ['26', expect.stringMatching(/: Expected 2-3 arguments, but got 1\.$/)],
      ['27', expect.stringMatching(/: Expected 2-3 arguments, but got 1\.$/)],
    ])
  })

  it('accepts the fetch of Cloudflare Workers, whose AbortSignal is no member of globalThis, and that of node-fetch, whose bodies are streams of Node’s', () => {
    const worker = join(dist, 'worker.ts')
    writeFileSync(
      worker,
      `import { createClient } from './src-sdk/index.js'
      declare global {
        abstract class AbortSignal {
          readonly aborted: boolean
          readonly reason: unknown
          onabort: null
          addEventListener(type: string, listener: () => void): void
          removeEventListener(type: string, listener: () => void): void
        }
        type Init = { method?: string; headers?: Record<string, string>; signal?: AbortSignal | null }
        type Answer = { readonly status: number; readonly headers: { get(name: string): string | null }; text(): Promise<string> }
        function fetch(url: string, init?: Init): Promise<Answer>
      }
      declare function nodeFetch(url: string, init?: Init): Promise<Answer & { readonly body: { pipe(): void } | null }>
      createClient({ fetch })
      createClient({ fetch: nodeFetch })`,
    )
    const options = ['--lib', 'es2022', '--target', 'es2022', '--module', 'nodenext', '--types', '', '--noEmit']
    expect(execFileSync(bin('tsc'), ['--strict', '--ignoreConfig', ...options, worker], { encoding: 'utf8' })).toBe('')
  })

  it('works without a process object', async () => {
    // Removes these globals before it loads the package. (Node's own fetch needs Buffer and some others.)
    const script = `
      const { url, entry } = JSON.parse(process.argv[1])
      const log = console.log
      for (const name of ['process', 'global', 'require', 'module'])
        delete globalThis[name]
      const { createClient, ServiceRuntimeError } = await import(entry)
      const handle = await createClient({ url }).start('p')
      log(handle.id, await handle.result(), typeof globalThis.process)
      const local = await createClient({ fetch: () => Promise.reject(new TypeError('refused')) }).programs().catch((error) => error)
      log(local instanceof ServiceRuntimeError, local.message)`
    const run = JSON.stringify({ url: server.url, entry: pathToFileURL(join(dist, 'src-sdk/index.js')).href })
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, run])
    expect(stdout.split('\n')).toEqual([
      'exe_1 42 undefined',
      'true GET http://localhost:3477/v1/programs got no answer: refused',
      '',
    ])
  })
})
