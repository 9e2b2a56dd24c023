// Runs the compiler's output: Programs in the sandbox, effects in effect hosts.

import { pino } from 'pino'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEffectHosts } from '../effects/create-effect-hosts.ts'
import type { Delivery, TurnOutput } from '../engine/turn.ts'
import { createProgramHosts } from '../sandbox/create-program-hosts.ts'
import type { ProgramSource } from '../sandbox/program-hosts.ts'
import { createCompiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject } from './project.test-support.ts'
import type { CompiledProgram } from './source.ts'

const log = pino({ level: 'silent' })
const evaluator = createEvaluator()
const sources = new Map<string, ProgramSource>()
const hosts = createProgramHosts({ loadProgram: (versionId) => sources.get(versionId)!, log })
afterAll(async () => {
  evaluator.stop()
  await hosts.stop()
})

type Compiled = { readonly program: CompiledProgram; readonly folder: string; readonly versionId: string }

const compile = async (modules: Readonly<Record<string, string>>, packages = false): Promise<Compiled> => {
  const project = createProject(modules, { packages })
  const compiler = createCompiler({ folder: project.folder, evaluator })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const [file] = await compiler.compile([Object.keys(modules)[0]!])
  expect(file!.errors).toEqual([])
  const program = file!.programs[0]!
  const versionId = `ver_${sources.size}`
  sources.set(versionId, program.artifact.program)
  expect(await hosts.check(program.artifact.program)).toEqual({ ok: true })
  return { program, folder: project.folder, versionId }
}

let executions = 0

/** Runs one Execution; each call delivers one entry. */
const execution = ({ program, versionId }: Compiled) => {
  const executionId = `exe_${++executions}`
  let turnsDone = 0
  return async (delivery: Delivery): Promise<TurnOutput> => {
    const outcome = await hosts.activate({
      executionId,
      programId: program.id,
      versionNumber: 1,
      versionId,
      turnsDone: turnsDone++,
      turns: [{ delivery }],
    })
    if (outcome.kind !== 'ran') throw new Error(JSON.stringify(outcome))
    return outcome.turns[0]!
  }
}

const AT = 1_700_000_000_000
const startWith = (input?: unknown): Delivery => ({ kind: 'start', at: AT, data: JSON.stringify({ input }) })

const effectHosts = ({ program, folder }: Compiled) => {
  const effects = createEffectHosts({
    runtimeUrl: () => 'http://localhost:4711',
    loadEffects: () => ({
      ...program.artifact.effects!,
      folder,
      effects: program.artifact.manifest.effects!.map(({ name }) => ({ name, options: {} })),
    }),
    log,
  })
  onTestFinished(() => effects.stop())
  return (name: string, input?: unknown) =>
    effects.perform({
      executionId: 'exe_1',
      programId: program.id,
      versionId: 'ver_1',
      name,
      attempt: 1,
      idempotencyKey: 'key',
      data: JSON.stringify({ input }),
      timeoutMs: 10_000,
      signal: new AbortController().signal,
      onLog: () => undefined,
    })
}

it.each(['client.listPrograms()', "executionHandle(client, 'exe_1').result()"])(
  'a Program may import a module that creates a client, and is told where to call it: %s',
  async (call) => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram, executionHandle } from 'workflow-execution-service'
import { client, greeting } from './shared.ts'
export default defineProgram({ id: 'p' }, async (ctx, input: boolean) => (input ? ${call} : greeting))`,
      'programs/shared.ts': `import { createClient } from 'workflow-execution-service'
