// Contract section 9 from outside, where it needs a project folder: effects that back off, and the runtime itself.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import { talkTo, until, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { createProject, type TestProject } from '#runtime/source/project.test-support.ts'

const EFFECTS = `export const charge = async () => { throw new Error('gateway 503') }\n`
const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { charge } from './charge.effects.ts'
export default defineProgram({ id: 'charge' }, async () => charge({}))
`

let project: TestProject
let runtime: RuntimeProcess
let talk: Talk
beforeAll(async () => {
  project = createProject({ 'programs/charge.effects.ts': EFFECTS, 'programs/charge.ts': PROGRAM }, { packages: true })
  runtime = await startRuntimeProcess({ project: project.folder })
  talk = talkTo(() => ({ url: runtime.url(), headers: {} }))
})
afterAll(async () => {
  await runtime.dispose()
  project.dispose()
})

type Items = { readonly items: readonly Readonly<Record<string, unknown>>[] }
const read = async <Shape>(path: string): Promise<Shape> => (await talk.get(path)) as Shape
const counts = (query = '') =>
  read<{ counts: Readonly<Record<string, number>>; needsAttention: number }>(`/v1/executions/counts?${query}`)

describe('attention', () => {
  it('is needed for failed Executions, and for those that wait to retry an effect', async () => {
    const { counts: before, needsAttention } = await counts()
    await until(async () => ((await talk.call('GET', '/v1/programs/charge')).status === 200 ? true : undefined))
    const { json } = await talk.call('POST', '/v1/executions', { json: { programId: 'charge' } })
    const failed = await talk.run('throw new TypeError("no such order " + input)', 17)
    const listed = await until(async () => {
      const { items } = await read<Items>('/v1/executions?needsAttention=true')
      return items.length === needsAttention + 2 ? items : undefined
    })
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([json.id, failed.id]))
    const now = await counts()
    expect([now.counts['failed'], now.needsAttention]).toEqual([before['failed']! + 1, needsAttention + 2])
    const { items } = await read<Items>('/v1/waiting')
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'effect', name: 'charge', programId: 'charge', exampleExecutionId: json.id }),
    )
    await talk.cancel(json.id)
  })
})

describe('the runtime', () => {
  it('reports metrics, source and processes', async () => {
    const { points, stepMs } = await read<{ points: Readonly<Record<string, number>>[]; stepMs: number }>('/v1/metrics')
    expect(points.length * stepMs).toBeGreaterThanOrEqual(3_600_000)
    expect(points.reduce((sum, point) => sum + point['started']!, 0)).toBeGreaterThan(1)
    project.write('programs/broken.ts', 'export default defineProgram({ id: 1 ')
    const source = await until(async () => {
      const seen = await read<{ errors: readonly unknown[]; programs: readonly unknown[] }>('/v1/source')
      return seen.errors.length > 0 ? seen : undefined
    })
    expect(source.programs).toEqual([{ id: 'charge', path: 'programs/charge.ts' }])
    expect(source.errors).toContainEqual(
      expect.objectContaining({ path: 'programs/broken.ts', line: 1, message: expect.any(String) as string }),
    )
    expect(await read('/v1/runtime')).toMatchObject({
      pid: runtime.pid(),
      dataDir: expect.any(String) as string,
      hosts: expect.arrayContaining([expect.objectContaining({ kind: 'program' })]) as unknown[],
    })
  })
})
