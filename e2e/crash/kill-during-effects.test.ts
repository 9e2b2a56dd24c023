// Kills the runtime or the effect host with kill -9 while Executions run ten effects each: every result must be used once
// and for its step, and attempts must be counted correctly.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { isAlive } from '#runtime/shared/is-alive.ts'
import { createProject, type TestProject } from '#runtime/source/project.test-support.ts'
import {
  createClient,
  executionHandle,
  ServiceRuntimeError,
  type HistoryEntry,
  type ServiceClient,
} from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'

const EXECUTIONS = 12
const STEPS = 10
const KILLS = 4

/** One line for each run of an effect. */
type Ran = { readonly key: string; readonly attempt: number; readonly pid: number }

let project: TestProject
let runtime: RuntimeProcess

beforeEach(async () => {
  project = createProject(
    {
      'programs/steps.effects.ts': `import { appendFileSync } from 'node:fs'
     import { defineEffect } from 'workflow-execution-service'
     export const step = defineEffect(
       { retry: { maxAttempts: 50, initialInterval: 20, maxInterval: 50 } },
       async (input: { n: number }, { attempt, idempotencyKey }) => {
         appendFileSync('ran.jsonl', JSON.stringify({ key: idempotencyKey, attempt, pid: process.pid }) + '\\n')
         await new Promise((resolve) => setTimeout(resolve, 15))
         return { n: input.n, key: idempotencyKey }
       },
     )
     export const slow = async (_input: null, { idempotencyKey, attempt }) => {
       appendFileSync('ran.jsonl', JSON.stringify({ key: idempotencyKey, attempt, pid: process.pid }) + '\\n')
       await new Promise((resolve) => setTimeout(resolve, 1_000))
       return 'kept'
     }
     export const poison = defineEffect({ retry: { maxAttempts: 1 } }, async (_input: null, { idempotencyKey, attempt }) => {
       appendFileSync('ran.jsonl', JSON.stringify({ key: idempotencyKey, attempt, pid: process.pid }) + '\\n')
       process.kill(process.ppid, 'SIGKILL')
       if (process.platform === 'linux') process.kill(process.pid, 'SIGSTOP')
       await new Promise((resolve) => setTimeout(resolve, 60_000))
     })
     export const declined = async (_input: null, { attempt }) => {
       if (attempt < 4) throw new Error('declined')
       return attempt
     }`,
      'programs/steps.ts': `import { defineProgram } from 'workflow-execution-service'
     import { step } from './steps.effects.ts'
     export default defineProgram({ id: 'steps' }, async () => {
       const results = []
       for (let n = 0; n < ${STEPS}; n++) results.push(await step({ n }))
       return results
     })`,
      'programs/retried.ts': `import { defineProgram } from 'workflow-execution-service'
     import { declined } from './steps.effects.ts'
     export default defineProgram({ id: 'retried' }, (ctx, input: { interval: number }) =>
       ctx.effect(declined, null, { retry: { initialInterval: input.interval, backoffCoefficient: 1 } }))`,
      'programs/slow.ts': `import { defineProgram } from 'workflow-execution-service'
     import { slow } from './steps.effects.ts'
     export default defineProgram({ id: 'slow' }, () => slow(null))`,
      'programs/poisoned.ts': `import { defineProgram } from 'workflow-execution-service'
     import { poison } from './steps.effects.ts'
     export default defineProgram({ id: 'poisoned' }, () => poison(null))`,
    },
    { packages: true },
  )
  runtime = await startRuntimeProcess({ project: project.folder })
})

afterEach(async () => {
  await runtime.dispose()
  project.dispose()
})

const ran = (): readonly Ran[] => {
  const file = join(project.folder, 'ran.jsonl')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1) // the last one may be incomplete
  return lines.map((line) => JSON.parse(line) as Ran)
}

/** The number of the last effect that each Execution began. */
const begunSteps = (): ReadonlyMap<string, number> =>
  new Map(
    ran().map(({ key }) => {
      const [id = '', step] = key.split('/')
      return [id, Number(step)]
    }),
  )

const isDeployed = (client: ServiceClient, id: string) =>
  vi.waitFor(
    async () => {
      const program = await client.getProgram(id).catch(() => undefined)
      if (program?.runnable !== true) throw new Error(`the Program is not deployed: ${runtime.stderr()}`)
    },
    { interval: 20 },
  )

const startAll = async (client: ServiceClient): Promise<readonly string[]> => {
  await isDeployed(client, 'steps')
  const handles = await Promise.all(Array.from({ length: EXECUTIONS }, () => client.start('steps')))
  return handles.map(({ id }) => id)
}

const historyOf = async (client: ServiceClient, id: string): Promise<readonly HistoryEntry[]> =>
  (await client.getHistory(id, { limit: 200 })).items

/** Checks that each step has its own result, from the attempt with that key. */
const expectEachOnce = async (client: ServiceClient, ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const result = await executionHandle(client, id).result({ timeout: 60_000 })
    expect(result).toEqual(Array.from({ length: STEPS }, (_, n) => ({ n, key: `${id}/${n + 1}` })))
    const history = await historyOf(client, id)
    const completed = history.filter(({ type }) => type === 'effect_completed')
    expect(completed.map(({ command }) => command)).toEqual(Array.from({ length: STEPS }, (_, n) => n + 1))
  }
}