export const client = createClient()
export const greeting = 'hello'`,
    })
    expect((await execution(compiled)(startWith(false))).outcome).toMatchObject({ kind: 'completed' })
    expect((await execution(compiled)(startWith(true))).outcome).toMatchObject({
      kind: 'failed',
      error: {
        message: 'A client is not available in a Program: call it in an effect, or where you start Executions',
      },
    })
  },
)

describe('a label', () => {
  it('is compiled into the artifact, without the schemas', async () => {
    const compiled = await compile(
      {
        'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
const prefix = 'Order'
export default defineProgram(
  { id: 'p', input: z.object({ orderId: z.string() }), label: (input) => prefix + ' ' + input.orderId },
  async (ctx, input) => input.orderId,
)`,
      },
      true,
    )
    expect(compiled.program.artifact.program.code).not.toContain('ZodObject')
    const first = await execution(compiled)({ kind: 'start', at: 0, data: '{"input":{"orderId":"A-7"}}' })
    expect([first.label, first.outcome]).toEqual(['Order A-7', { kind: 'completed', data: '{"result":"A-7"}' }])
  })
})

describe('a compiled Program in the sandbox', () => {
  it('fails when it takes an export that turns out to be no function for a value', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { limit, kinds } from './p.effects.ts'
const uses = [() => 500 > limit, () => limit + 1, () => String(limit), () => kinds.big, () => limit.name, () => JSON.stringify({ limit })]
export default defineProgram({ id: 'p' }, async (ctx, which: number) => {
  await Promise.resolve(limit)
  return uses[which]()
})
`,
      'programs/p.effects.ts': `const read = () => 5
export const limit = read()
export const kinds = [{ big: 1 }].at(0)!
`,
    })
    for (const [which, name] of ['limit', 'limit', 'limit', 'kinds'].entries()) {
      const { outcome } = await execution(compiled)(startWith(which))
      expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'program_error', name: 'TypeError' } })
      expect(JSON.stringify(outcome)).toContain(`\\"${name}\\" is an effect in a Program, and was used as a value`)
    }
    expect((await execution(compiled)(startWith(4))).outcome).toMatchObject({ data: '{"result":"limit"}' })
    expect((await execution(compiled)(startWith(5))).outcome).toMatchObject({ data: '{"result":"{}"}' })
  })

  it('waits for its events and schedules its effects by their names', async () => {
    const compiled = await compile(
      {
        'programs/order.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { charge, notify } from './order.effects'
const approved = defineEvent('approved', z.object({ by: z.string() }))
export default defineProgram({ id: 'order', input: z.object({ cents: z.number() }), events: [approved] }, async (ctx, input) => {
  const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
  const [receipt] = await Promise.all([charge({ cents: input.cents }), ctx.effect(notify, { to: by }, { timeout: '1s' })])
  return { receipt, by }
})
`,
        'programs/order.effects.ts': `import { defineEffect } from 'workflow-execution-service'
export const charge = async (input: { cents: number }) => input.cents
export const notify = defineEffect({ timeout: '5s' }, async (input: { to: string }) => input.to)
`,
      },
      true,
    )
    const deliver = execution(compiled)
    const first = await deliver(startWith({ cents: 5 }))
    expect(first.operations).toMatchObject([{ kind: 'wait', command: 1, name: 'approved', dueAt: AT + 3 * 86_400_000 }])
    const second = await deliver({
      kind: 'event',
      at: AT + 1,
      command: 1,
      name: 'approved',
      source: 2,
      eventId: 'evt_1',
      data: '{"id":"evt_1","payload":{"by":"ann"}}',
    })
    expect(second.operations).toMatchObject([
      { kind: 'effect', command: 2, name: 'charge', data: '{"input":{"cents":5}}' },
      { kind: 'effect', command: 3, name: 'notify', options: { timeoutMs: 1_000 } },
    ])
    await deliver({
      kind: 'effect_result',
      at: AT + 2,
      command: 3,
      name: 'notify',
      attempt: 1,
      data: '{"result":"ann"}',
    })
    const last = await deliver({
      kind: 'effect_result',
      at: AT + 3,
      command: 2,
      name: 'charge',
      attempt: 1,
      data: '{"result":"r1"}',
    })
    expect(last.outcome).toEqual({ kind: 'completed', data: '{"result":{"receipt":"r1","by":"ann"}}' })
  })

  it('gets errors of the classes in the authoring API', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram, EffectError, TimeoutError } from 'workflow-execution-service'
