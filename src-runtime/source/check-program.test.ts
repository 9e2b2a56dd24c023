import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCompiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject } from './project.test-support.ts'
import type { CompiledFile } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const compile = async (sources: Readonly<Record<string, string>>): Promise<CompiledFile> => {
  const project = createProject(sources, {
    packages: !Object.keys(sources).some((path) => path.startsWith('node_modules')),
  })
  const compiler = createCompiler({ folder: project.folder, evaluator })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const [file] = await compiler.compile(['programs/p.ts'])
  return file!
}

/** A Program with this body; `before` starts at line 3. */
const program = (body: string, before = ''): Readonly<Record<string, string>> => ({
  'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
${before}
export default defineProgram({ id: 'p' }, async (ctx, input) => {
  ${body}
})
`,
})

const messagesOf = async (sources: Readonly<Record<string, string>>) =>
  (await compile(sources)).errors.map(({ message }) => message)

describe('the compiler refuses, in a Program,', () => {
  const cases: readonly (readonly [what: string, body: string, begins: string, advice: string])[] = [
    ['timers', 'setTimeout(() => {}, 10)', '4:3 setTimeout', 'ctx.sleep'],
    ['timers behind await', 'await new Promise((done) => setInterval(done, 10))', '4:31 setInterval', 'ctx.sleep'],
    ['fetch', "return fetch('https://x')", '4:10 fetch', 'effect'],
    ['fetch on the global object', "return globalThis.fetch('https://x')", '4:10 globalThis.fetch', 'effect'],
    ['fetch, taken from the global object', "const { fetch } = globalThis; return fetch('x')", '4:40 fetch', 'effect'],
    ['fetch by another name', "const { fetch: get } = globalThis; return [get('x')]", '4:46 fetch', 'effect'],
    [
      'timers of the global object in a constant',
      'const g: any = globalThis; g.setTimeout(() => {}, 1)',
      '4:32 setTimeout',
      'ctx.sleep',
    ],
    ['a value of a constant', 'const g: any = globalThis, { env } = g.process; return env', '4:42 process', 'input'],
    ['require of the global object', "return globalThis.require('fs')", '4:10 globalThis.require', 'import'],
    ['WebSocket', "new WebSocket('wss://x')", '4:7 WebSocket', 'effect'],
    ['process', 'return process.env.HOME', '4:10 process', 'input'],
    ['process in a shorthand', 'return { process }', '4:12 process', 'input'],
    ['Buffer', "return Buffer.from('x')", '4:10 Buffer', 'Uint8Array'],
    ['__dirname', 'return __dirname', '4:10 __dirname', 'input'],
    ['Intl', 'return new Intl.NumberFormat().format(1)', '4:14 Intl', 'effect'],
    ['performance', 'return performance.now()', '4:10 performance', 'Date.now()'],
    ['window', 'return window.location', '4:10 window', 'globalThis'],
    ['Headers', 'return new Headers()', '4:14 Headers', 'effect'],
    ['Blob', 'return input instanceof Blob', '4:27 Blob', 'Uint8Array'],
    ['localStorage', "localStorage.setItem('a', 'b')", '4:3 localStorage', 'variables'],
    ['self', 'return self', '4:10 self', 'globalThis'],
    ['crypto.subtle', 'return crypto.subtle.digest(input)', '4:10 crypto.subtle', 'effect'],
    ['AbortSignal.timeout', 'return AbortSignal.timeout(5)', '4:10 AbortSignal.timeout', 'ctx.sleep'],
    ['Temporal', 'return Temporal.Now.instant()', '4:10 Temporal', 'Date'],
    ['WeakRef', 'return new WeakRef({})', '4:14 WeakRef', 'garbage'],
    ['import()', "return import('node:fs')", '4:10 import()', 'top of the module'],
    ['import() of a text that is not known', 'return import(input.name)', '4:10 import()', 'top of the module'],
    ['require()', "return require('node:fs')", '4:10 "node:fs"', 'effect'],
  ]
  it.each(cases)('%s', async (_, body, begins, advice) => {
    const { errors, programs, failedIds } = await compile(program(body))
    expect(errors).toHaveLength(1)
    expect(errors[0]!.message.startsWith(`programs/p.ts:${begins} is not available in a Program`)).toBe(true)
    expect(errors[0]!.message).toContain(advice)
    expect(errors[0]!.frame).toContain(`> 4 |   ${body}`)
    expect(programs).toEqual([])
    expect(failedIds).toEqual(['p'])
  })

  const classic = '{ "compilerOptions": { "jsx": "react", "jsxFactory": "h", "jsxFragmentFactory": "Both" } }'
  it.each([
    ['an element', '<b>1</b>', '', '{}', ['React.createElement']],
    ['an element of a tsconfig.json', '<b>1</b>', '', classic, ['h']],
    ['a fragment', '<>1</>', "import { h } from './h.ts'", classic, ['Both']],
    ['what is declared', '<b>{[1].map((one) => <i>{one}</i>)}</b>', "import { make as h } from './h.ts'", classic, []],
    ['what a package declares', '<><b>1</b></>', '', '{ "compilerOptions": { "jsx": "react-jsx" } }', []],
  ])('JSX that calls what is not declared: %s', async (_, jsx, before, settings, called) => {
    const project = createProject(
      {
        'programs/p.tsx': program(`return ${jsx}`, before)['programs/p.ts']!,
        'programs/h.ts': 'export const make = (...parts: unknown[]) => parts\nexport { make as h }',
        'tsconfig.json': settings,
      },
      { packages: true },
    )
    const compiler = createCompiler({ folder: project.folder, evaluator })
    onTestFinished(project.dispose)
    onTestFinished(compiler.stop)
    const [file] = await compiler.compile(['programs/p.tsx'])
    expect(file!.errors.map(({ message }) => message)).toEqual(
      called.map((name) => expect.stringContaining(`programs/p.tsx:4:10 JSX calls ${name}, which is not declared`)),
    )
  })

  it('Node built-ins, with the position of their import', async () => {
    expect(await messagesOf(program('return readFileSync(input)', "import { readFileSync } from 'node:fs'"))).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:\d+ "node:fs" is not available in a Program: call an effect/),
    ])
    expect(await messagesOf(program('return fs.readFileSync(input)', "import fs from 'fs'"))).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:\d+ "fs" is not available/),
    ])
  })

  it('Node built-ins that the project does without in browsers', async () => {
    const sources = program(
      'return [readFileSync, hash]',
      "import { readFileSync } from 'fs'; import { hash } from 'node:crypto'",
    )
    const browser = { fs: false, 'node:crypto': false }
    expect(await messagesOf({ ...sources, 'package.json': JSON.stringify({ browser }) })).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:\d+ "fs" is not available/),
      expect.stringMatching(/^programs\/p\.ts:2:\d+ "node:crypto" is not available/),
    ])
  })

  it('Node built-ins that have something else in their place', async () => {
    expect(
      await messagesOf(program('await setTimeout(5)', "import { setTimeout } from 'node:timers/promises'")),
    ).toEqual([
      expect.stringMatching(
        /^programs\/p\.ts:2:\d+ "node:timers\/promises" is not available in a Program: .* ctx\.sleep/,
      ),
    ])
    expect(await messagesOf(program('return randomUUID()', "import { randomUUID } from 'crypto'"))).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:\d+ "crypto" is not available in a Program: use the global crypto/),
    ])
  })

  it('what it takes from a global object that another module holds', async () => {
    const sources = {
      ...program("return root.fetch('x')", "import { root } from './root.ts'"),
      'programs/root.ts': 'export const root: any = globalThis',
    }
    expect(await messagesOf(sources)).toEqual([expect.stringMatching(/^programs\/p\.ts:4:15 fetch is not available/)])
  })

  it('top-level await', async () => {
    const [message] = await messagesOf(program('return rate', 'const rate = await Promise.resolve(1)'))
    expect(message).toMatch(/^programs\/p\.ts:2:14 top-level await is not available in a Program/)
  })

  it('an effect that is defined outside of a *.effects.ts module, if the Program uses it', async () => {
    const define =
      "import { defineEffect } from 'workflow-execution-service'\nexport const charge = defineEffect({}, async () => 1)"
    const withShared = (body: string) => ({
      ...program(body, "import { charge, rate } from './shared.ts'"),
      'programs/shared.ts': `${define}\nexport const rate = 2`,
    })
    expect(await messagesOf(withShared('return [await charge(), rate]'))).toEqual([
      expect.stringMatching(
        /^programs\/shared\.ts:2:23 an effect that is defined here .* \*\.effects\.ts module .*\n {2}imported through/,
      ),
    ])
    expect(await messagesOf(withShared('return rate'))).toEqual([])
    const own = program('return charge()', define.replace('\n', ';').replace('export', ''))
    expect(await messagesOf(own)).toEqual([expect.stringMatching(/^programs\/p\.ts:2:\d+ an effect that is defined/)])
    expect(
      await messagesOf(program('return charge()', 'const defineEffect = () => () => 1; const charge = defineEffect()')),
    ).toEqual([])
  })

  it('a call of an effect with more than its one input', async () => {
    const [path, text] = ['programs/p.effects.ts', 'export const charge = async () => 1\nexport const other = charge\n']
    const calls = (call: string) =>
      messagesOf({
        ...program(call, `import * as all from './p.effects.ts'; import { charge } from './p.effects.ts'`),
        [path]: text,
      })
    const refused = 'an effect takes one input, so this argument of "charge" would be lost: pass one object'
    expect(await calls('await charge(input.id, 5, 6)')).toEqual([`programs/p.ts:4:26 ${refused}`])
    expect(await calls('return (() => all.charge({}, ctx))()')).toEqual([`programs/p.ts:4:32 ${refused}`])
    expect(await calls('return charge?.(1, 2)')).toEqual([`programs/p.ts:4:22 ${refused}`])
    expect(
      await calls(
        'return [charge(input), input.map(all.other), charge(...input), ((charge) => charge(1, 2))(Math.max)]',
      ),
    ).toEqual([])
  })

  it('but it only warns of an effect that is not awaited', async () => {
    const effects = { 'programs/p.effects.ts': 'export const charge = async () => 1' }
    const body =
      'if (input) charge(1); void charge(2); [3].map((one) => void charge(one)); await charge(4); return charge(5)'
    const { errors, programs } = await compile({
      ...program(body, "import { charge } from './p.effects.ts'"),
      ...effects,
    })
    expect(errors).toEqual([])
    expect(programs[0]!.warnings.doubtful).toEqual([
      'programs/p.ts:4:14 effect "charge" is called without await: the Program does not wait for it, and it is dropped if the Program returns first. Write await, or void if that is meant',
    ])
  })

  const unawaitedIn = async (body: string, before = '') => {
    const { errors, programs } = await compile({
      ...program(body, `import { charge } from './p.effects.ts'; ${before}`),
      'programs/p.effects.ts': 'export const charge = async () => 1',
    })
    expect(errors).toEqual([])
    return programs[0]!.warnings.doubtful.map((warning) => warning.split(' is called')[0]!.split(':4:')[1])
  }

  it('nor of one whose result a statement drops in some other way', async () => {
    expect(await unawaitedIn('input && charge(1)')).toEqual(['12 effect "charge"'])
    expect(await unawaitedIn('charge?.(1); (input ? charge(2) : void charge(3))')).toEqual([
      '3 effect "charge"',
      '25 effect "charge"',
    ])
    expect(await unawaitedIn('for (const one of input) one ?? (await charge(1), charge(2))')).toEqual([
      '53 effect "charge"',
    ])
    expect(
      await unawaitedIn('const last = input && charge(1); for (const _ of (input, [charge(2)])) await last'),
    ).toEqual([])
  })

  it('nor of a call of the context', async () => {
    expect(
      await unawaitedIn(
        "ctx.sleep('1h'); if (input) ctx.waitForEvent('go'); await ctx.sleepUntil(0); void ctx.sleep(1)",
      ),
    ).toEqual(['3 ctx.sleep', '31 ctx.waitForEvent'])
    expect(
      await unawaitedIn(
        'const later = async () => { ctx.effect(charge) }; const { a } = later as any; return ctx.sleep(a)',
      ),
    ).toEqual(['31 ctx.effect'])
    const run = 'const run = async (context: any, ctx: any) => { ctx.sleep(1); context.log.info(1); context.sleep(2) }'
    const { programs } = await compile({
      ...program(
        '',
        `${run}; export const other = defineProgram({ id: 'other' }, run)
export const third = defineProgram({ id: 'third' }, later); async function later(ctx: any) { ctx.sleep(1) }`,
      ),
    })
    expect(programs.map(({ warnings }) => warnings.doubtful)).toEqual([
      [],
      [expect.stringMatching(/^programs\/p\.ts:2:84 context\.sleep is called without await/)],
      [expect.stringMatching(/^programs\/p\.ts:3:94 ctx\.sleep is called without await/)],
    ])
    expect(
      await unawaitedIn(
        '((ctx) => ctx.sleep(1))({ sleep: Math.abs }); { const ctx = { sleep: Math.abs }; ctx.sleep(1) }',
      ),
    ).toEqual([])
  })

  it('nor of a call of the context in functions that get the context, or its methods', async () => {
    const helpers = `export async function remind(ctx: any) { ctx.sleep('1h'); await nag(1, ctx) }
const nag = async (_: number, context: any) => { const { effect } = context; effect('mail'); await context.sleep(1) }
export const pause = async ({ sleep, waitForEvent: wait }: any) => { sleep(1); void wait('a'); wait('b') }
export const other = (ctx: any) => { ctx.sleep(1) }
export const twice = (ctx: any) => { { const { sleep } = ctx; void sleep(1) } { const sleep = Math.abs; sleep(1) } }`
    const body = 'await remind(ctx); await pause(ctx); other({ sleep: Math.abs }); twice(ctx)'
    const { programs } = await compile({
      ...program(body, "import { other, pause, remind, twice } from './helpers.ts'"),
      'programs/helpers.ts': helpers,
    })
    expect(programs[0]!.warnings.doubtful.map((warning) => warning.split(' without await')[0])).toEqual([
      'programs/helpers.ts:1:42 ctx.sleep is called',
      'programs/helpers.ts:2:78 effect is called',
      'programs/helpers.ts:3:70 sleep is called',
      'programs/helpers.ts:3:96 wait is called',
    ])
  })

  it('and of a wait for an event that the Program does not declare, if it declares any', async () => {
    const waits = async (events: string) => {
      const { errors, programs } = await compile({
        'programs/p.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { later } from './helpers.ts'
const paid = defineEvent('paid'), refused = defineEvent('refused'), known = ['any']
const run = async (ctx, input) => { const { waitForEvent } = ctx
  await ctx.waitForEvent('payed'); await ctx.waitForEvent(refused)
  await ctx.waitForEvent('paid'); await ctx.waitForEvent(paid); await ctx.waitForEvent(known[0])
  await waitForEvent("late"); await later(ctx); await input.waitForEvent('none')
}
export default defineProgram({ id: 'p', events: [${events}] }, run)`,
        'programs/helpers.ts': `export const later = async (ctx) => ctx.waitForEvent('later')`,
      })
      expect(errors).toEqual([])
      return programs[0]!.warnings.doubtful
    }
    const rest =
      'is not among the events that the Program declares (paid, other): correct its name, or add it to events, so that the service checks its payloads'
    expect(await waits("paid, defineEvent('other')")).toEqual([
      `programs/p.ts:5:26 event "payed" ${rest}`,
      `programs/p.ts:5:59 event "refused" ${rest}`,
      `programs/p.ts:7:22 event "late" ${rest}`,
      `programs/helpers.ts:1:54 event "later" ${rest}`,
    ])
    expect(await waits('')).toEqual([])
    expect(await waits("...['paid', 'payed', 'refused', 'late', 'later'].map((name) => defineEvent(name))")).toEqual([])
  })

  it('nor of what is dropped with the call of another function', async () => {
    expect(await unawaitedIn('Promise.all([charge(1), ctx.sleep(1)]); await Promise.all([charge(2)])')).toEqual([
      '16 effect "charge"',
      '27 ctx.sleep',
    ])
    expect(
      await unawaitedIn('Promise.all(input.map((one) => charge(one))); input.forEach((one) => charge(one))'),
    ).toEqual(['34 effect "charge"', '72 effect "charge"'])
    expect(
      await unawaitedIn('charge(1).then(input.a).finally(input.b); charge(2).then(input.a).catch(input.b)'),
    ).toEqual(['3 effect "charge"'])
    const each = 'await charge(one); input.a(one)'
    const { programs } = await compile({
      ...program(
        `input.forEach(async (one) => { ${each} }); await Promise.all(input.map(async (one) => { ${each} }))`,
        "import { charge } from './p.effects.ts'",
      ),
      'programs/p.effects.ts': 'export const charge = async () => 1',
    })
    expect(programs[0]!.warnings.doubtful).toEqual([
      'programs/p.ts:4:17 forEach does not wait for this asynchronous function: the Program goes on, and the rest of the function is dropped if the Program returns first. Await in a for loop, or await Promise.all of map',
    ])
  })

  it('nor of modules that import each other, and read what has no value yet', async () => {
    const sources = {
      ...program(
        'return [first, make(), other]',
        "import { first, make } from './a.ts'; import { other } from './c.ts'",
      ),
      'programs/a.ts': `import { second } from './b.ts'
export const first = 'first', make = () => second
export class Base {}
export function hoisted() {}`,
      'programs/b.ts': `import * as a from './a.ts'; import { Base, first, hoisted, make } from './a.ts'
const lazily = () => first, kind = typeof first, { or = first } = { or: 1 }
if (kind === 'string') lazily(first)
class Own { base = Base; static made = a.make; get() { return first } }
export const second = [\`\${first}\`, lazily, kind, or, Own, hoisted, globalThis.eval && make]`,
      'programs/c.ts': "import { d } from './d.ts'\nexport const other = () => d\nexport const unit = 1",
      'programs/d.ts': "import { unit } from './c.ts'\nexport const d = () => unit",
    }
    const { errors, programs } = await compile(sources)
    expect(errors).toEqual([])
    const undefinedAt = (place: string) =>
      `programs/b.ts:${place} this is undefined: programs/a.ts, which declares it, imports this module, itself or through others, and so runs later. Move what both need into a third module`
    expect(programs[0]!.warnings.doubtful).toEqual([undefinedAt('4:42'), undefinedAt('5:27')])
  })

  it('but not one that is kept beside something else, and that nothing calls', async () => {
    const shared = `import { defineEffect } from 'workflow-execution-service'
const policy = { timeout: '5s' }
const retrying = (run: () => Promise<number>) => defineEffect({}, run)
export const charge = defineEffect({ ...policy }, async () => 1)
export const refund = retrying(async () => 2)
export const shop = { rate: 2, retrying, void: defineEffect({}, async () => 3) }`
    const sources = {
      ...program(
        'return [await charge(), shop.rate]',
        "import { charge } from './p.effects.ts'; import { shop } from './shared.ts'",
      ),
      'programs/p.effects.ts': "export { charge, refund } from './shared.ts'",
    }
    expect(await messagesOf({ ...sources, 'programs/shared.ts': shared })).toEqual([])
    const called = `${shared}\nshop.rate = [1].map(charge).length`
    expect(await messagesOf({ ...sources, 'programs/shared.ts': called })).toEqual([
      expect.stringMatching(/^programs\/shared\.ts:4:23 an effect that is defined/),
    ])
  })

  it('import defer', async () => {
    const own = program('return other.x', "import defer * as other from './other.ts'")
    expect(await messagesOf({ ...own, 'programs/other.ts': 'export const x = 1' })).toEqual([
      'programs/p.ts:2:8 `import defer` is not available: import without `defer`',
    ])
  })

  it('import() of a module of its own', async () => {
    const sources = { ...program("return (await import('./other.ts')).x"), 'programs/other.ts': 'export const x = 1' }
    expect(await messagesOf(sources)).toEqual([expect.stringMatching(/^programs\/p\.ts:4:17 import\(\)/)])
  })

  it('import.meta', async () => {
    expect(await messagesOf(program('return import.meta.url'))).toEqual([
      expect.stringMatching(/^programs\/p\.ts:4:10 import\.meta is not available in a Program/),
    ])
  })

  it('several errors at once, in order', async () => {
    const messages = await messagesOf(program('setTimeout(() => fetch("x"), 1); return process.env'))
    expect(messages.map((message) => message.split(' ').slice(0, 2).join(' '))).toEqual([
      'programs/p.ts:4:3 setTimeout',
      'programs/p.ts:4:20 fetch',
      'programs/p.ts:4:43 process',
    ])
  })
})

