import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acceptEvent } from '../../src-runtime/engine/accept.ts'
import { advance, settleTurns } from '../../src-runtime/engine/advance.ts'
import { beginLive, resumeLive, type LiveExecution, type OwnLive } from '../../src-runtime/engine/live-execution.ts'
import { isTerminal, type JournalEntry } from '../../src-runtime/engine/journal.ts'
import { planDeliveries } from '../../src-runtime/engine/plan-deliveries.ts'
import type { Command, TurnOutput } from '../../src-runtime/engine/turn.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import type { Loaded } from './store.ts'

const rig = hostedRig()

/** After every delivery the Program waits for "go" and performs an effect, until it has had so many deliveries. */
const TURNS = 8
const outputOf = (turn: number, lastCommand: number): TurnOutput => {
  if (turn >= TURNS) return { operations: [], outcome: { kind: 'completed', data: '{}' } }
  const operations: Command[] = [
    { kind: 'wait', command: lastCommand + 1, name: 'go', data: '{}' },
    { kind: 'effect', command: lastCommand + 2, name: 'charge', data: '{}', options: {} },
  ]
  return { operations, outcome: { kind: 'suspended' } }
}

const resume = (loaded: Loaded): LiveExecution => {
  const live: OwnLive =
    loaded.head.turns === 0 ? beginLive(loaded.head, loaded.startData) : resumeLive(loaded, loaded.startData)
  live.effectDeliveries = [...loaded.outcomes]
  return live
}

/** One turn of a visit: false when there was nothing to deliver. */
const visit = async (id: string): Promise<boolean> => {
  const loaded = (await rig.store.engine.load(id))!
  if (isTerminal(loaded.head.status)) return false
  const live = resume(loaded)
  const [planned] = planDeliveries(live, loaded.now)
  const seen = {
    ...loaded.head,
    workspaceId: loaded.workspaceId,
    cancelRequestedAt: loaded.head.cancelRequestedAt,
    stirred: loaded.stirred,
  }
  if (planned === undefined) {
    await rig.store.engine.rest(seen, undefined)
    return false
  }
  const output = outputOf(live.turns + 1, live.lastCommand)
  const time = { begunAt: loaded.now, endedAt: loaded.now }
  const change = settleTurns(
    advance(live, [planned], [output], () => ({}), time),
    loaded.head,
  )!
  await rig.store.engine.commit(seen, { change, wakeAt: undefined, computeMs: 3 })
  return true
}

const perform = async (id: string): Promise<void> => {
  const { open, outcomes } = (await rig.store.engine.load(id))!
  const effect = open.find(({ kind, command }) => kind === 'effect' && outcomes.every((one) => one.command !== command))
  if (effect?.kind !== 'effect') return
  const key = { executionId: id, command: effect.command, attempt: effect.attempt }
  await rig.store.engine.outcome(key, { kind: 'result', data: '{"result":1}' })
}

type Step = 'visit' | 'event' | 'effect' | 'cancel'
const steps = fc.array(
  fc.constantFrom<Step>('visit', 'visit', 'visit', 'visit', 'event', 'event', 'effect', 'effect', 'cancel'),
  { minLength: 10, maxLength: 40 },
)

const delivering = new Set(['event_delivered', 'effect_completed', 'effect_failed', 'cancel_requested'])

const run = async (workspace: WorkspaceRig, scripts: readonly (readonly Step[])[]) => {
  const { key, id } = await workspace.start()
  const acknowledged: string[] = []
  let sent = 0
  const step: Record<Step, () => Promise<unknown>> = {
    visit: () => visit(id),
    effect: () => perform(id),
    cancel: () => workspace.accept.requestCancel(key),
    event: async () => {
      const eventId = `evt_${++sent}`
      const received = await workspace.accept.receive(key, { id: eventId, name: 'go' })
      if (received.kind === 'received') acknowledged.push(eventId)
    },
  }
  await Promise.all(
    scripts.map(async (script) => {
      for (const one of script) await step[one]()
    }),
  )
  while (await visit(id));
  return { key, id, acknowledged }
}

const positions = (entries: readonly JournalEntry[]) => entries.map(({ position }) => position)