import { charge } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async (ctx) => {
  const seen: unknown[] = []
  try { await ctx.waitForEvent('never', { timeout: 5 }) } catch (error) { seen.push(error instanceof TimeoutError, error instanceof EffectError) }
  try { await charge() } catch (error) { seen.push(error instanceof EffectError, error instanceof Error, error instanceof TimeoutError) }
  return seen
})
`,
      'programs/p.effects.ts': 'export const charge = async () => 1',
    })
    const deliver = execution(compiled)
    await deliver(startWith())
    await deliver({ kind: 'wait_timeout', at: AT + 5, command: 1, name: 'never' })
    const last = await deliver({
      kind: 'effect_failure',
      at: AT + 6,
      command: 2,
      name: 'charge',
      attempt: 1,
      data: '{"error":{"code":"effect_failed","message":"no"}}',
    })
    expect(last.outcome).toEqual({ kind: 'completed', data: '{"result":[true,false,true,true,false]}' })
  })

  it('fails with the source line that threw', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { check } from '../shared/check.ts'
export default defineProgram({ id: 'p' }, async (ctx, input: { cents: number }) => {

  check(input.cents)
})
`,
      'shared/check.ts': `type Cents = number

export const check = (cents: Cents): void => {
  if (cents < 0) throw new RangeError('no debts')
}
`,
    })
    const { outcome } = await execution(compiled)(startWith({ cents: -1 }))
    expect(outcome).toMatchObject({ kind: 'failed', error: { name: 'RangeError', message: 'no debts' } })
    const stack = outcome.kind === 'failed' ? outcome.error.stack! : ''
    expect(stack).toMatch(/shared\/check\.ts:4:\d+/)
    expect(stack).toMatch(/programs\/p\.ts:5:\d+/)
    expect(stack.indexOf('check.ts')).toBeLessThan(stack.indexOf('p.ts:5'))
  })

  it('fails with the source line that called the failed effect, and no frames of the compiler', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { charge } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async (ctx) => {
  return charge()
})
`,
      'programs/p.effects.ts': 'export const charge = async () => 1',
    })
    const deliver = execution(compiled)
    await deliver(startWith())
    const data = '{"error":{"code":"effect_failed","message":"declined"}}'
    const { outcome } = await deliver({
      kind: 'effect_failure',
      at: AT + 1,
      command: 1,
      name: 'charge',
      attempt: 1,
      data,
    })
    const stack = outcome.kind === 'failed' ? outcome.error.stack! : ''
    expect(stack.split('\n')[1]).toMatch(/^ +at <anonymous> \(programs\/p\.ts:4:\d+\)$/)
    expect(stack).not.toContain('wes:')
  })

  it('fails with its own frames only when it throws an error of ours', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { CancelledError, defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p' }, async () => {
  const error = new CancelledError('enough')
  console.error(error)
  throw error
})
`,
    })
    const { outcome, operations } = await execution(compiled)(startWith())
    expect(JSON.stringify(operations)).not.toContain('wes:')
    const stack = outcome.kind === 'failed' ? outcome.error.stack! : ''
    expect(stack.split('\n').slice(1)).toEqual([expect.stringMatching(/^ +at <anonymous> \(programs\/p\.ts:3:\d+\)$/)])
  })

  it('fails with a clear message when it calls an effect while its module loads', async () => {
    const project = createProject({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { rate } from './p.effects.ts'
const today = rate()
export default defineProgram({ id: 'p' }, async () => today)
`,
      'programs/p.effects.ts': 'export const rate = async () => 1',
    })
    const compiler = createCompiler({ folder: project.folder, evaluator })
    onTestFinished(project.dispose)
    onTestFinished(compiler.stop)
    const [file] = await compiler.compile(['programs/p.ts'])
    const check = await hosts.check(file!.programs[0]!.artifact.program)
    expect(check).toMatchObject({
      ok: false,
      message: expect.stringContaining('Effect "rate" was called while its module was loading'),
    })
  })

  it('waits for the clean-up of a `for await` loop whose body throws, before it goes on', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { steps } from '../shared/steps.ts'
export default defineProgram({ id: 'p' }, async (ctx) => {
  const seen: unknown[] = []
  for (const round of [1, 2]) {
    try {
      outer: for await (const step of steps(ctx, seen)) for await (const also of [step]) {
        if (round === 2) continue outer
        await ctx.waitForEvent('go'); throw new Error('no ' + also)
      }
    } catch (error) { seen.push((error as Error).message.slice(0, 22)) }
  }
  for await (const step of steps(ctx, seen)) throw new Error(seen.join())
})
`,
      'shared/steps.ts': `import type { ProgramContext } from 'workflow-execution-service'
export async function* steps(ctx: ProgramContext, seen: unknown[]) {
  try { yield 1; yield 2 } finally { await ctx.sleep(5); seen.push('cleaned up') }
}
`,
    })
    const deliver = execution(compiled)
    await deliver(startWith())
    expect(await deliver({ kind: 'cancel', at: AT + 1 })).toMatchObject({
      operations: [{ kind: 'timer', command: 2 }],
      outcome: { kind: 'suspended' },
    })
    await deliver({ kind: 'timer', at: AT + 6, command: 2 })
    await deliver({ kind: 'timer', at: AT + 11, command: 3 })
    const { outcome } = await deliver({ kind: 'timer', at: AT + 16, command: 4 })
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: {
        message: 'cleaned up,The Execution was canc,cleaned up',
        stack: expect.stringMatching(/\n +at <anonymous> \(programs\/p\.ts:13:67\)/),
      },
    })
  })

  it('waits for that clean-up too when it is the head of the loop that throws', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { steps } from '../shared/steps.ts'
export default defineProgram({ id: 'p' }, async (ctx) => {
  const seen: unknown[] = []
  const caught = (error: unknown) => void seen.push((error as Error).name)
  const target = { set never(value: number) { throw new RangeError(String(value)) }, a: 0 }
  try { for await (const { a: { b } } of steps(ctx, seen, {})) seen.push(b) } catch (error) { caught(error) }
  try { for await (target.never of steps(ctx, seen, 1)) seen.push('set') } catch (error) { caught(error) }
  try { for await (using one of steps(ctx, seen, {} as Disposable)) seen.push(one) } catch (error) { caught(error) }
  const broken = { [Symbol.asyncDispose]: () => Promise.reject(new SyntaxError('not disposed')) }
  try { for await (await using one of steps(ctx, seen, broken)) seen.push(one === broken) } catch (error) { caught(error) }
  let inner: () => Promise<unknown>
  for await ({
    a: target.a,
    inner = async () => { for await (const [one] of [[1]]) return one },
  } of steps(ctx, seen, { a: 2 })) { seen.push(target.a, await inner()); break }
  for await (const [{
    a,
    b = 3
  }] of steps(ctx, seen, [{ a: 1 }])) { seen.push(a + b); break }
  for await (const { a } of steps(ctx, seen, undefined)) { return a }
})
`,
      'shared/steps.ts': `import type { ProgramContext } from 'workflow-execution-service'
export async function* steps<Item>(ctx: ProgramContext, seen: unknown[], item: Item) {
  try { yield item } finally { await ctx.sleep(5); seen.push('cleaned up'); ctx.log.info(seen.join()) }
}
`,
    })
    const deliver = execution(compiled)
    let turn = await deliver(startWith())
    for (const command of [1, 2, 3, 4, 5, 6, 7]) {
      expect(turn.operations.at(-1)).toMatchObject({ kind: 'timer', command })
      turn = await deliver({ kind: 'timer', at: AT + 5 * command, command })
    }
    expect(turn).toMatchObject({
      operations: [
        {
          data: expect.stringContaining(
            'cleaned up,TypeError,cleaned up,RangeError,cleaned up,TypeError,true,cleaned up,SyntaxError,2,1,cleaned up,4,cleaned up,cleaned up',
          ),
        },
      ],
      outcome: { kind: 'failed', error: { stack: expect.stringContaining('(programs/p.ts:21:') } },
    })
  })

  it('lets the defaults of parameters and the body of the function set the same variables', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
const count = (from: number, next = () => ++from): number => (next(), next(), from)
function seen({ a, see = () => a }: { a: number; see?: () => number }, b = (a = 2, a), ...[c = arguments.length]: number[]) {
  a += 1
  return [a, see(), b, c]
}
class Kept {
  value
  constructor(value: number, readonly set = (next: number) => void (value = next)) { set(5); this.value = value }
}
function* values(a: number, see = () => a) { a = 7; yield see() }
export default defineProgram({ id: 'p' }, async (ctx) => {
  const wait = async (left: number, next = async () => { await ctx.sleep(1); left-- }): Promise<number> => {
    while (left > 0) await next()
    return left
  }
  const result = [count(1), seen({ a: 1 }), new Kept(1).value, [...values(1)], await wait(1), count.length, seen.length]
  return ((text: string, see = () => text) => { text += '!'; throw new Error(see()) })(JSON.stringify(result))
})
`,
    })
    const deliver = execution(compiled)
    await deliver(startWith())
    const { outcome } = await deliver({ kind: 'timer', at: AT + 1, command: 1 })
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: {
        message: '[3,[3,3,2,1],5,[7],0,1,1]!',
        stack: expect.stringMatching(/\n +at <anonymous> \(programs\/p\.ts:18:78\)/),
      },
    })
  })

  it('keeps the variables of each round of a loop apart, also after `continue`', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p' }, async (ctx) => {
  const rounds: (() => unknown)[] = []
  outer: for (let i = 0; i < 3; i++) for (let j = 0; j < 2; j++) {
    rounds.push(() => [i, j])
    if (i === 0) continue
    if (i === 1) { for (const one of [1]) { if (one) continue outer } }
  }
  for (let i = 0; i < 2; i++) { rounds.push(() => i); if (i === 0) continue; ctx.log.info(new Error('here')) }
  return rounds.map((round) => round())
})
`,
    })
    const { operations, outcome } = await execution(compiled)(startWith())
    expect(outcome).toEqual({ kind: 'completed', data: '{"result":[[0,0],[0,1],[1,0],[2,0],[2,1],0,1]}' })
    expect(operations).toMatchObject([{ data: expect.stringMatching(/ \(programs\/p\.ts:9:95\)/) }])
  })

  it('runs regular expressions with the flag `v` that the engine refuses, and fails with the place behind one', async () => {
    const compiled = await compile({
      'programs/p.ts': String.raw`import { defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p' }, async () => {
  if (/^\d-[\p{L}--[a-z]]::\/$/v.test('1-Ä::/')) throw new Error('matches')
})
`,
    })
    const { outcome } = await execution(compiled)(startWith())
    const stack = expect.stringMatching(/^Error: matches\n +at <anonymous> \(programs\/p\.ts:3:\d+\)$/)
    expect(outcome).toMatchObject({ kind: 'failed', error: { stack } })
  })

  it('disposes of what it is `using`, without the error of an earlier round', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p' }, async () => {
  const seen: unknown[] = []
  for (const round of [1, 2]) {
    try {
      using one = { [Symbol.dispose]: () => seen.push('disposed') }
      await using other = { [Symbol.asyncDispose]: async () => { await null; seen.push('later') } }
      if (round === 1) throw new Error('first')
    } catch (error) { seen.push((error as Error).message) }
  }
  return seen
})
`,
    })
    expect((await execution(compiled)(startWith())).outcome).toEqual({
      kind: 'completed',
      data: '{"result":["later","disposed","first","later","disposed"]}',
    })
  })

  it('runs its module once, also where what it imports imports the module', async () => {
    const compiled = await compile({
      'programs/c #1.ts': `import { defineProgram } from 'workflow-execution-service'
import { reserve } from './stock.ts'
export class SoldOut extends Error {}
export const seen: string[] = []
seen.push('module')
export const order = defineProgram({ id: 'p' }, async (ctx, fails: boolean) => {
  if (fails) throw new SoldOut('no more')
  try { reserve() } catch (error) { return [error instanceof SoldOut, seen] }
})
export const other = defineProgram({ id: 'other' }, async () => null)
`,
      'programs/stock.ts': `import { seen, SoldOut } from './c #1.ts'
export const reserve = () => { seen.push('stock'); throw new SoldOut() }
`,
    })
    const { outcome } = await execution(compiled)(startWith(false))
    expect(outcome).toMatchObject({ data: '{"result":[true,["module","stock"]]}' })
    const failed = await execution(compiled)(startWith(true))
    expect(JSON.stringify(failed.outcome)).toContain('programs/c #1.ts:7:')
    expect(compiled.program.artifact.program.code).not.toContain('other')
  })

  it('is strict code', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p' }, async () => {
  try { (undeclared as unknown) = 1 } catch (error) { return (error as Error).name }
})
`,
    })
    expect((await execution(compiled)(startWith())).outcome).toEqual({
      kind: 'completed',
      data: '{"result":"ReferenceError"}',
    })
  })
})

/** Its name is that of the class, which refers to itself. */
const REFUSED = `export class Refused extends Error {
  static of(what: string) { return new Refused(what) }
  constructor(what: string) { super(what); this.name = new.target.name }
}
`

it('the classes of a Program keep their names, whatever its other modules name the same', async () => {
  const compiled = await compile({
    'programs/p.ts': `import { defineProgram, EffectError } from 'workflow-execution-service'