it('the compiler reads expressions of thousands of terms', async () => {
  const terms = 6_000
  const sum = `return input.a${' + input.a'.repeat(terms)}`
  expect(await messagesOf(program(`${sum} + fetch`))).toEqual([
    expect.stringContaining(`programs/p.ts:4:${sum.length + 6} fetch is not available in a Program`),
  ])
  const known = "typeof fetch === 'function'"
  expect(await messagesOf(program(`return ${known} && (input.a${' && input.a'.repeat(terms)} && fetch)`))).toEqual([])
  expect(await messagesOf(program(`return ${known}${' && input.a'.repeat(terms)} && fetch || fetch`))).toEqual([
    expect.stringMatching(/^programs\/p\.ts:4:\d+ fetch is not available in a Program/),
  ])
})

describe('the compiler accepts, in a Program,', () => {
  const cases: readonly (readonly [what: string, body: string, before?: string])[] = [
    ['a parameter', 'return ((process) => process.env)({ env: 1 })'],
    ['a local variable', 'const fetch = () => 1; return fetch()'],
    ['a variable of the module', 'return setTimeout', 'const setTimeout = 5'],
    ['a property', 'return input.fetch + input.process.Intl'],
    ['a member', 'return { setTimeout: 1, fetch() { return 2 } }'],
    ['a type', 'const t: typeof setTimeout | undefined = undefined; return t'],
    ['text', 'return "fetch(process.env) import(x)"'],
    ['a label', 'fetch: for (;;) break fetch; return 1'],
    ['asking whether it is there', "return typeof process === 'undefined'"],
    ['using it only where it is', "return typeof process !== 'undefined' && process.env ? 1 : 2"],
    ['asking for a member', "return typeof crypto.subtle + typeof globalThis['fetch']"],
    ['using a member only where it is', "return typeof globalThis.fetch === 'function' ? globalThis.fetch : 1"],
    ['a global that it makes', 'return self', 'globalThis.self = globalThis'],
    [
      'a property of the global object that it does without',
      'return g.process?.env ?? g.x',
      'const g: any = globalThis',
    ],
    ['one that it asks for', 'const { fetch, Intl = 1 } = globalThis; return fetch ? fetch("x") : Intl'],
    [
      'a variable that may hold another object',
      "return g.fetch('x')",
      'let g: any = globalThis; g = { fetch: () => 1 }',
    ],
    ['one that it sets', 'return g.self.Array', 'const g: any = globalThis; g.self = g'],
    ['one that it looks for', "const { fetch } = globalThis; return 'fetch' in globalThis && fetch('x')"],
    ['one that it asks for by a function', 'const { process } = globalThis; return Boolean(process) && process.env'],
    ['one that a function may set', 'const g: any = globalThis; Object.assign(g, { self: 1 }); return g.self.x'],
    ['one whose absence it catches', 'const g: any = globalThis; try { return g.process.env } catch { return 1 }'],
    ['a variable of another scope', '{ const g: any = globalThis; g.x = 1 } { const g = input; return g.fetch("x") }'],
    ['code that is never reached', 'if (false) setTimeout(() => {}, 1); return 1'],
    ['what only runs in development', "if (process.env.NODE_ENV !== 'production') setTimeout(() => {}, 1); return 1"],
    ['a function that nobody calls', 'return 1', 'const later = () => setTimeout(() => {}, 1)'],
    ['process.env.NODE_ENV', 'return process.env.NODE_ENV'],
    [
      'Date, Math.random and crypto, which replay',
      'return [Date.now(), new Date(), Math.random(), crypto.randomUUID()]',
    ],
  ]
  it.each(cases.map((given) => [...given, ''].slice(0, 3)))('%s', async (_, body = '', before = '') => {
    const { errors, programs } = await compile(program(body, before))
    expect(errors).toEqual([])
    expect(programs).toHaveLength(1)
    expect(programs[0]!.artifact.program.code).not.toMatch(/[^\x00-\x7f]/)
  })

  it('what it takes from the global object where another module sets it', async () => {
    const sources = {
      ...program(
        'const g: any = globalThis; return [one, g.process.env, process.env, Buffer.from(""), new Event("a"), fetch("a"), Intl]',
        "import { one } from './set.ts'; declare const process: any, Buffer: any",
      ),
      'programs/set.ts': `const g: any = globalThis
g.process ??= { env: 1 }
Object.defineProperty(globalThis, 'Buffer', { value: class {} })
Reflect.defineProperty(g, 'Event', { value: class {}, configurable: true })
Object.assign(globalThis, { fetch: () => 1, 'Headers': class {} }, { Intl: {} })
export const one = 1`,
    }
    expect(await messagesOf(sources)).toEqual([])
  })

  it('forbidden names in unused parts of a module', async () => {
    const sources = {
      ...program('return money(1)', "import { money } from './tools.ts'"),
      'programs/tools.ts':
        "import { readFileSync } from 'node:fs'\nexport const money = (x: number) => `${x} EUR`\nexport const wait = () => setTimeout(() => {}, 1)\nexport const read = () => readFileSync('x')\n",
    }
    expect(await messagesOf(sources)).toEqual([])
  })
})