it('uses each result once when the runtime is killed, and does not count its running attempts', async () => {
  const ids = await startAll(createClient({ url: runtime.url() }))
  for (let kill = 0; kill < KILLS; kill++) {
    const before = begunSteps()
    const hasAdvanced = (id: string): boolean => (begunSteps().get(id) ?? 0) > (before.get(id) ?? 0)
    const isAtItsLast = (id: string): boolean => begunSteps().get(id) === STEPS
    // Each begins another effect between kills, because the third death of an attempt counts.
    await vi.waitFor(() => expect(ids.every(hasAdvanced) || ids.some(isAtItsLast)).toBe(true), { interval: 5 })
    if (ids.some(isAtItsLast)) break
    await runtime.kill()
    await runtime.start()
  }
  const client = createClient({ url: runtime.url() })
  await expectEachOnce(client, ids)
  for (const id of ids) {
    const history = await historyOf(client, id)
    expect(history.filter(({ type }) => type === 'effect_attempt_failed')).toEqual([])
    expect(history.filter(({ type }) => type === 'effect_completed').map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: STEPS }, () => 1),
    )
  }
  expect(ran().every(({ attempt }) => attempt === 1)).toBe(true)
  expect(ran().length).toBeGreaterThanOrEqual(EXECUTIONS * STEPS)
}, 240_000)

it('uses each result once when the effect host is killed, and counts its running attempts', async () => {
  const client = createClient({ url: runtime.url() })
  const ids = await startAll(client)
  const killed = new Set<number>()
  for (let kill = 0; kill < KILLS; kill++) {
    const pid = await vi.waitFor(
      () => {
        const alive = ran().at(-1)?.pid
        if (alive === undefined || killed.has(alive)) throw new Error('no other effect host has begun to work')
        return alive
      },
      { interval: 5 },
    )
    process.kill(pid, 'SIGKILL')
    killed.add(pid)
  }
  await expectEachOnce(client, ids)
  let failed = 0
  for (const id of ids) {
    const history = await historyOf(client, id)
    for (const { command, attempt } of history.filter(({ type }) => type === 'effect_completed')) {
      const failures = history.filter((entry) => entry.type === 'effect_attempt_failed' && entry.command === command)
      expect(failures.map((entry) => entry.attempt)).toEqual(
        Array.from({ length: attempt! - 1 }, (_, index) => index + 1),
      )
      failed += failures.length
    }
  }
  expect(failed).toBeGreaterThan(0)
  await expect(client.getProgram('steps')).resolves.not.toBeInstanceOf(ServiceRuntimeError)
}, 240_000)

it('runs every retry without further requests, when the runtime or the effect host is killed', async () => {
  const started: string[] = []
  const startSome = async (count: number): Promise<void> => {
    const client = createClient({ url: runtime.url() })
    await isDeployed(client, 'retried')
    for (let n = 0; n < count; n++) started.push((await client.start('retried', { interval: [1, 2, 20][n % 3] })).id)
  }
  await startSome(150)
  await runtime.kill()
  await runtime.start()
  await startSome(150)
  // Only reads from here on.
  const client = createClient({ url: runtime.url() })
  await vi.waitFor(
    async () => {
      const { counts } = await client.countExecutions()
      expect(counts).toMatchObject({ completed: started.length, queued: 0, running: 0, waiting: 0 })
    },
    { interval: 200 },
  )
  for (const id of started) {
    const attempts = (await historyOf(client, id)).filter(({ type }) => type.startsWith('effect_')).slice(1)
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4])
  }
}, 240_000)

it('stores the result of an effect that ran when the runtime was stopped', async () => {
  const client = createClient({ url: runtime.url() })
  await isDeployed(client, 'slow')
  const { id } = await client.start('slow')
  await vi.waitFor(() => expect(ran()).toHaveLength(1), { interval: 10 })
  expect(await runtime.interrupt()).toBe(0)
  expect(runtime.stderr()).toContain('waiting up to 3 s for 1 running effect')
  await runtime.start()
  const again = executionHandle(createClient({ url: runtime.url() }), id)
  expect(await again.result({ timeout: 60_000 })).toBe('kept')
  expect(ran()).toHaveLength(1)
}, 240_000)

it('fails an effect that has crashed the runtime three times', async () => {
  const client = createClient({ url: runtime.url() })
  await isDeployed(client, 'poisoned')
  const { id } = await client.start('poisoned')
  for (let deaths = 1; deaths <= 3; deaths++) {
    await vi.waitFor(() => expect(ran()).toHaveLength(deaths), { interval: 10 })
    await runtime.kill() // its effect has already killed it
    await runtime.start()
  }
  const again = executionHandle(createClient({ url: runtime.url() }), id)
  await expect(again.result({ timeout: 60_000 })).rejects.toThrow(
    /the runtime died at least 3 times while attempt 1 of effect "poison"/,
  )
  expect(ran()).toHaveLength(3)
  // A process that has stopped itself does not notice that its runtime is gone.
  await vi.waitFor(() => expect(ran().filter(({ pid }) => isAlive(pid))).toEqual([]))
}, 240_000)