import { Refused } from '../lib/one.ts'
import { Refused as Other } from '../lib/two.ts'
import { pay } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => [Refused.of('x').name, Other.of('x').name, pay.name, EffectError.name])
`,
    'programs/p.effects.ts': 'export const pay = async () => 1\n',
    'lib/one.ts': REFUSED,
    'lib/two.ts': REFUSED,
  })
  const { outcome } = await execution(compiled)(startWith())
  expect(outcome).toEqual({ kind: 'completed', data: '{"result":["Refused","Refused","pay","EffectError"]}' })
})

it('the classes of effects keep their names, whatever other modules name the same', async () => {
  const compiled = await compile({
    'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { names } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => names())
`,
    'programs/p.effects.ts': `import { Refused } from '../lib/one.ts'
import { Refused as Other } from '../lib/two.ts'
import { Same as OtherSame } from '../lib/same.ts'
class Named { static readonly name = 'own' }
class Frozen {}
Object.freeze(Frozen)
declare class Missing {}
const Same = class { static readonly own = () => Same }
class Renamed {}
Object.defineProperty(Renamed, 'name', { value: 'new' })
export const names = async (_: Missing) =>
  [Refused.of('x'), Other.of('x'), Named, Frozen, Same.own(), OtherSame, Renamed].map(({ name }) => name)
`,
    'lib/one.ts': REFUSED,
    'lib/two.ts': REFUSED,
    'lib/same.ts': 'export const Same = class {}',
  })
  const outcome = await effectHosts(compiled)('names')
  const names = ['Refused', 'Refused', 'own', 'Frozen', 'Same', 'Same', 'new']
  expect(outcome).toEqual({ kind: 'completed', data: JSON.stringify({ result: names }) })
})