describe('a module that Programs share', () => {
  const shared = {
    ...program('return [open(1), approved.name, later()]', "import { approved, later, open } from './shared.ts'"),
    'programs/shared.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { pay } from './pay.effects.ts'
export const Order = z.object({ id: z.string() }).strict(), Item = z.string(), later = () => fetch('x')
export const approved = defineEvent('approved', Order), open = (x: number) => x + 1
export default defineProgram({ id: 'other', input: Order, events: [approved] }, async () => pay())
`,
    'programs/pay.effects.ts': 'export const pay = async () => 1',
  }

  it('gets errors with positions in its source', async () => {
    const { errors } = await compile(shared)
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/shared\.ts:4:94 fetch is not available in a Program/),
    ])
    expect(shared['programs/shared.ts'].split('\n')[3]!.indexOf('fetch')).toBe(93)
  })

  it('adds to a Program only what it imports: no schemas, no other Programs, none of their effects', async () => {
    const { programs, errors } = await compile({
      ...shared,
      ...program('return [open(1), approved.name]', "import { approved, open } from './shared.ts'"),
    })
    expect(errors).toEqual([])
    const { program: bundle, manifest, effects } = programs[0]!.artifact
    expect(bundle.code).not.toContain('other')
    expect(bundle.code).not.toContain('Order')
    expect(bundle.code.length).toBeLessThan(3_000)
    expect([manifest, effects]).toEqual([{}, undefined])
  })
})

const dependency = (code: string, more: object = {}): Readonly<Record<string, string>> => ({
  'node_modules/dep/package.json': JSON.stringify({ name: 'dep', main: 'index.js', ...more }),
  'node_modules/dep/index.js': code,
})

describe('the compiler refuses a dependency', () => {
  it('with the position in it and the chain of imports', async () => {
    const sources = {
      ...program('return help()', "import { help } from './help.ts'"),
      'programs/help.ts': "import { later } from 'dep'\nexport const help = () => later()",
      ...dependency("exports.other = 1\nexports.later = () => require('fs').readFileSync('x')"),
    }
    const { errors } = await compile(sources)
    expect(errors).toHaveLength(1)
    expect(errors[0]!.message).toMatch(/^node_modules\/dep\/index\.js:2:23 "fs" is not available in a Program/)
    expect(errors[0]!.message).toContain(
      'imported through programs/p.ts → programs/help.ts → node_modules/dep/index.js',
    )
    expect(errors[0]!.frame).toContain('> 2 | exports.later')
  })

  it('that does not parse with the chain of imports', async () => {
    const { errors } = await compile({
      ...program('return help()', "import { help } from './help.ts'"),
      'programs/help.ts': "import { later } from 'dep'\nexport const help = () => later()",
      ...dependency('exports.later = {,}'),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'node_modules/dep/index.js:1:18 Expected identifier but found ","\n  imported through programs/p.ts → programs/help.ts → node_modules/dep/index.js',
    ])
  })

  it('with the position in the file that the package contains, whatever its source map says', async () => {
    const map = { version: 3, sources: ['../../programs/late.ts'], names: [], mappings: 'AAAA;AAAA' }
    const comment = `//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(map))}`
    const { errors } = await compile({
      ...program('return later()', "import { later } from 'dep'"),
      ...dependency(
        `const isNode = typeof process === 'object'\nexports.later = () => isNode ? process.pid : require('fs') ${comment}`,
      ),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^node_modules\/dep\/index\.js:2:46 "fs" is not available in a Program/),
    ])
    expect(errors[0]!.message).toContain('imported through programs/p.ts → node_modules/dep/index.js')
  })

  it('once, however many built-in modules it needs', async () => {
    const { errors } = await compile({
      ...program('return later()', "import { later } from 'dep'"),
      ...dependency("exports.later = () => [require('fs'), require('net')]\nexports.never = require('http')"),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^node_modules\/dep\/index\.js:1:\d+ "fs" is not available in a Program/),
    ])
  })

  it('that awaits at its top level', async () => {
    const { errors } = await compile({
      ...program('return help()', "import { help } from './help.ts'"),
      'programs/help.ts': "import { rate } from 'dep'\nexport const help = () => rate",
      ...dependency('export const rate = await Promise.resolve(1)', { type: 'module' }),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'node_modules/dep/index.js:1:21 top-level await is not available in a Program: use package "dep" in an effect' +
        '\n  imported through programs/p.ts → programs/help.ts → node_modules/dep/index.js',
    ])
  })

  it('for a required built-in, but not for an optional one', async () => {
    const before = "import { hash } from 'dep'"
    const needs = dependency("const { createHash } = require('crypto'); exports.hash = () => createHash('md5')")
    expect(await messagesOf({ ...program('return hash()', before), ...needs })).toEqual([
      expect.stringMatching(/^node_modules\/dep\/index\.js:1:\d+ "crypto" is not available/),
    ])
    const tries = dependency("let c; try { c = require('crypto') } catch {}\nexports.hash = () => c ? 1 : 2")
    expect(await messagesOf({ ...program('return hash()', before), ...tries })).toEqual([])
  })

  it('for import.meta, which a script cannot contain', async () => {
    const url = dependency('export const url = () => import.meta.url', { type: 'module' })
    expect(await messagesOf({ ...program('return url()', "import { url } from 'dep'"), ...url })).toEqual([
      expect.stringMatching(/^node_modules\/dep\/index\.js:1:26 import\.meta is not available in a Program/),
    ])
  })
})

