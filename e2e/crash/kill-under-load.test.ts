// Kills the real process with kill -9 repeatedly, at random moments under load: all acknowledged data must be found again,
// and every Execution must end according to its events.

import { afterEach, expect, it } from 'vitest'
import { createClient, executionHandle } from '#sdk/index.ts'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import type { Acknowledged } from './check-journal.ts'
import { drive, faultsOf, sendLastTicks, TALLY } from './mixed-load.ts'

const ROUNDS = 6
const CALLERS = 12
const MAX_EXECUTIONS = 1_500

let runtime: RuntimeProcess
afterEach(() => runtime.dispose())

it('loses no acknowledged data', async () => {
  runtime = await startRuntimeProcess()
  const started: Acknowledged[] = []
  await createClient({ url: runtime.url() }).deployProgram(TALLY)

  for (let round = 0; round < ROUNDS; round++) {
    let on = true
    const client = createClient({ url: runtime.url() })
    const load = { client, started, programs: ['tally'], most: MAX_EXECUTIONS, isOn: () => on } as const
    const callers = Array.from({ length: CALLERS }, () => drive(load))
    const enough = started.length + 20 + Math.floor(Math.random() * 120)
    while (started.length < enough) await new Promise((resolve) => setImmediate(resolve))
    await runtime.kill()
    on = false
    await Promise.all(callers)
    await runtime.start()
  }

  const client = createClient({ url: runtime.url() })
  await sendLastTicks(client, started)
  const handles = await Promise.allSettled(
    started.map(({ id }) => executionHandle(client, id).result({ timeout: 60_000 })),
  )
  const odd = handles.filter(
    (outcome) => outcome.status === 'rejected' && outcome.reason.code !== 'execution_cancelled',
  )
  expect(odd).toEqual([])
  for (const one of started) expect(await faultsOf(client, one)).toEqual([])
  expect(started.length).toBeGreaterThan(ROUNDS * 20)
})