it('effects contain no class that they do not use', async () => {
  const { program } = await compile({
    'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { pay } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => pay())
`,
    'programs/p.effects.ts': "import { half } from '../lib.ts'\nexport const pay = async () => half(4)",
    'lib.ts': `import { Bank } from './bank.ts'
export class Account { bank = new Bank() }
export const half = (n: number) => n / 2`,
    'bank.ts': 'export class Bank {}',
  })
  expect(program.artifact.effects!.code).not.toMatch(/Account|Bank/)
})

it('effects may send a function as text, without anything of the bundle', async () => {
  const compiled = await compile({
    'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { inBrowser } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => inBrowser())
`,
    'programs/p.effects.ts': `const evaluate = (act: () => number) => (0, eval)(\`(\${act})()\`)
export const inBrowser = async () => evaluate(() => { const one = () => 1; return one() })
`,
  })
  expect(await effectHosts(compiled)('inBrowser')).toEqual({ kind: 'completed', data: '{"result":1}' })
})

describe('compiled effects in an effect host', () => {
  it('run with the packages, the location and the CommonJS modules of their source', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import * as effects from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => effects.where())
`,
      'programs/p.effects.ts': `import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { NonRetryableError } from 'workflow-execution-service'
import { double } from 'dep'
import { triple } from '../lib/triple.cjs'
export const where = async () => [import.meta.url, import.meta.dirname, import.meta.filename]
export const read = async () => readFileSync(new URL('./text.txt', import.meta.url), 'utf8')
export const count = async (input: number) => [double(input), triple(input)]
export const refuse = async () => { throw new NonRetryableError('never') }
`,
      'programs/text.txt': 'a text',
      'lib/triple.cjs':
        "const { double } = require('dep')\nexports.triple = (x) => double(x) + x + (__filename.endsWith('triple.cjs') ? 0 : NaN)",
      'node_modules/dep/package.json': '{ "name": "dep", "main": "index.cjs" }',
      'node_modules/dep/index.cjs': 'exports.double = (x) => 2 * x',
    })
    const perform = effectHosts(compiled)
    const url = new URL(`file://${compiled.folder}/programs/p.effects.ts`).href
    expect(await perform('where')).toEqual({
      kind: 'completed',
      data: JSON.stringify({
        result: [url, `${compiled.folder}/programs`, `${compiled.folder}/programs/p.effects.ts`],
      }),
    })
    expect(await perform('read')).toEqual({ kind: 'completed', data: '{"result":"a text"}' })
    expect(await perform('count', 2)).toEqual({ kind: 'completed', data: '{"result":[4,6]}' })
    expect(await perform('refuse')).toMatchObject({ kind: 'failed', retryable: false, error: { message: 'never' } })
  })

  it('dispose of what they are `using`, without the error of an earlier round', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { book } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => book())
`,
      'programs/p.effects.ts': `export const book = async () => {
  const seen: unknown[] = []
  for (const round of [1, 2]) {
    try {
      using one = { [Symbol.dispose]: () => seen.push('disposed') }
      await using other = { [Symbol.asyncDispose]: async () => seen.push('later') }
      if (round === 1) throw new Error('first')
    } catch (error) { seen.push((error as Error).message) }
  }
  return seen
}
`,
    })
    const data = '{"result":["later","disposed","first","later","disposed"]}'
    expect(await effectHosts(compiled)('book')).toEqual({ kind: 'completed', data })
  })

  it('fail with lines of their own source', async () => {
    const compiled = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { charge } from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => charge())
`,
      'programs/p.effects.ts': `type Unused = { a: number }

export const charge = async () => {
  throw new Error(\`declined by \${import.meta.filename.slice(-12)}\`)
}
`,
    })
    const outcome = await effectHosts(compiled)('charge')
    expect(outcome).toMatchObject({ kind: 'failed', error: { message: 'declined by p.effects.ts' } })
    expect(outcome.kind === 'failed' && outcome.error.stack).toMatch(/programs\/p\.effects\.ts:4:9/)
  })
})
