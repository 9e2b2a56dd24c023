// Measures a project with effects: ten effects in a row, one effect, and the time from saving a Program until its new
// version can be started. The effects do nothing.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callerOf, type Call } from './http.ts'
import { closedLoop, sequential } from './load.ts'
import type { Throughput } from './peer.ts'
import { killProcesses } from './processes.ts'
import { median, percentile } from './statistics.ts'
import { until } from './waiting.ts'
import { originOf, startWes } from './wes-peer.ts'

export type EffectFigures = {
  /** One caller: from the start to the result of ten effects in a row, in ms. */
  readonly tenP50Ms: number
  readonly tenP99Ms: number
  readonly tenAt32: Throughput
  /** One caller: the time that one more effect adds to an Execution, in ms. */
  readonly perCallMs: number
  /** From the write of the file until its version is the newest runnable one, in ms. */
  readonly saveToVersionMs: readonly number[]
}

const SDK = join(import.meta.dirname, '../src-sdk')

const EFFECTS = `export async function step(input: { n: number }) { return { n: input.n } }`

const program = (revision: number) => `
import { defineProgram } from 'workflow-execution-service'
import { step } from './steps.effects.ts'

export default defineProgram({ id: 'steps', description: 'revision ${revision}' }, async (_ctx, input: { steps: number }) => {
  let sum = 0
  for (let n = 0; n < input.steps; n++) sum += (await step({ n })).n
  return { sum }
})
`

/** Makes a project; the returned function writes its Program. */
export const writeEffectProject = (project: string): ((revision: number) => void) => {
  mkdirSync(join(project, 'programs'), { recursive: true })
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(SDK, join(project, 'node_modules/workflow-execution-service'))
  writeFileSync(join(project, 'programs/steps.effects.ts'), EFFECTS)
  return (revision) => writeFileSync(join(project, 'programs/steps.ts'), program(revision))
}

export const measureEffects = async (
  port: number,
  { quick, dir }: { readonly quick: boolean; readonly dir: string },
): Promise<EffectFigures> => {
  const call = callerOf(originOf(port))
  rmSync(dir, { recursive: true, force: true })
  const save = writeEffectProject(join(dir, 'project'))
  save(0)
  const runtime = startWes(dir, port)
  const isNewest = (revision: number) =>
    until(async () => (await newestRevision(call)) === `revision ${revision}`, {
      every: 3,
      limit: 20_000,
      what: `revision ${revision}`,
    })
  try {
    await isNewest(0)
    const run = (steps: number) => runSteps(call, steps)
    await sequential(quick ? 10 : 50, 10_000, async () => run(10))
    const ten = await sequential(quick ? 30 : 200, 20_000, async () => run(10))
    const one = await sequential(quick ? 30 : 200, 20_000, async () => run(1))
    const tenAt32 = await closedLoop(
      { dir, callers: 32, warmUpMs: quick ? 500 : 2_000, countedMs: quick ? 2_000 : 10_000 },
      async () => run(10),
    )
    const saveToVersionMs = await sequential(quick ? 5 : 20, 60_000, async (index) => {
      const from = performance.now()
      save(index + 1)
      await isNewest(index + 1)
      return performance.now() - from
    })
    return {
      tenP50Ms: median(ten),
      tenP99Ms: percentile(ten, 99),
      tenAt32,
      perCallMs: (median(ten) - median(one)) / 9,
      saveToVersionMs,
    }
  } finally {
    await killProcesses([runtime])
  }
}

const newestRevision = async (call: Call): Promise<string | undefined> => {
  const found = (await call('GET', '/v1/programs')) as {
    readonly items: readonly { readonly description?: string; readonly runnable: boolean }[]
  }
  const [only] = found.items
  return only?.runnable === true ? only.description : undefined
}

export const runSteps = async (call: Call, steps: number): Promise<void> => {
  const body = { programId: 'steps', input: { steps } }
  const { id } = (await call('POST', '/v1/executions', body)) as { readonly id: string }
  const view = (await call('GET', `/v1/executions/${id}/result`, undefined, { prefer: 'wait=60' })) as {
    readonly status: string
    readonly result?: { readonly sum: number }
  }
  if (view.result?.sum !== (steps * (steps - 1)) / 2) throw new Error(`a wrong result: ${JSON.stringify(view)}`)
}