describe('the compiler accepts a dependency', () => {
  const lackingIn = async (sources: Readonly<Record<string, string>>) => {
    const { programs, errors, inputs } = await compile(sources)
    expect(errors).toEqual([])
    expect(inputs).toEqual(['node_modules/dep/package.json', 'programs/p.ts'])
    return programs[0]!.warnings.lacking
  }
  const chain = '\n  imported through programs/p.ts → node_modules/dep/index.js'

  it('with parts that need globals which Programs do not have, and says which', async () => {
    const code = 'exports.once = () => 1\nexports.later = () => [setTimeout(exports.once), fetch("x"), setTimeout(1)]'
    expect(await lackingIn({ ...program('return once()', "import { once } from 'dep'"), ...dependency(code) })).toEqual(
      [{ package: 'dep', globals: ['fetch', 'setTimeout'], chain }],
    )
  })

  it('whose file checks whether the global exists', async () => {
    const asks = dependency(
      "const isNode = typeof process === 'object'\nexports.home = () => isNode ? process.env.HOME : globalThis.fetch",
    )
    expect(await lackingIn({ ...program('return home()', "import { home } from 'dep'"), ...asks })).toEqual([])
  })

  it('that checks for a part of Intl, and uses others without, which is said', async () => {
    const asks = dependency(
      "const hasPart = () => typeof Intl !== 'undefined' && !!Intl.RelativeTimeFormat\nexports.zone = () => hasPart() ? 1 : new Intl.DateTimeFormat()",
    )
    expect(await lackingIn({ ...program('return zone()', "import { zone } from 'dep'"), ...asks })).toEqual([
      { package: 'dep', globals: ['Intl'], chain },
    ])
  })

  it('that tests whether a value is of a class which Programs do not have', async () => {
    const asks = dependency('exports.isFile = (value) => value instanceof File')
    expect(await lackingIn({ ...program('return isFile(input)', "import { isFile } from 'dep'"), ...asks })).toEqual([])
  })

  it('that finds globalThis before it looks for the global object under other names', async () => {
    const code =
      "(function (root, make) { (root = typeof globalThis !== 'undefined' ? globalThis : root || self).dep = make() })(this, () => 1)"
    const before = "import 'dep'"
    expect(
      await lackingIn({ ...program('return dep', `${before}; declare const dep: 1`), ...dependency(code) }),
    ).toEqual([])
  })

  it('that looks for the global object as `self`, but says so where it reads a member of that', async () => {
    const before = "import { root } from 'dep'"
    const looks = dependency(
      "const inWorker = () => typeof WorkerGlobalScope !== 'undefined' && self instanceof WorkerGlobalScope\nexports.root = (e) => inWorker() ? self : (e = e || self)",
    )
    expect(await lackingIn({ ...program('return root()', before), ...looks })).toEqual([])
    for (const read of ['self.crypto.subtle', '{ const { crypto } = self; return crypto }']) {
      const reads = dependency(`exports.root = () => ${read}`)
      expect(await lackingIn({ ...program('return root()', before), ...reads })).toEqual([
        { package: 'dep', globals: ['self'], chain },
      ])
    }
  })

  it('that reads import.meta only where it exists', async () => {
    const asks = dependency('export const env = () => ({ ...import.meta?.env })', { type: 'module' })
    expect(await lackingIn({ ...program('return env()', "import { env } from 'dep'"), ...asks })).toEqual([])
  })

  it('that has something else for browsers in place of what needs Node', async () => {
    const code =
      "const own = require('./own.js'); let c = require('crypto'), f = require('node:fs')\nexports.own = () => [own, c, f]"
    const sources = {
      ...program('return own()', "import { own } from 'dep'"),
      ...dependency(code, { browser: { './own.js': './other.js', crypto: false, 'node:fs': false } }),
      'node_modules/dep/own.js': "module.exports = require('fs').readFileSync",
      'node_modules/dep/other.js': 'module.exports = 5',
    }
    expect(await lackingIn(sources)).toEqual([])
  })
})

