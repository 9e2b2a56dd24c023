// The manifest: schemas of every library, options of effects, and their errors.

import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createCompiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject } from './project.test-support.ts'
import type { CompiledFile } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const compile = async (sources: Readonly<Record<string, string>>, packages = true): Promise<CompiledFile> => {
  const project = createProject(sources, { packages })
  const compiler = createCompiler({ folder: project.folder, evaluator })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const [file] = await compiler.compile([Object.keys(sources)[0]!])
  return file!
}

const manifestOf = async (sources: Readonly<Record<string, string>>) => {
  const { programs, errors } = await compile(sources)
  expect(errors).toEqual([])
  return programs[0]!.artifact.manifest
}

const NOT_CONVERTIBLE = "{ '~standard': { version: 1, vendor: 'mine', validate: () => ({ value: 1 }) } } as never"

const withSchemas = (imports: string, input: string, payload: string): string =>
  `import { defineEvent, defineProgram } from 'workflow-execution-service'
${imports}
const done = defineEvent('done', ${payload})
export default defineProgram({ id: 'p', input: ${input}, events: [done] }, async (ctx) => ctx.waitForEvent(done))
`

describe('names of events', () => {
  it.each(['é', '😀'])('have 200 times %s at most', async (one) => {
    const named = (length: number) => ({
      'programs/p.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
        export default defineProgram({ id: 'p', events: [defineEvent('${one}'.repeat(${length}))] }, async () => {})`,
    })
    expect(await manifestOf(named(200))).toMatchObject({ events: [{ name: one.repeat(200) }] })
    const { errors } = await compile(named(201))
    expect(errors[0]?.message).toContain('names of 1 to 200 characters')
  })

  it.each(['a\\0b', '\\ud800'])('are refused if they are %s, which nobody can send', async (name) => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
        export default defineProgram({ id: 'p', events: [defineEvent('${name}')] }, async () => {})`,
    })
    expect(errors[0]?.message).toContain('none of them U+0000 or half a surrogate pair')
  })
})

