// Timers that are longer than a second, for which nobody asks Restate.

import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startTakingDue } from '../upkeep/take-due.ts'
import { createVisitHere } from './visits-here.ts'
import { visitsRig, type ProjectRig } from './visits-rig.test-support.ts'

const rig = visitsRig()

it('fire without a message, and those of another workspace before all of the first one', async () => {
  const worker = await rig.startWorker({ hasVisits: true })
  const visitHere = createVisitHere(worker.work.visitHere, 'first', rig.hosted.store.now)
  const left = vi.fn<(id: string, why: string) => void>()
  const visit = async (id: string, why: 'start' | 'timer'): Promise<void> => {
    const { attempts, next } = await visitHere(id, why)
    if (attempts.length > 0 || next !== undefined) left(id, next?.why ?? 'effect')
  }
  const visitors = { poke: (id: string) => visit(id, 'start') }
  const [many, other] = [await rig.newProject({ visitors }), await rig.newProject({ visitors })]
  const park = async (project: ProjectRig) => {
    const { key, id } = await project.start('({ run: (ctx) => ctx.sleep("1 hour") })', undefined, 'sleeps')
    await project.untilWaiting(key, 'timer')
    return { key, id }
  }
  const ofMany: { readonly key: number }[] = []
  for (let n = 0; n < 48; n += 1) ofMany.push(await park(many))
  const ofOther = await park(other)
  // As if an hour had passed; the other one is due last.
  await rig.hosted.sql('UPDATE pending SET since = since - 3600000, due_at = due_at - 3600000')
  await rig.hosted.sql('UPDATE executions SET wake_at = wake_at - 3600000')
  const visited: string[] = []
  const { stop } = startTakingDue({
    name: 'timers',
    sizes: { most: 256, mostOfOne: 32, aheadMs: 1_000 },
    claim: rig.hosted.store.engine.dueTimers,
    now: rig.hosted.store.now,
    act: ({ executionId: id }) => {
      visited.push(id)
      return visit(id, 'timer')
    },
    leave: () => Promise.resolve(),
    log: pino({ level: 'silent' }),
  })
  onTestFinished(stop)
  for (const { key } of ofMany) await many.end(key)
  expect(await other.end(ofOther.key)).toEqual({ status: 'completed' })
  expect(visited.indexOf(ofOther.id)).toBeLessThan(40)
  expect(left).not.toHaveBeenCalled()
})