it('uses the modules that tests use, although the project has others for browsers', async () => {
  const { programs, errors } = await compile({
    'package.json': '{ "browser": { "./programs/own.ts": "./programs/page.ts", "dep": false } }',
    'programs/own.ts': "export const own = 'own'",
    'programs/page.ts': "export const own = 'page'",
    ...program('return [own, once]', "import { own } from './own.ts'; import { once } from 'dep'"),
    ...dependency('exports.once = 1'),
  })
  expect(errors).toEqual([])
  expect(programs[0]!.artifact.program.code).toMatch(/exports\.once = 1[^]*own = "own"/)
})

it('warns that a client of HTTP has no network in a Program, and not where only an effect uses it', async () => {
  const sources = {
    ...program('return await get(String(input))', "import { get } from 'axios'"),
    'node_modules/axios/package.json': '{"name": "axios", "type": "module", "main": "index.js"}',
    'node_modules/axios/index.js': `export const get = (url) => {
  if (typeof XMLHttpRequest === 'undefined') throw new Error('There is no suitable adapter')
  return fetch(url)
}`,
  }
  const { programs, errors } = await compile(sources)
  expect(errors).toEqual([])
  expect(programs[0]!.warnings).toEqual({
    lacking: [],
    doubtful: [
      'axios sends requests, and a Program has no network: call axios in an effect\n  imported through programs/p.ts → node_modules/axios/index.js',
    ],
  })
  const inEffect = {
    ...sources,
    ...program('return await load(String(input))', "import { load } from './p.effects.ts'"),
    'programs/p.effects.ts': "import { get } from 'axios'\nexport const load = async (url: string) => get(url)\n",
  }
  const { programs: calling } = await compile(inEffect)
  expect(calling[0]!.warnings).toEqual({ lacking: [], doubtful: [] })
})
