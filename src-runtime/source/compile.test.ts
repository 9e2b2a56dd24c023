import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { createCompiler, type Compiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject, tinyProgram, type TestProject } from './project.test-support.ts'
import type { CompiledFile } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const cleanUps: (() => void)[] = []
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp()
})

const projectOf = (sources: Readonly<Record<string, string>>, packages = false): TestProject => {
  const project = createProject(sources, { packages })
  cleanUps.push(project.dispose)
  return project
}

const compilerOf = (folder: string): Compiler => {
  const compiler = createCompiler({ folder, evaluator })
  cleanUps.push(compiler.stop)
  return compiler
}

const compile = async (sources: Readonly<Record<string, string>>, packages = false): Promise<CompiledFile> => {
  const [path = ''] = Object.keys(sources)
  const [file] = await compilerOf(projectOf(sources, packages).folder).compile([path])
  return file!
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

describe('a Program with effects', () => {
  it('becomes one artifact', async () => {
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

  it('holds nothing of its effects, nor of its schemas', async () => {
    const { programs } = await compile(ORDER, true)
    const { code } = programs[0]!.artifact.program
    for (const text of ['createHash', 'a-package-of-the-project', 'EUR', 'maxInterval', 'ZodObject']) {
      expect(code).not.toContain(text)
    }
    expect(code.length).toBeLessThan(5_000)
  })

  it('has its packages outside of the bundle of its effects, and its own modules inside', async () => {
    const { programs } = await compile(ORDER, true)
    const { code } = programs[0]!.artifact.effects!
    expect(code).toContain('from "a-package-of-the-project"')
    expect(code).toContain('from "node:crypto"')
    expect(code).not.toContain('from "workflow-execution-service"')
    expect(code).toMatch(/export \{\n {2}chargeCard,\n {2}notify\n\}/)
  })
})

describe('a module', () => {
  it('may export several Programs, each with what it alone needs', async () => {
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

  it('without definitions is no Program and no fault, whatever it does', async () => {
    const file = await compile({
      'programs/helper.ts': 'export const later = setTimeout(() => {}, 1)\nexport const now = process.hrtime()',
    })
    expect(file).toMatchObject({ programs: [], errors: [] })
  })
})

describe('the same sources', () => {
  it('make the same artifact, byte for byte, wherever they are', async () => {
    const [one, other] = [projectOf(ORDER, true), projectOf(ORDER, true)]
    const [here] = await compilerOf(one.folder).compile(['programs/order-approval.ts'])
    const [there] = await compilerOf(other.folder).compile(['programs/order-approval.ts'])
    expect(JSON.stringify(here!.programs)).toBe(JSON.stringify(there!.programs))
    expect(JSON.stringify(here)).not.toContain(one.folder)
  })

  it('make the same artifact, alone or among others', async () => {
    const sources = {
      ...ORDER,
      'programs/a.ts': tinyProgram('a'),
      'programs/deep/er/b.ts': tinyProgram('b', 'return 2'),
    }
    const { folder } = projectOf(sources, true)
    const paths = ['programs/a.ts', 'programs/deep/er/b.ts', 'programs/order-approval.ts']
    const together = await compilerOf(folder).compile(paths)
    const alone = await Promise.all(paths.map(async (path) => (await compilerOf(folder).compile([path]))[0]!))
    expect(together.map(({ programs }) => programs)).toEqual(alone.map(({ programs }) => programs))
    expect(together.flatMap(({ programs }) => programs)).toHaveLength(3)
  })
})
