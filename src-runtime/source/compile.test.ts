import { closeSync, ftruncateSync, openSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { runInThisContext } from 'node:vm'
import { eachMapping, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { makePipe } from '../shared/make-pipe.test-support.ts'
import { compileProject } from './build-project.ts'
import { createCompiler, type Compiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject, tinyProgram, type TestProject } from './project.test-support.ts'
import type { CompiledFile } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const projectOf = (sources: Readonly<Record<string, string>>, packages = false): TestProject => {
  const project = createProject(sources, { packages })
  onTestFinished(project.dispose)
  return project
}

const compilerOf = (folder: string): Compiler => {
  const compiler = createCompiler({ folder, evaluator })
  onTestFinished(compiler.stop)
  return compiler
}

const compile = async (sources: Readonly<Record<string, string>>, packages = false): Promise<CompiledFile> => {
  const [path = ''] = Object.keys(sources)
  const [file] = await compilerOf(projectOf(sources, packages).folder).compile([path])
  return file!
}

const writeSparse = (path: string, bytes: number): void => {
  const file = openSync(path, 'w')
  ftruncateSync(file, bytes)
  closeSync(file)
}

const ORDER = {
  'programs/order-approval.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { chargeCard } from './order-approval.effects.ts'
export const approved = defineEvent('approved', z.object({ by: z.string() }))
export default defineProgram(
  { id: 'order-approval', input: z.object({ orderId: z.string(), cents: z.number() }), events: [approved] },
  async (ctx, input) => {
    const decision = await ctx.waitForEvent(approved, { timeout: '3 days' })
    const { receipt } = await chargeCard({ orderId: input.orderId, cents: input.cents })
    return { receipt, by: decision.by }
  },
)
`,
  'programs/order-approval.effects.ts': `import { defineEffect } from 'workflow-execution-service'
import { createHash } from 'node:crypto'
import chalk from 'a-package-of-the-project'
const POLICY = { maxAttempts: 8, maxInterval: '5 minutes' }
export async function chargeCard(input: { orderId: string; cents: number }) {
  return { receipt: createHash('sha256').update(chalk(input.orderId)).digest('hex') }
}
export const notify = defineEffect({ retry: POLICY, timeout: '10s' }, async (input: { to: string }) => input.to)
export const CURRENCY = 'EUR'
`,
}

/** Windows has no such names. */
const POSIX_NAMES = process.platform === 'win32' ? [] : ['a*b', '**', 'why?', `"it's"`, '\n']

describe('a module whose path has unusual names', () => {
  it.each(['C#', '100%', 'a b', '(x) [y] {z}', ...POSIX_NAMES])('names its inputs as they are: %s', async (name) => {
    const text = tinyProgram('odd').replace('return 1', 'return pay(rate)')
    const { programs, errors, inputs } = await compile({
      [`programs/${name}/p.ts`]: `import { rate } from './rate.ts'\nimport { pay } from './pay.effects.ts'\n${text}`,
      [`programs/${name}/rate.ts`]: 'export const rate = 1\n',
      [`programs/${name}/pay.effects.ts`]: 'export const pay = async (rate: number) => rate\n',
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id, path }) => [id, path])).toEqual([['odd', `programs/${name}/p.ts`]])
    expect(programs[0]?.artifact.manifest.effects).toMatchObject([{ name: 'pay' }])
    expect(inputs).toEqual(['p.ts', 'pay.effects.ts', 'rate.ts'].map((file) => `programs/${name}/${file}`))
  })
})

describe('a Program with effects', () => {
  it('compiles to one artifact', async () => {
    const { programs, errors } = await compile(ORDER, true)
    expect(errors).toEqual([])
    expect(programs).toHaveLength(1)
    expect(programs[0]!.artifact).toMatchObject({
      format: 'wes.program/1',
      id: 'order-approval',
      manifest: {
        inputSchema: {
          type: 'object',
          properties: { orderId: { type: 'string' }, cents: { type: 'number' } },
          required: ['orderId', 'cents'],
        },
        events: [{ name: 'approved', payloadSchema: { type: 'object', required: ['by'] } }],
        effects: [
          { name: 'chargeCard' },
          { name: 'notify', retry: { maxAttempts: 8, maxInterval: '5 minutes' }, timeoutMs: 10_000 },
        ],
      },
    })
  })

  it('is compiled again after a change of a module whose constants are written into its effects', async () => {
    const { inputs, programs } = await compile({
      'programs/a.ts': `import { pay } from './a.effects.ts'\n${tinyProgram('a', 'return pay()')}`,
      'programs/a.effects.ts': "import { Kind } from './kinds.ts'\nexport const pay = async () => Kind.a",
      'programs/kinds.ts': "export enum Kind { a = 'one' }",
    })
    expect(programs[0]!.artifact.effects!.code).not.toContain('kinds.ts')
    expect(inputs).toContain('programs/kinds.ts')
  })

  it('contains no code of its effects and schemas', async () => {
    const { programs } = await compile(ORDER, true)
    const { code } = programs[0]!.artifact.program
    for (const text of ['createHash', 'a-package-of-the-project', 'EUR', 'maxInterval', 'ZodObject']) {
      expect(code).not.toContain(text)
    }
    expect(code.length).toBeLessThan(5_000)
  })

  it('bundles its own modules with its effects, but no packages', async () => {
    const { programs } = await compile(ORDER, true)
    const { code } = programs[0]!.artifact.effects!
    expect(code).toContain('from "a-package-of-the-project"')
    expect(code).toContain('from "node:crypto"')
    expect(code).not.toContain('from "workflow-execution-service"')
    expect(code).toMatch(/export \{\n {2}chargeCard,\n {2}notify\n\}/)
  })
})

describe('a module', () => {
  it('may export several Programs, each bundled with only what it needs', async () => {
    const { programs } = await compile({
      'programs/two.ts': `import { defineProgram } from 'workflow-execution-service'
import { charge } from './charge.effects.ts'
import { ship } from './ship.effects.ts'
export const first = defineProgram({ id: 'first' }, async () => charge())
export const second = defineProgram({ id: 'second', description: 'Ships' }, async () => ship())
`,
      'programs/charge.effects.ts': 'export const charge = async () => 1',
      'programs/ship.effects.ts': 'export const ship = async () => 2',
    })
    expect(programs.map(({ id, exportName }) => [id, exportName])).toEqual([
      ['first', 'first'],
      ['second', 'second'],
    ])
    const [first, second] = programs.map(({ artifact }) => artifact)
    expect(first!.manifest.effects).toEqual([{ name: 'charge' }])
    expect(second!.manifest.effects).toEqual([{ name: 'ship' }])
    expect(first!.program.code).not.toContain('second')
    expect(first!.effects!.code).not.toContain('ship')
    expect(second!.description).toBe('Ships')
  })

  it.each([
    ['by name', "export const p = defineProgram({ id: 'p' }, async () => 1)"],
    [
      'in a list, under two names',
      "const p = defineProgram({ id: 'p' }, async () => 1)\nexport { p as default, p as again }",
    ],
    [
      'under a name that is no identifier',
      "const p = defineProgram({ id: 'p' }, async () => 1)\nexport { p as 'the # Program*' }",
    ],
    ['with a type', "export default defineProgram({ id: 'p' }, async () => 1) satisfies object"],
    ['of a choice', "const p = defineProgram({ id: 'p' }, async () => 1)\nexport default Math.PI > 3 ? p : undefined"],
    [
      'of a function of its own',
      "const wrapped = (id: string) => defineProgram({ id }, async () => 1)\nexport const p = wrapped('p')",
    ],
    ['from another module', "export { q as p } from '../elsewhere.ts'"],
  ])('may export a Program %s', async (_, text) => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'\n${text}\n`,
      'elsewhere.ts': tinyProgram('p').replace('export default', 'export const q ='),
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id }) => id)).toEqual(['p'])
  })

  it('that does not export its Program is an error', async () => {
    const { errors, programs } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
const p = defineProgram({ id: 'p' }, async () => 1)
defineProgram({ id: 'q' }, async () => 1)
`,
    })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/p\.ts:2:11 this Program is not exported/),
      expect.stringMatching(/^programs\/p\.ts:3:1 this Program is not exported/),
    ])
    expect(programs).toEqual([])
  })

  it.each([
    [
      "import { defineProgram } from 'workflow-execution-service'",
      "export = defineProgram({ id: 'p' }, async () => 1)",
    ],
    [
      "const { defineProgram } = require('workflow-execution-service')",
      "module.exports = { p: defineProgram({ id: 'p' }) }",
    ],
    ["import sdk = require('workflow-execution-service')", "exports.p = sdk.defineProgram({ id: 'p' }, async () => 1)"],
  ])('that exports its Program as CommonJS does is an error', async (...lines) => {
    const { errors, programs } = await compile({ 'programs/p.ts': lines.join('\n') })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:2:1 Programs in exports of CommonJS are not found: use `export default`, or export it by name',
    ])
    expect(programs).toEqual([])
  })

  it('may define a Program under another name, by a function that it sets later', async () => {
    const { errors, programs } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
const define = defineProgram
let run: () => Promise<number>
run = async () => 1
export default define({ id: 'p' }, run)`,
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id }) => id)).toEqual(['p'])
  })

  it.each([
    "const sdk = require('workflow-execution-service')\nmodule.exports = { make: (run) => sdk.defineProgram({ id: 'p' }, run) }",
    '// For defineProgram\nexports.id = 1',
  ])('that exports as CommonJS does, and defines no Program, is none', async (module) => {
    const { errors, programs } = await compile({ 'programs/p.ts': module })
    expect([errors, programs]).toEqual([[], []])
  })

  it('that imports a file of another kind is an error', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import rates from '../rates.toml'
export default defineProgram({ id: 'p' }, async () => rates)
`,
      'rates.toml': 'eur = 1',
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:2:19 rates.toml cannot be imported: it is not JavaScript, TypeScript, JSON or text (.txt)',
    ])
  })

  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const nestedIn = (path: string, before: string, levels: number, after = ''): Readonly<Record<string, string>> => ({
    'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import value from '${path.replace(/^(?:node_modules\/)?/, path.startsWith('node_modules/') ? '' : '../')}'
export default defineProgram({ id: 'p' }, async () => value)
`,
    'node_modules/deep/package.json': '{"name": "deep", "type": "module"}',
    [path]: before + nested(levels) + after,
  })
  const TOO_DEEP =
    'more than 256 brackets are open here, too many to be compiled: nest the code less, or let an effect read the data when it runs'
  it.each([
    ['programs/p.ts', `${tinyProgram('p')}export const deep = `, 'programs/p.ts:5:'],
    ['lib/value.ts', 'export default ', 'lib/value.ts:1:'],
    ['lib/value.json', '', 'lib/value.json:1:'],
    ['node_modules/deep/value.js', 'const value = "("\nexport default ', 'node_modules/deep/value.js:2:'],
  ])(
    'that nests brackets so deeply that the parser would end the process is an error: %s',
    async (path, before, at) => {
      for (const levels of [1_000, 100_000]) {
        const { errors } = await compile({ ...nestedIn(path, before, levels) })
        expect(errors.map(({ message }) => message.replace(/\d+ /, ' '))).toEqual([`${at} ${TOO_DEEP}`])
      }
    },
  )

  it.runIf(process.platform === 'linux').each([
    ['../lib/Value.ts', '1:8 What this imports is called value.ts, with other capital letters: write its name so'],
    ['./P.effects.ts', '1:1 is called p.effects.ts, with other capital letters: write its name so'],
  ])('that imports a file by other capital letters is told its name: %s', async (specifier, why) => {
    const { errors } = await compile({
      'programs/p.ts': `import '${specifier}'\n${tinyProgram('p')}`,
      'lib/value.ts': 'export {}',
      'programs/p.effects.ts': 'export const run = async () => 1',
    })
    const path = specifier.startsWith('./') ? 'programs/P.effects.ts' : 'programs/p.ts'
    expect(errors.map(({ message }) => message)).toEqual([`${path}:${why}`])
  })

  it('that imports a misspelled name is told the one that it may have meant', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import './utlis'
import './utlis.ts'
import 'exmaple'
import 'otherwise'
export default defineProgram({ id: 'p' }, async () => 1)
`,
      'programs/utils.ts': '',
      'package.json': '{"dependencies": {"example": "1.0.0"}}',
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:2:8 Could not resolve "./utlis". Did you mean "./utils"?',
      'programs/p.ts:3:8 Could not resolve "./utlis.ts". Did you mean "./utils.ts"?',
      'programs/p.ts:4:8 Could not resolve "exmaple": it is neither an installed package nor one of the paths in tsconfig.json. Did you mean "example"?',
      'programs/p.ts:5:8 Could not resolve "otherwise": it is neither an installed package nor one of the paths in tsconfig.json',
    ])
    const { errors: ofExport } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { nmae } from './names'
export default defineProgram({ id: 'p' }, async () => nmae)
`,
      'programs/names.ts': 'export const name = 1',
    })
    expect(ofExport.map(({ message }) => message)).toEqual([
      'programs/p.ts:2:10 No matching export in "programs/names.ts" for import "nmae". Did you mean "name"?',
    ])
  })

  it('that imports a name which it declares is an error, unless the import may be a type', async () => {
    const { errors } = await compile({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'
import { run } from './a.effects.ts'
import { Order, cents, type Line, Both } from './order.ts'
export const Order = 1, Line = 2
export { Both }
const Both = 3
export default defineProgram({ id: 'a' }, async (ctx, input: Order | Line) => [cents, await run(input)])
`,
      'programs/a.effects.ts': `import fs, * as order from './order.ts'
export const fs = 1
export async function order() {}
export const run = async (input: unknown) => [fs, order, input]
`,
      'programs/order.ts':
        'export type Order = {}\nexport type Line = {}\nexport type Both = {}\nexport const cents = 1',
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/a.effects.ts:1:8 Identifier `fs` has already been declared',
      'programs/a.effects.ts:1:17 Identifier `order` has already been declared',
    ])
  })

  it('that imports a package which package.json names is told to install it', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { deep } from '@acme/example/deep'\n${tinyProgram('p', 'return deep')}`,
      'package.json': '{"dependencies": {"@acme/example": "1.0.0"}}',
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:1:22 Could not resolve "@acme/example/deep": package.json names it, but it is not installed: run `npm install`',
    ])
  })

  it('that nests without brackets so deeply that the parser would end the process is an error', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { value } from '../lib/value.ts'
export default defineProgram({ id: 'p' }, async () => value)
`,
      'lib/value.ts': `export const value = 1\nexport const later = ${'a => '.repeat(20_000)}1\n`,
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'lib/value.ts:2:5007 the code nests more than 1000 levels deep here, too many to be compiled: nest the code less, or let an effect read the data when it runs',
    ])
  })

  it('may nest brackets deeply, and hold any number of them in texts and comments', async () => {
    const quoted = `// ${'('.repeat(300)}\n/* ${'['.repeat(300)} */\nconst text = '${'{'.repeat(300)}' + "${'('.repeat(300)}\\"("\n`
    const { errors, programs } = await compile(
      nestedIn('lib/value.ts', `${quoted}export default `, 240, '.concat(text)'),
    )
    expect(errors).toEqual([])
    expect(programs).toHaveLength(1)
  })

  it('that exports Programs only in an array or object is an error', async () => {
    const { errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
const c = defineProgram({ id: 'c' }, async () => 1)
export const all = ['a', 'b'].map((id) => defineProgram({ id }, async () => 1))
export default { none: 0, some: [c] } as const
export const make = (id: string) => defineProgram({ id }, async () => 1)
export const made = ['d', 'e'].map(make)
`,
    })
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/p.ts:3:20 the Programs in this array are not exported: export each by name',
      'programs/p.ts:4:16 the Programs in this object are not exported: export each by name',
      'programs/p.ts:6:21 the Programs in this array are not exported: export each by name',
    ])
  })

  it('may export Programs of another module by `export *`', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': "export * from '../lib/all.ts'\nexport * from './p.effects.ts'\nexport const version = 1\n",
      'programs/p.effects.ts': 'export const rate = async () => 1',
      'lib/all.ts': `export * from './two.ts'\nexport const two = 2`,
      'lib/two.ts': `import { defineProgram } from 'workflow-execution-service'
export const make = (id: string) => defineProgram({ id }, async () => id)
export const a = make('a')
export const b = make('b')
`,
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id, place }) => [id, place])).toEqual([
      ['a', { path: 'programs/p.ts', line: 1, column: 1 }],
      ['b', { path: 'programs/p.ts', line: 1, column: 1 }],
    ])
    expect(programs[0]!.artifact.program.code).toContain('make("a")')
  })

  it('with Programs of its own may export by `export *` what needs Node', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
export * from '../lib/client.ts'
export default defineProgram({ id: 'p' }, async () => 1)
`,
      'lib/client.ts': "import { readFileSync } from 'node:fs'\nexport const settings = readFileSync('x')",
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id }) => id)).toEqual(['p'])
  })

  it('may export a list of Programs that are exported, too', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import q, { r } from './q.ts'
const p = defineProgram({ id: 'p' }, async () => 1)
export { p as first }
export const all = [p, q, r]
export const some = [p, q, r].slice(1)
export const withBroken = { p, get broken() { throw new Error('never evaluated') } }
`,
      'programs/q.ts': `import { defineProgram } from 'workflow-execution-service'
export default defineProgram({ id: 'q' }, async () => 1)
export const r = defineProgram({ id: 'r' }, async () => 1)
`,
    })
    expect(errors).toEqual([])
    expect(programs.map(({ id }) => id)).toEqual(['p'])
  })

  it('resolves its imports with the settings of the project', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram, type ProgramContext } from 'workflow-execution-service'
import { Currency, Money } from '@lib/money'
import { pay } from '#lib/pay.effects.js'
import rates from '../lib/rates.json' with { type: 'json' }
import type { Missing } from './missing.ts'
async function run(ctx: ProgramContext, input: { cents: number }) {
  return [new Money(input.cents).euros, Currency.EUR, rates.eur, await pay(1)]
}
export default defineProgram({ id: 'p' }, run)
`,
      'package.json': '{ "type": "module", "imports": { "#lib/*.js": "./lib/*.ts" } }',
      'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true, "paths": { "@lib/*": ["./lib/*"] } } }',
      'lib/money.ts': `export enum Currency { EUR = 'EUR' }
export class Money { constructor(readonly cents: number) {} get euros() { return this.cents / 100 } }`,
      'lib/pay.effects.ts': 'export const pay = async (n: number) => n',
      'lib/rates.json': '{ "eur": 1.5 }',
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.manifest.effects).toEqual([{ name: 'pay' }])
    expect(programs[0]!.artifact.program.code).toContain('eur: 1.5')
  })

  it('is compiled as its tsconfig.json says', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
const noted: string[] = []
const note = (_: object, key: string, index: number) => void noted.push(key + index)
class Order {
  cents!: number
  pay(@note cents: number) { this.cents = cents }
}
export default defineProgram({ id: 'p' }, async () => [noted, Object.keys(new Order())])
`,
      'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true, "useDefineForClassFields": false } }',
    })
    expect(errors).toEqual([])
    const { run } = runInThisContext(programs[0]!.artifact.program.code) as { run: () => Promise<unknown> }
    expect(await run()).toEqual([['pay0'], []])
  })

  it.each([
    ['as Node does in an ES module', '{ "type": "module" }', 'object'],
    ['as bundlers do otherwise', '{}', 'function'],
  ])('imports the default of a CommonJS package %s', async (_, settings, type) => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import half from 'half'\n${tinyProgram('p', 'return typeof half')}`,
      'package.json': settings,
      'node_modules/half/package.json': '{ "name": "half", "main": "index.js" }',
      'node_modules/half/index.js': 'exports.__esModule = true\nexports.default = (n) => n / 2',
    })
    expect(errors).toEqual([])
    const { run } = runInThisContext(programs[0]!.artifact.program.code) as { run: () => Promise<unknown> }
    expect(await run()).toBe(type)
  })

  it('contains nothing that it imports only for types', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import Bank, { type Account } from './bank.ts'
import { type Currency } from './bank.ts'
export default defineProgram({ id: 'p' }, async (_, input: { bank: Bank, account: Account, in: Currency }) => input.in)
`,
      'programs/bank.ts': `import { connect } from 'node:net'
export type Account = string
export type Currency = 'EUR'
export const connection = connect(80)
export default class Bank {}`,
      'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.program.code).not.toContain('Bank')
  })

  it('with JSX contains what that calls, and nothing that it marks as a type', async () => {
    const { programs, errors } = await compile({
      'programs/p.tsx': `import { defineProgram } from 'workflow-execution-service'
import { type Account } from './bank.ts'
import * as React from './react.ts'
export default defineProgram({ id: 'p' }, async (_, input: Account) => <pre>{input}</pre>)
`,
      'programs/react.ts': "export const createElement = (...parts: unknown[]) => parts.join(' ')",
      'programs/bank.ts': "import { connect } from 'node:net'\nexport type Account = string\nconnect(80)",
      'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true, "jsx": "react" } }',
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.program.code).toContain("parts.join(' ')".replaceAll("'", '"'))
  })

  it.each([
    ['React.createElement', '', "import React from './react.ts'"],
    ['h', '', "import * as all from './react.ts'\nconst h = all.createElement"],
    ['h', '/** @jsx make @jsxFrag Both */', "import { createElement as make, Both } from './react.ts'"],
    [
      'own',
      '',
      "import * as all from './react.ts'\nfunction own(...parts: unknown[]) { return all.createElement(...parts) }",
    ],
  ])('with JSX contains %s, which other parts mention, too %s', async (jsxFactory, pragma, imports) => {
    const { programs, errors } = await compile({
      'programs/p.tsx': `${pragma}
import { defineProgram } from 'workflow-execution-service'
${imports}
export const others = () => [React, h, make, Both]
export default defineProgram({ id: 'p' }, async () => <><pre>1</pre></>)
`,
      'programs/react.ts': `export const createElement = (...parts: unknown[]) => parts.join(' ')
export const Both = 'both'
export default { createElement, Fragment: Both }`,
      'tsconfig.json': JSON.stringify({
        compilerOptions: { jsx: 'react', jsxFactory, jsxFragmentFactory: jsxFactory },
      }),
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.program.code).toContain('parts.join(" ")')
  })

  it('runs what its other modules import for side effects', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { done } from '../events.ts'
export default defineProgram({ id: 'p' }, async () => done.name)
`,
      'events.ts': `import { defineEvent } from 'workflow-execution-service'
import { polyfill } from './polyfill.ts'
export const done = defineEvent('done')
`,
      'polyfill.ts': 'export const polyfill = Object.assign(Array, { ours: 1 })',
      'tsconfig.json': '{ "compilerOptions": { "verbatimModuleSyntax": true } }',
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact.program.code).toContain('ours: 1')
  })

  it.runIf(process.platform !== 'win32')(
    'has its own name and positions in stacks, also where it is a link, and its other modules import it',
    async () => {
      const line = "export default defineProgram({ id: 'p' }, async () => { throw new Error(event().name) })"
      const project = projectOf({
        'elsewhere/real.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { event } from './event.ts'
export const done = defineEvent('done')
${line}
`,
        'elsewhere/event.ts': "import { done } from './real.ts'\nexport const event = () => done",
        'programs/.keep': '',
      })
      symlinkSync('../elsewhere/real.ts', join(project.folder, 'programs/p.ts'))
      const [file] = await compilerOf(project.folder).compile(['programs/p.ts'])
      const { code, sourceMap } = file!.programs[0]!.artifact.program
      const before = code.slice(0, code.indexOf('throw new Error(event')).split('\n')
      const place = { line: before.length, column: before.at(-1)!.length }
      const found = originalPositionFor(new TraceMap(sourceMap), place)
      expect(found).toMatchObject({ source: 'programs/p.ts', line: 4, column: line.indexOf('throw') })
    },
  )

  it('may import a module with a source map whose names are no URLs', async () => {
    const map = JSON.stringify({ version: 3, sources: ['webpack://app/./50%.ts'], names: [], mappings: 'AAAA' })
    const lib = `export const half = () => 1\n//# sourceMappingURL=data:application/json,${encodeURIComponent(map)}`
    const { programs, errors } = await compile({
      'programs/p.ts': `import { half } from '../half.js'\nimport { pay } from './p.effects.js'\n${tinyProgram('p', 'return pay(half())')}`,
      'half.js': lib,
      'programs/p.effects.js': lib.replace('half = ()', 'pay = async ()'),
    })
    expect(errors).toEqual([])
    for (const { sourceMap } of [programs[0]!.artifact.program, programs[0]!.artifact.effects!]) {
      expect(sourceMap).toContain('"webpack://app/./50%.ts"')
    }
  })

  it('compiles to the same bytes wherever the API that it uses stands in its module', async () => {
    const { programs } = await compile({ 'programs/p.ts': tinyProgram('p') })
    const map = new TraceMap(programs[0]!.artifact.program.sourceMap)
    const positions = new Set<string>()
    eachMapping(
      map,
      (one) => void (one.source === 'wes:sdk' && positions.add(`${one.originalLine}:${one.originalColumn}`)),
    )
    expect([...positions]).toEqual(['1:0'])
  })

  const NOT_FILES: readonly (readonly [string, string, (path: string) => void])[] = [
    ['a file of gigabytes', 'is larger than 32 MiB', (path) => writeSparse(path, 3e9)],
  ]
  const NOT_FILES_OF_POSIX: typeof NOT_FILES = [
    ['a named pipe', 'is a named pipe, not a file', (path) => makePipe(path)],
    ['a link to a device', 'is a device, not a file', (path) => symlinkSync('/dev/zero', path)],
  ]

  it.each(process.platform === 'win32' ? NOT_FILES : [...NOT_FILES, ...NOT_FILES_OF_POSIX])(
    'cannot import %s, which keeps no other module from being compiled',
    async (_what, message, make) => {
      const importing = (name: string) => `import x from './${name}'\n${tinyProgram('bad', 'return x')}`
      const project = projectOf({
        'programs/module.ts': importing('odd.ts'),
        'programs/data.ts': importing('odd.json'),
        'programs/effects.ts': `import { pay } from './pay.effects.ts'\n${tinyProgram('bad', 'return pay()')}`,
        'programs/pay.effects.ts': `import x from './odd.ts'\nexport const pay = async () => x`,
        'programs/good.ts': tinyProgram('good'),
      })
      for (const ending of ['ts', 'json']) make(join(project.folder, `programs/odd.${ending}`))
      const paths = ['module', 'data', 'effects', 'good'].map((name) => `programs/${name}.ts`)
      const [good, ...bad] = (await compilerOf(project.folder).compile(paths)).toReversed()
      expect([good?.errors, good?.programs.length]).toEqual([[], 1])
      for (const { errors } of bad) {
        expect(errors).toEqual([
          expect.objectContaining({ line: 1, message: expect.stringContaining(message) as string }),
        ])
      }
    },
  )

  it.runIf(process.platform !== 'win32')('is not compiled while the project has a named pipe as settings', async () => {
    const project = projectOf({
      'programs/a.ts': `import { x } from './x.ts'\n${tinyProgram('a', 'return x')}`,
      'programs/x.ts': 'export const x = 1',
    })
    makePipe(join(project.folder, 'tsconfig.json'))
    const compiler = compilerOf(project.folder)
    await expect(compiler.compile(['programs/a.ts'])).rejects.toThrow('tsconfig.json is a named pipe, not a file')
    project.remove('tsconfig.json')
    expect(await compiler.compile(['programs/a.ts'])).toMatchObject([{ errors: [], programs: { length: 1 } }])
  })

  it.runIf(process.platform !== 'win32').each([
    ['settings', '{ "extends": "./base" }', 'base.json'],
    ['settings of a package', '{ "extends": ["odd/base.json"] }', 'node_modules/odd/base.json'],
  ])('is not compiled while its settings extend a named pipe as %s', async (_what, settings, pipe) => {
    const project = projectOf({
      'programs/a.ts': tinyProgram('a'),
      'tsconfig.json': settings,
      'node_modules/odd/index.js': '',
    })
    makePipe(join(project.folder, pipe))
    expect(await compileProject({ folder: project.folder })).toMatchObject({
      programs: [],
      errors: [{ message: `${pipe}:1:1 is a named pipe, not a file` }],
    })
  })

  it.runIf(process.platform !== 'win32')('has an error where a package has a named pipe as package.json', async () => {
    const project = projectOf({
      'programs/a.ts': `import x from 'odd'\n${tinyProgram('a', 'return x')}`,
      'node_modules/odd/index.js': '',
    })
    makePipe(join(project.folder, 'node_modules/odd/package.json'))
    const [file] = await compilerOf(project.folder).compile(['programs/a.ts'])
    const message = expect.stringContaining('node_modules/odd/package.json is a named pipe, not a file') as string
    expect(file?.errors).toEqual([expect.objectContaining({ line: 1, message })])
  })

  it.each([
    [
      'functions',
      `${'(function (a) { return '.repeat(5_000)}a${'})()'.repeat(5_000)}`,
      'more than 256 brackets are open here',
    ],
    ['arrow functions', `${'a => '.repeat(5_000)}a`, 'the code nests more than 1000 levels deep here'],
    [
      'arrow functions with patterns',
      `${'({ a, b: [c] }) => '.repeat(5_000)}a`,
      'the code nests more than 1000 levels deep here',
    ],
    [
      'arrow functions in brackets',
      `${`[${'a => '.repeat(50)}`.repeat(100)}a${']'.repeat(100)}`,
      'the code nests more than 1000 levels deep here',
    ],
  ])('has an error where a package nests its %s so deep that bundling would take hours', async (_what, deep, text) => {
    const { errors } = await compile({
      'programs/a.ts': `import x from 'deep'\n${tinyProgram('a', 'return x')}`,
      'node_modules/deep/index.js': `module.exports = ${deep}`,
    })
    const message = expect.stringContaining(text) as string
    expect(errors).toEqual([expect.objectContaining({ path: 'node_modules/deep/index.js', line: 1, message })])
  })

  it.runIf(process.platform !== 'win32')(
    'has an error while a folder of its files has a named pipe as settings, and keeps no other module from being compiled',
    async () => {
      const project = projectOf({
        'programs/a.ts': `import { x } from './sub/x.ts'\n${tinyProgram('a', 'return x')}`,
        'programs/sub/b.ts': `import { z } from 'zod'\n${tinyProgram('b', 'return z')}`,
        'programs/sub/x.ts': 'export const x = 1',
        'programs/good.ts': tinyProgram('good'),
      })
      makePipe(join(project.folder, 'programs/sub/package.json'))
      const [good, ...bad] = await compilerOf(project.folder).compile([
        'programs/good.ts',
        'programs/a.ts',
        'programs/sub/b.ts',
      ])
      expect([good?.errors, good?.programs.length]).toEqual([[], 1])
      const message = expect.stringContaining('programs/sub/package.json is a named pipe, not a file') as string
      for (const { errors } of bad) expect(errors).toEqual([expect.objectContaining({ message })])
    },
  )

  it.each(["programs/a b/ü #1 'x'.ts", 'programs/[größe]/5%20(neu).ts'])('may have any path: %s', async (path) => {
    const { programs, errors } = await compile({
      [path]: `import { half } from '../hälfte.ts'\nimport { pay } from '../zähle.effects.ts'\n${tinyProgram('p', 'return pay(half(4))')}`,
      'programs/hälfte.ts': 'export const half = (n: number) => n / 2',
      'programs/zähle.effects.ts': 'export const pay = async (n: number) => n',
    })
    expect(errors).toEqual([])
    const { path: found, artifact } = programs[0]!
    const textsOf = (map: string) => {
      const { sources, sourcesContent } = JSON.parse(map) as Readonly<Record<string, readonly (string | null)[]>>
      return Object.fromEntries(sources!.map((source, index) => [source, sourcesContent![index]]))
    }
    const text = expect.any(String) as string
    expect(found).toBe(path)
    expect(textsOf(artifact.program.sourceMap)).toMatchObject({ [path]: text, 'programs/hälfte.ts': text })
    expect(textsOf(artifact.effects!.sourceMap)).toMatchObject({ [encodeURI('programs/zähle.effects.ts')]: text })
  })

  it.runIf(process.platform !== 'win32')('may be in a folder with a colon', async () => {
    const { programs, errors } = await compile({
      'v1:flows/p.ts': `import { half } from './half.ts'\n${tinyProgram('p', 'return half(4)')}`,
      'v1:flows/half.ts': 'export const half = (n: number) => n / 2',
    })
    expect(errors).toEqual([])
    const { sources } = JSON.parse(programs[0]!.artifact.program.sourceMap) as { readonly sources: readonly string[] }
    expect(sources).toEqual(expect.arrayContaining(['v1:flows/p.ts', 'v1:flows/half.ts']))
  })

  it('may share events with Programs that import other things', async () => {
    const { programs, errors } = await compile({
      'programs/p.ts': `import { defineProgram } from 'workflow-execution-service'
import { approved } from './other.ts'
import { steps } from './steps.ts'
export default defineProgram({ id: 'p', events: [approved], description: steps.join() }, async (ctx) => ctx.waitForEvent(approved))
`,
      'programs/other.ts': `import { defineEvent, defineProgram } from 'workflow-execution-service'
import { pay } from './pay.effects.ts'
export const approved = defineEvent('approved', { type: 'string' })
export default defineProgram({ id: 'other', events: [approved] }, async () => pay())
`,
      'programs/steps.ts': `import { pay } from './pay.effects.ts'
export const steps = ['one', 'two']
export const first = () => pay()
`,
      'programs/pay.effects.ts': `import { connect } from 'not-installed'
const connection = connect(process.env.DATABASE_URL)
export const pay = async () => connection.pay()
`,
    })
    expect(errors).toEqual([])
    expect(programs[0]!.artifact).toMatchObject({
      description: 'one,two',
      manifest: { events: [{ name: 'approved', payloadSchema: { type: 'string' } }] },
    })
    expect(programs[0]!.artifact.effects).toBeUndefined()
  })

  it('without definitions is no Program and no error', async () => {
    const file = await compile({
      'programs/helper.ts': 'export const later = setTimeout(() => {}, 1)\nexport const now = process.hrtime()',
    })
    expect(file).toMatchObject({ programs: [], errors: [] })
  })
})

describe('sources', () => {
  it('compile to the same bytes in every folder', async () => {
    const [one, other] = [projectOf(ORDER, true), projectOf(ORDER, true)]
    const [here] = await compilerOf(one.folder).compile(['programs/order-approval.ts'])
    const [there] = await compilerOf(other.folder).compile(['programs/order-approval.ts'])
    expect(JSON.stringify(here!.programs)).toBe(JSON.stringify(there!.programs))
    expect(JSON.stringify(here)).not.toContain(one.folder)
  })

  it('compile to the same bytes alone and among others', async () => {
    const sources = {
      ...ORDER,
      'programs/a.ts': tinyProgram('a'),
      'programs/deep/er/b.ts': tinyProgram('b', 'return 2'),
      'programs/c.ts': `import { approved } from './order-approval.ts'\n${tinyProgram('c', 'return approved.name')}`,
    }
    const { folder } = projectOf(sources, true)
    const paths = ['programs/a.ts', 'programs/deep/er/b.ts', 'programs/order-approval.ts', 'programs/c.ts']
    const together = await compilerOf(folder).compile(paths)
    const alone = await Promise.all(paths.map(async (path) => (await compilerOf(folder).compile([path]))[0]!))
    expect(together.map(({ programs }) => programs)).toEqual(alone.map(({ programs }) => programs))
    expect(together.flatMap(({ programs }) => programs)).toHaveLength(4)
  })
})