describe('schemas', () => {
  const wanted = {
    inputSchema: {
      type: 'object',
      properties: { orderId: { type: 'string', minLength: 1 }, cents: { type: 'number' } },
      required: expect.arrayContaining(['orderId', 'cents']) as string[],
    },
    events: [
      { name: 'done', payloadSchema: { type: 'object', properties: { by: { type: 'string' } }, required: ['by'] } },
    ],
  }

  it.each([
    [
      'zod',
      "import { z } from 'zod'",
      'z.object({ orderId: z.string().min(1), cents: z.number() })',
      'z.object({ by: z.string() })',
    ],
    [
      'zod/mini',
      "import * as z from 'zod/mini'",
      'z.toJSONSchema(z.object({ orderId: z.string().check(z.minLength(1)), cents: z.number() }), { io: "input" }) as object',
      'z.toJSONSchema(z.object({ by: z.string() }), { io: "input" }) as object',
    ],
    [
      'zod, with some of zod/mini within,',
      "import { z } from 'zod'; import * as mini from 'zod/mini'",
      'z.object({ orderId: mini.string().check(mini.minLength(1)), cents: z.number() })',
      'mini.object({ by: z.string() })',
    ],
    [
      'valibot',
      "import * as v from 'valibot'",
      'v.object({ orderId: v.pipe(v.string(), v.minLength(1)), cents: v.number() })',
      'v.object({ by: v.string() })',
    ],
    [
      'arktype',
      "import { type } from 'arktype'",
      "type({ orderId: 'string > 0', cents: 'number' })",
      "type({ by: 'string' })",
    ],
    [
      'typebox',
      "import { Type } from 'typebox'",
      'Type.Object({ orderId: Type.String({ minLength: 1 }), cents: Type.Number() })',
      'Type.Object({ by: Type.String() })',
    ],
    [
      'JSON Schema',
      '',
      "{ type: 'object', properties: { orderId: { type: 'string', minLength: 1 }, cents: { type: 'number' } }, required: ['orderId', 'cents'] }",
      "{ type: 'object', properties: { by: { type: 'string' } }, required: ['by'] }",
    ],
  ])('of %s are in the manifest, and not in the Program', async (_, imports, input, payload) => {
    const { programs, errors } = await compile({ 'programs/p.ts': withSchemas(imports, input, payload) })
    expect(errors).toEqual([])
    const { manifest, program } = programs[0]!.artifact
    expect(JSON.parse(JSON.stringify(manifest))).toMatchObject(wanted)
    expect(program.code.length).toBeLessThan(3_000)
  })

  it('describe the value before defaults: a member with a default is optional', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': withSchemas(
        "import { z } from 'zod'",
        'z.object({ tries: z.number().default(3), at: z.string().transform(Number) })',
        'z.string()',
      ),
    })
    expect(manifest.inputSchema).toEqual({
      type: 'object',
      properties: { tries: { type: 'number', default: 3 }, at: { type: 'string' } },
      required: ['at'],
    })
  })

  it('may come from a shared module', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': withSchemas(
        "import { Order, By } from '../shared/schemas.ts'",
        'Order.extend({ extra: By })',
        'By',
      ),
      'shared/schemas.ts':
        "import { z } from 'zod'\nexport const By = z.object({ by: z.string() })\nexport const Order = z.object({ orderId: z.string() })\n",
    })
    expect(manifest.inputSchema).toMatchObject({
      properties: { orderId: { type: 'string' }, extra: { type: 'object' } },
    })
  })

  it('stay in a Program that uses them itself', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import * as z from 'zod/mini'
const Order = z.object({ orderId: z.string() })
export default defineProgram({ id: 'p', input: Order }, async (ctx, input) => Order.parse(await ctx.waitForEvent('other')))
`,
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.program.code).toContain('Order.parse(')
  })

  it('that JSON Schema cannot express are refused, with the name of the Program or event', async () => {
    const { errors } = await compile({
      'programs/p.ts': withSchemas("import { z } from 'zod'", 'z.object({ at: z.date() })', 'z.string()'),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^programs\/p\.ts:4:30 the schema of the input of Program "p" cannot be converted to JSON Schema: Date .*, at properties\.at\. What callers send is JSON/,
      ),
    ])
  })

  it('that need a missing converter name the package to install', async () => {
    const { errors } = await compile(
      {
        'programs/p.ts': withSchemas("import { schema } from 'mine'", 'schema', '{}'),
        'node_modules/mine/package.json': '{ "name": "mine", "type": "module", "main": "index.js" }',
        'node_modules/mine/index.js':
          "export const schema = { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } }",
      },
      false,
    )
    expect(errors[0]!.message).toContain('install @valibot/to-json-schema in the project')
  })

  it.each([
    ['of zod 3', "import { z } from 'zod/v3'", 'z.object({ a: z.string() })', /it is a schema of zod 3: use zod 4/],
    ['of a library that converts none', '', NOT_CONVERTIBLE, /this schema of "mine" offers none: use a version/],
    [
      'with members alone',
      "import { z } from 'zod'",
      '{ a: z.string() }',
      /must have one Standard Schema or JSON Schema for the whole object, .* such as "a"$/,
    ],
    ['with members like keywords', "import { z } from 'zod'", '{ title: z.string() } as never', /, such as "title"$/],
    ['that are functions', '', '(() => true) as never', /the input of Program "p" must have a Standard Schema/],
  ])('%s are refused with what to do', async (_, imports, input, message) => {
    const { errors } = await compile({ 'programs/p.ts': withSchemas(imports, input, '{}') })
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
  })

  it.each(['Date', 'bigint', 'Map', 'undefined'])('of arktype are refused with %s', async (type) => {
    const { errors } = await compile({
      'programs/p.ts': withSchemas("import { type } from 'arktype'", `type({ 'a?': '${type} | string' })`, '{}'),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `cannot be converted to JSON Schema: ${type} cannot be represented in JSON Schema. What callers send is JSON`,
      ),
    ])
  })

  it('may be of a library that requires url and util, as joi does', async () => {
    const { errors, programs } = await compile(
      {
        'programs/p.ts': withSchemas("import { schema } from 'mine'", 'schema', '{}'),
        'node_modules/mine/package.json': '{ "name": "mine", "main": "index.js" }',
        'node_modules/mine/index.js':
          "const { URL } = require('url'), { TextEncoder } = require('node:util')\nexports.schema = { const: [new URL('http://a/b').pathname, new TextEncoder().encoding] }",
      },
      false,
    )
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.manifest.inputSchema).toEqual({ const: ['/b', 'utf-8'] })
  })

  it('that throw, or never end, are reported with their position', async () => {
    const throwing = await compile({
      'programs/p.ts': withSchemas("const bad = () => { throw new Error('no schema') }", 'bad()', '{}'),
    })
    expect(throwing.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:27 Error: no schema \(thrown while the module was evaluated\)$/),
    ])
    const impatient = createEvaluator(undefined, 300)
    const project = createProject({ 'programs/p.ts': withSchemas('const bad = () => { for (;;); }', 'bad()', '{}') })
    onTestFinished(project.dispose)
    onTestFinished(impatient.stop)
    const [endless] = await createCompiler({ folder: project.folder, evaluator: impatient }).compile(['programs/p.ts'])
    expect(endless!.errors[0]!.message).toBe(
      'programs/p.ts:1:1 evaluating its definitions failed: it took longer than 0.3 s',
    )
  })

  it('cannot access the machine', async () => {
    const { errors } = await compile({
      'programs/p.ts': withSchemas(
        "import { readFileSync } from 'node:fs'\nconst text = readFileSync('/etc/hostname', 'utf8')",
        '{ const: text }',
        '{}',
      ),
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:2:30 Error: node:fs is not available to configs and the options of definitions: only functions of effects may use built-in modules (thrown while the module was evaluated)',
    ])
    const { inputSchema } = await manifestOf({
      'programs/p.ts': withSchemas(
        '',
        '{ const: Object.keys(process.env).filter((name) => name !== "TZ" && !name.startsWith("NODE_")) }',
        '{}',
      ),
    })
    expect(inputSchema).toEqual({ const: [] })
  })
})

describe('invalid definitions', () => {
  it.each([
    [
      'an id',
      "{ id: 'not an id' }",
      /^programs\/p\.ts:2:30 the id of a Program must be 1 to 128 .* it is "not an id"$/,
    ],
    ['no id', '{} as never', /^programs\/p\.ts:2:30 the id of a Program .* it is undefined$/],
    ['a description', "{ id: 'p', description: 1 as never }", /the description of Program "p" must be text/],
    [
      'events',
      "{ id: 'p', events: ['approved'] as never }",
      /the events of Program "p" must come from defineEvent: write defineEvent\("approved"\) for "approved"/,
    ],
    ['events', "{ id: 'p', events: [{ name: '' }] }", /must come from defineEvent, with names of 1 to 200 characters/],
    ['a label', "{ id: 'p', label: 'order' as never }", /the label of Program "p" must be a function of its input/],
    [
      'an input with functions, as a schema of superstruct',
      "{ id: 'p', input: { type: 'object', validator: () => [] } }",
      /^programs\/p\.ts:2:30 the input of Program "p" must have a Standard Schema or a JSON Schema: its "validator" is a function, /,
    ],
    ['an input', "{ id: 'p', input: 'string' as never }", /the input of Program "p" must have a Standard Schema/],
    [
      'a misspelt option',
      "{ id: 'p', inputs: { type: 'object' } } as never",
      /^programs\/p\.ts:2:30 defineProgram has no option "inputs": it has id, description, input, events, label$/,
    ],
  ])('%s', async (_, options, message) => {
    const { errors, programs } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'\nexport default defineProgram(${options}, async () => 1)\n`,
    })
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    expect(programs).toEqual([])
  })

  it.each(['async () => 1', "'p', async () => 1", "{ id: 'p' }"])('defineProgram(%s)', async (given) => {
    const { errors, programs } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'\nexport default defineProgram(${given})\n`,
    })
    expect(errors.map((error) => error.message)).toEqual([
      'programs/p.ts:2:30 defineProgram takes options with an id, and the function that is the Program',
    ])
    expect(programs).toEqual([])
  })

  it.each(['async () => 1', '{ timeout: 5 }'])('defineEffect(%s)', async (given) => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { pay } from './pay.effects.ts'
export default defineProgram({ id: 'p' }, async () => pay())`,
      'programs/pay.effects.ts': `import { defineEffect } from 'workflow-execution-service'\nexport const pay = defineEffect(${given})\n`,
    })
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringMatching(
        /^programs\/pay\.effects\.ts:2:\d+ effect "pay": defineEffect takes the options of an effect, and its function$/,
      ),
    ])
  })

  it.each([
    ['import { defineprogram } from', 'defineprogram', /^programs\/p\.ts:1:10 .* has no export "defineprogram"/],
    ['import { definePrograms } from', 'definePrograms', /^programs\/p\.ts:1:10 .* has no export "definePrograms"/],
    ['import { defineProgam } from', 'defineProgam', /^programs\/p\.ts:1:10 .* has no export "defineProgam"/],
    ['import * as wes from', 'wes.DefineProgram', /^programs\/p\.ts:2:20 TypeError: .* is not a function/],
  ])('%s … %s(…)', async (importing, called, message) => {
    const { errors } = await compile({
      'programs/p.ts': `${importing} 'workflow-execution-service'\nexport default ${called}({ id: 'p' }, async () => 1)\n`,
    })
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
  })

  it('but not what a module throws that defines no Program, only something with a similar name', async () => {
    const { errors } = await compile({
      'programs/names.ts': "const DefinePrograms = () => (null as never)['x']\nexport const names = DefinePrograms()",
    })
    expect(errors).toEqual([])
  })

  it('two events of one name', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'p', events: [defineEvent('a'), defineEvent('a')] }, async () => 1)\n`,
    })
    expect(errors[0]!.message).toContain('Program "p" lists event "a" twice')
  })
})