it('loses and doubles nothing when several visits, senders, performers and cancels race', async () => {
  const workspace = await rig.newWorkspace()
  await workspace.deploy('order')
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 4 }), async (scripts) => {
      const { key, id, acknowledged } = await run(workspace, scripts)
      const loaded = (await rig.store.engine.load(id))!
      const { head } = loaded
      const { items: journal } = await workspace.store.journal.page(key, 0, 10_000)
      expect(positions(journal)).toEqual(journal.map((_, index) => index + 1))
      expect(head.lastPosition).toBe(journal.length)

      const of = (type: JournalEntry['type']) => journal.filter((entry) => entry.type === type)
      const received = of('event_received').map(({ data }) => (JSON.parse(data!) as { id: string }).id)
      expect(received.toSorted()).toEqual(acknowledged.toSorted())
      const sources = of('event_delivered').map(({ source }) => source)
      expect(new Set(sources).size).toBe(sources.length)
      const answered = journal.filter(({ type }) => delivering.has(type)).map(({ command }) => command)
      expect(new Set(answered).size).toBe(answered.length)

      // A cancelled queued Execution ran nothing; of all others the start is a turn as well.
      const ran = head.turns === 0 ? 0 : 1 + answered.length
      const unrun = head.status === 'cancelled' && head.turns > 0 && !head.cancelDelivered ? 1 : 0
      expect(head.turns).toBe(head.turns === 0 ? 0 : ran - unrun)
      if (isTerminal(head.status)) {
        expect(journal.at(-1)?.type).toBe(`execution_${head.status}`)
        expect(loaded).toMatchObject({ open: [], buffered: [], outcomes: [] })
      } else {
        expect(planDeliveries(resume(loaded), loaded.now)).toEqual([])
        expect(head.buffered).toBe(acknowledged.length - sources.length)
        expect(loaded.buffered).toHaveLength(head.buffered)
        expect(head.bufferedBytes).toBe(loaded.buffered.reduce((sum, { bytes }) => sum + bytes, 0))
      }
    }),
    { numRuns: 40 },
  )
  // Usage says what the journals say.
  const [usage] = await rig.sql(
    `SELECT sum(u.executions)::int AS executions, sum(u.turns)::int AS turns, sum(u.events)::int AS events,
       sum(u.effect_attempts)::int AS attempts
     FROM usage_deltas u JOIN workspaces w ON w.key = u.workspace WHERE w.id = $1`,
    [workspace.workspaceId],
  )
  const [journals] = await rig.sql(
    `SELECT count(DISTINCT e.key)::int AS executions,
       (SELECT sum(x.turns)::int FROM executions x WHERE x.workspace = w.key) AS turns,
       (count(*) FILTER (WHERE y.type = 9))::int AS events, (count(*) FILTER (WHERE y.type IN (2, 3, 4)))::int AS attempts
     FROM journal y JOIN executions e ON e.key = y.execution JOIN workspaces w ON w.key = e.workspace WHERE w.id = $1
     GROUP BY w.key`,
    [workspace.workspaceId],
  )
  expect(usage).toEqual(journals)
})

it('accepts events as the engine does', async () => {
  const workspace = await rig.newWorkspace()
  const names = fc.constantFrom('go', 'other')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(names, fc.constant('visit')), { maxLength: 12 }), async (script) => {
      const { key, id } = await workspace.start()
      for (const name of script) {
        if (name === 'visit') {
          await visit(id)
          continue
        }
        const { head, open } = (await rig.store.engine.load(id))!
        const event = { name, data: '{"id":"evt_1"}', bytes: 14 }
        const hasOpenWait = (wanted: string) => open.some((one) => one.kind === 'event' && one.name === wanted)
        const change = acceptEvent(event, rig.store.now(), head, hasOpenWait)
        const received = await workspace.accept.receive(key, { id: 'evt_1', name })
        expect(received.kind === 'received').toBe(change !== undefined)
        const after = (await rig.store.engine.load(id))!.head
        if (change !== undefined) expect(after.status).toBe(change.status ?? head.status)
        expect(after.bufferedBytes - head.bufferedBytes).toBe(change === undefined ? 0 : 14)
      }
    }),
    { numRuns: 20 },
  )
})