const usingEffects = (imports: string, body: string): string =>
  `import { defineProgram } from 'workflow-execution-service'\n${imports}\nexport default defineProgram({ id: 'p' }, async (ctx) => ${body})\n`

describe('effects', () => {
  it('are the exported functions of the modules that a Program uses, with the options of defineEffect', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import { a } from './p.effects.js'", 'a()'),
      'programs/p.effects.ts': `import { defineEffect as effect } from 'workflow-execution-service'
import * as wes from 'workflow-execution-service'
import { retry } from '../shared/policy.ts'
import Stripe from 'stripe-that-is-not-installed'
const stripe = new Stripe(process.env.STRIPE_KEY!)
const timeout = '1h 30m'
export const a = effect({ retry, timeout }, async () => stripe.charge())
export const b = wes.defineEffect({ timeout: 1500.2 }, async () => 1)
export async function c() {}
export const d = async () => 1
const e = async () => 1
export { e, d as f }
export const g = makeEffect()
export type T = { a: 1 }
export const LIMIT = 5
export const names = ['x']
export class Client {}
export default async function () {}
`,
      'shared/policy.ts':
        "export const retry = { maxAttempts: 3, initialInterval: '1s', backoffCoefficient: 1.5, maxInterval: 2000 }",
    })
    expect(manifest.effects).toEqual([
      {
        name: 'a',
        retry: { maxAttempts: 3, initialInterval: '1s', backoffCoefficient: 1.5, maxInterval: 2000 },
        timeoutMs: 5_400_000,
      },
      { name: 'b', timeoutMs: 1501 },
      ...['c', 'd', 'default', 'e', 'f', 'g'].map((name) => ({ name })),
    ])
  })

  it('may be re-exported by another effect module', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import * as effects from './all.effects.ts'", '[effects.a(), effects.renamed()]'),
      'programs/all.effects.ts': "export * from './a.effects.ts'\nexport { b as renamed } from './b.effects.ts'",
      'programs/a.effects.ts':
        "import { defineEffect } from 'workflow-execution-service'\nimport { connect } from 'not-installed'\nconnect()\nexport const a = defineEffect({ timeout: '2s' }, async () => 1)",
      'programs/b.effects.ts':
        "import { defineEffect } from 'workflow-execution-service'\nexport const b = defineEffect({ timeout: '3s' }, async () => 1)",
    })
    expect(manifest.effects).toEqual([
      { name: 'a', timeoutMs: 2_000 },
      { name: 'renamed', timeoutMs: 3_000 },
    ])
  })

  it('keep their options when they are re-exported again, under another name', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import { a, b, c } from './all.effects.ts'", '[a(), b(), c()]'),
      'programs/all.effects.ts':
        "export { a } from './middle.effects.ts'\nexport { second as b } from './middle.effects.ts'\nexport * from './star.effects.ts'",
      'programs/middle.effects.ts': "export { a, renamed as second } from './one.effects.ts'",
      'programs/star.effects.ts': "export * from './two.effects.ts'",
      'programs/one.effects.ts':
        "import { defineEffect } from 'workflow-execution-service'\nexport const a = defineEffect({ timeout: '2s' }, async () => 1)\nconst b = defineEffect({ timeout: '3s' }, async () => 1)\nexport { b as renamed }",
      'programs/two.effects.ts':
        "import { defineEffect } from 'workflow-execution-service'\nexport const c = defineEffect({ timeout: '4s' }, async () => 1)",
    })
    expect(manifest.effects).toEqual([
      { name: 'a', timeoutMs: 2_000 },
      { name: 'b', timeoutMs: 3_000 },
      { name: 'c', timeoutMs: 4_000 },
    ])
  })

  it('can be called by name if their module is imported without names', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import './p.effects.ts'", "ctx.effect('a')"),
      'programs/p.effects.ts': 'export const a = async () => 1',
    })
    expect(manifest.effects).toEqual([{ name: 'a' }])
  })

  it('of modules that only other Programs use are not included', async () => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import { pay } from '../shared/steps.ts'", 'pay()'),
      'shared/steps.ts':
        "import { a } from './a.effects.ts'\nexport { ship } from './ship.ts'\nexport const pay = () => a()",
      'shared/ship.ts': "import { b } from './b.effects.ts'\nexport const ship = () => b()",
      'shared/a.effects.ts': 'export const a = async () => 1',
      'shared/b.effects.ts': 'export const b = async () => 1',
    })
    expect(manifest.effects).toEqual([{ name: 'a' }])
  })

  it.each([
    [
      'a retry that does not exist',
      'defineEffect({ retry: { attempts: 3 } }, async () => 1)',
      /^programs\/p\.effects\.ts:2:31 effect "a": retry has no "attempts": it has maxAttempts/,
    ],
    [
      'a number of attempts',
      'defineEffect({ retry: { maxAttempts: 0 } }, async () => 1)',
      /:\d+:\d+ effect "a": retry\.maxAttempts must be an integer from 1 to 1,000,000; it is 0/,
    ],
    [
      'a duration',
      "defineEffect({ timeout: 'soon' }, async () => 1)",
      /timeout must be a duration above 0: .* it is "soon"/,
    ],
    [
      'a misspelt option',
      'defineEffect({ retries: 3 } as never, async () => 1)',
      /^programs\/p\.effects\.ts:2:31 effect "a": defineEffect has no option "retries": it has retry, timeout$/,
    ],
    [
      'options that throw',
      "defineEffect({ timeout: (null as never)['x'] }, async () => 1)",
      /^programs\/p\.effects\.ts:2:\d+ TypeError: Cannot read properties of null/,
    ],
  ])('with %s are refused where they stand', async (_, value, message) => {
    const { errors, programs, failedIds } = await compile({
      'programs/p.ts': usingEffects("import { a } from './p.effects.ts'", 'a()'),
      'programs/p.effects.ts': `import { defineEffect } from 'workflow-execution-service'\nexport const a = defineEffect${value.slice('defineEffect'.length)}\n`,
    })
    expect(errors.map((error) => error.message)).toEqual([expect.stringMatching(message)])
    expect([programs, failedIds]).toEqual([[], ['p']])
  })

  it('of the same name in two modules of a Program are refused', async () => {
    const { errors } = await compile({
      'programs/p.ts': usingEffects(
        "import { a } from './a.effects.ts'\nimport { a as other } from './b.effects.ts'\nimport { a as third } from './c.effects.ts'",
        '[a(), other(), third()]',
      ),
      'programs/a.effects.ts': 'export const a = async () => 1',
      'programs/b.effects.ts': 'export const a = async () => 2',
      // Its own `a` is not the one that it exports.
      'programs/c.effects.ts': "const a = 3\nexport { b as a } from './b.ts'\nvoid a",
      'programs/b.ts': 'export const b = async () => 4',
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/b.effects.ts:1:18 effect "a" is exported by programs/a.effects.ts as well, and a Program uses both modules: rename one of the two',
      'programs/c.effects.ts:1:1 effect "a" is exported by programs/a.effects.ts as well, and a Program uses both modules: rename one of the two',
    ])
  })

  it('are the only exports of their modules that a Program can import', async () => {
    const value = await compile({
      'programs/p.ts': usingEffects("import { LIMIT } from './p.effects.ts'", 'LIMIT'),
      'programs/p.effects.ts': 'export const LIMIT = 5\nexport const a = async () => 1',
    })
    expect(value.errors[0]!.message).toMatch(
      /^programs\/p\.ts:2:10 "LIMIT" of programs\/p\.effects\.ts is not a function: /,
    )
    const missing = await compile({
      'programs/p.ts': usingEffects("import { chargeCrad } from './p.effects.ts'", 'chargeCrad()'),
      'programs/p.effects.ts': 'export const chargeCard = async () => 1',
    })
    expect(missing.errors[0]!.message).toBe(
      'programs/p.ts:2:10 programs/p.effects.ts has no exported function "chargeCrad"',
    )
  })

  it.each([
    ["const V = Number(process.env['LIMIT'] ?? 100)"],
    ["const V = process.env.LIMIT ?? 'none'"],
    ['const V = process.env.LIMIT'],
    ['const V = true ? 1 : 2'],
    ['const V = Object.freeze({ a: 1 })'],
    ['const V = Math.max(1, 2)'],
    ['enum V { Big, Small }'],
    ['namespace V { export const a = 1 }'],
  ])('are no values: %s', async (declaration) => {
    const { errors } = await compile({
      'programs/p.ts': usingEffects("import { V } from './p.effects.ts'", 'V'),
      'programs/p.effects.ts': `export ${declaration}\n`,
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:10 "V" of programs\/p\.effects\.ts is not a function: /),
    ])
  })

  it.each([
    ['const e = traced(async () => 1)\nfunction traced<F>(f: F) { return f }'],
    ['const e = process.env.FAKE ? async () => 1 : async () => 2'],
    ['const e = Object.freeze(async () => 1)'],
    ['const e = Number(() => 1)\nfunction Number<F>(f: F) { return f }'],
  ])('may be made by other functions: %s', async (declaration) => {
    const manifest = await manifestOf({
      'programs/p.ts': usingEffects("import { e } from './p.effects.ts'", 'e()'),
      'programs/p.effects.ts': `export ${declaration}\n`,
    })
    expect(manifest.effects).toEqual([{ name: 'e' }])
  })

  it('that do not parse, or import missing modules, are reported in their own file', async () => {
    const broken = await compile({
      'programs/p.ts': usingEffects("import { a } from './p.effects.ts'", 'a()'),
      'programs/p.effects.ts': 'export const a = async () => {\n  return (1\n}',
    })
    expect(broken.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/p\.effects\.ts:3:1 /),
    ])
    const missing = await compile({
      'programs/p.ts': usingEffects("import { a } from './p.effects.ts'", 'a()'),
      'programs/p.effects.ts': "import { b } from './missing.ts'\nexport const a = async () => b",
    })
    expect(missing.errors.map(({ message }) => message)).toEqual([
      'programs/p.effects.ts:1:19 Could not resolve "./missing.ts"',
    ])
  })
})
