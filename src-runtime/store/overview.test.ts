import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OpenCommand } from '../engine/execution-state.ts'
import { isTerminal, type Status } from '../engine/journal.ts'
import { ALL_STATUSES, statusCodes } from '../shared/row-codes.ts'
import { START, openRig, type Rig } from './store-rig.test-support.ts'
import type { WaitingGroupRecord } from '../ports/overview.ts'

const HOUR = 3_600_000

const countedBySql = (rig: Rig): Readonly<Record<string, number>> => {
  const select = rig.db.prepare<[number], number>('SELECT count(*) FROM executions WHERE status = ?').pluck()
  return Object.fromEntries(ALL_STATUSES.map((status) => [status, select.get(statusCodes.toCode(status))!]))
}

describe('counts by status', () => {
  it('stay correct after starts, changes, deletions and rollbacks, at any time', async () => {
    const step = fc.record({
      what: fc.constantFrom('start', 'change', 'delete', 'fail', 'ask'),
      which: fc.nat(),
      status: fc.constantFrom(...ALL_STATUSES),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const rig = openRig()
        const version = await rig.deploy('order')
        const keys = [(await rig.start('order')).key]
        const { executions, overview } = rig.store
        const under: Promise<unknown>[] = []
        for (const { what, which, status } of steps) {
          const key = keys[which % keys.length]!
          if (what === 'start') keys.push((await rig.start('order')).key)
          else if (what === 'ask') under.push(overview.counts({ projectId: 'default' }))
          else if (what === 'delete') under.push(executions.delete(key))
          else if (what === 'fail') {
            // The same id twice: the second is undone.
            const again = rig.newExecution(version)
            const [first] = await Promise.allSettled([executions.start(again), executions.start(again)])
            if (first.status === 'fulfilled' && first.value.kind === 'started') keys.push(first.value.head.key)
          } else under.push(executions.change(key, ({ head }) => (isTerminal(head.status) ? undefined : { status })))
        }
        await Promise.all(under)
        expect(await overview.counts({ projectId: 'default' })).toEqual(countedBySql(rig))
        await rig.store.close()
      }),
      { numRuns: 10 },
    )
  })
})

it('reads no Execution to count them by status, of all Programs or of one, also after a restart', async () => {
  const rig = openRig()
  for (const programId of ['a', 'b', 'b']) await rig.start(programId)
  const { key } = await rig.start('b')
  await rig.change(key, { status: 'completed', finishedAt: START })
  await rig.store.close()
  const again = openRig(rig.file)
  // Proves it: there is none left to read.
  again.db.exec('DELETE FROM executions')
  const { overview } = again.store
  expect(await overview.counts({ projectId: 'default' })).toMatchObject({ queued: 3, completed: 1, waiting: 0 })
  expect(await overview.counts({ projectId: 'default', programId: 'b' })).toMatchObject({ queued: 2, completed: 1 })
  expect(await overview.counts({ projectId: 'default', statuses: ['completed'] })).toMatchObject({
    queued: 0,
    completed: 1,
  })
})

describe('attention, in a store with one project', () => {
  it('is needed for failures, retries, and waits of more than an hour for an event', async () => {
    const rig = openRig()
    const openOne = async (status: Status, open: OpenCommand) => {
      const { key } = await rig.start()
      await rig.change(key, { status, opened: [open], lastCommand: 1 })
    }
    await openOne('waiting', { kind: 'event', command: 1, name: 'go', since: START })
    await openOne('waiting', { kind: 'event', command: 1, name: 'go', since: START + 1 })
    await openOne('waiting', { kind: 'timer', command: 1, since: START, dueAt: START + HOUR })
    await openOne('running', { kind: 'event', command: 1, name: 'go', since: START })
    rig.clock.now = START + HOUR
    await openOne('waiting', { kind: 'effect', command: 1, name: 'charge', since: START, attempt: 1, options: {} })
    await openOne('waiting', {
      kind: 'effect',
      command: 1,
      name: 'charge',
      since: START,
      attempt: 2,
      dueAt: 1,
      options: {},
    })
    const { overview } = rig.store
    expect(await overview.awaitingAttention({ projectId: 'default' })).toBe(2)
    expect(await overview.awaitingAttention({ projectId: 'default', programId: 'order' })).toBe(2)
    expect((await overview.list({ projectId: 'default', needsAttention: true, limit: 10 })).items).toHaveLength(2)
  })
})

describe('a list whose Executions change while it is read', () => {
  const RETRY: OpenCommand = {
    kind: 'effect',
    command: 1,
    name: 'charge',
    since: START,
    attempt: 2,
    dueAt: 1,
    options: {},
  }
  const FILTERS = [{ needsAttention: true }, { waitingName: 'charge' }]

  /** Two wait. The newest of them changes between the first slice of the next list and its second one. */
  const changeNewest = async (rig: Rig, status: Status) => {
    const keys: number[] = []
    for (const _ of [1, 2]) {
      const { key } = await rig.start()
      await rig.change(key, { status: 'waiting', opened: [RETRY], lastCommand: 1 })
      keys.push(key)
    }
    // Each slice has taken its time.
    let at = performance.now()
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (at += 100))
    onTestFinished(() => clock.mockRestore())
    const [older, newest] = keys as [number, number]
    return { older, newest, changing: rig.change(newest, { status, finishedAt: START, closed: [1] }) }
  }

  it.each(FILTERS)('holds none that does not match when it is read: %j', async (filter) => {
    const rig = openRig()
    const { older, changing } = await changeNewest(rig, 'completed')
    const { items, more } = await rig.store.overview.list({ projectId: 'default', ...filter, limit: 10 })
    await changing
    expect({ items: items.map(({ head }) => head.key), more }).toEqual({ items: [older], more: false })
  })

  it.each(FILTERS)('does not end with a page of which none matches any more: %j', async (filter) => {
    const rig = openRig()
    const { older, changing } = await changeNewest(rig, 'completed')
    const { items, more } = await rig.store.overview.list({ projectId: 'default', ...filter, limit: 1 })
    await changing
    expect({ items: items.map(({ head }) => head.key), more }).toEqual({ items: [older], more: false })
  })

  it('holds one that fails while failed ones are read', async () => {
    const rig = openRig()
    const failed = await rig.start()
    await rig.change(failed.key, {
      status: 'failed',
      finishedAt: START,
      error: { code: 'program_error', message: 'm' },
    })
    // Enough that the failed one is not among the newest rows, which are read in one slice.
    await Promise.all(Array.from({ length: 1_000 }, () => rig.start()))
    const { older, newest, changing } = await changeNewest(rig, 'failed')
    const { items } = await rig.store.overview.list({ projectId: 'default', needsAttention: true, limit: 10 })
    await changing
    expect(items.map(({ head }) => head.key)).toEqual([newest, older, failed.key])
  })
})

describe('waiting groups', () => {
  it('are by kind, name and Program, in pages, for any number of names', async () => {
    const rig = openRig()
    await rig.deploy('a')
    await rig.deploy('b')
    const expected = new Map<string, WaitingGroupRecord>()
    const begin = async (index: number) => {
      const programId = index % 3 === 0 ? 'b' : 'a'
      const since = START - ((index * 7_919) % 10_000)
      const kind = index % 7 === 0 ? 'timer' : index % 5 === 0 ? 'effect' : 'event'
      const name = kind === 'timer' ? '' : `name ${(index * 31) % 180} ü/`
      const open: OpenCommand =
        kind === 'timer'
          ? { kind, command: 1, since, dueAt: START }
          : kind === 'effect'
            ? { kind, command: 1, name, since, attempt: 1, options: {} }
            : { kind, command: 1, name, since }
      const { key, id } = await rig.start(programId)
      // Twice the same: it is one Execution that waits.
      await rig.change(key, { status: 'waiting', opened: [open, { ...open, command: 2 }], lastCommand: 2 })
      const group = expected.get(`${kind} ${name} ${programId}`)
      const isOldest = group === undefined || since < group.oldestSince
      expected.set(`${kind} ${name} ${programId}`, {
        kind,
        name,
        programId,
        count: (group?.count ?? 0) + 1,
        oldestSince: isOldest ? since : group.oldestSince,
        exampleExecutionId: isOldest ? id : group.exampleExecutionId,
      })
    }
    for (let index = 0; index < 600; index += 60) {
      await Promise.all(Array.from({ length: 60 }, (_, offset) => begin(index + offset)))
    }
    const seen: WaitingGroupRecord[] = []
    for (let more = true; more;) {
      const last = seen.at(-1)
      const page = await rig.store.overview.waiting({ projectId: 'default', limit: 7, ...(last && { after: last }) })
      seen.push(...page.items)
      more = page.more
    }
    const order = ['event', 'timer', 'effect']
    const byOrder = [...expected.values()].toSorted(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) ||
        (one.name < other.name ? -1 : one.name > other.name ? 1 : one.programId < other.programId ? -1 : 1),
    )
    expect(seen).toEqual(byOrder)
    expect((await rig.store.overview.waiting({ projectId: 'prj_none', limit: 7 })).items).toEqual([])
  })

  it('have another example if the first one is deleted while they are read', async () => {
    const rig = openRig()
    const begin = async (since: number) => {
      const { key, id } = await rig.start()
      // So many that they are read in parts.
      const opened = Array.from({ length: 9_900 }, (_, at): OpenCommand => ({
        kind: 'event',
        command: at + 1,
        name: 'go',
        since,
      }))
      await rig.change(key, { status: 'waiting', opened, lastCommand: opened.length })
      return { key, id }
    }
    const first = await begin(START)
    const second = await begin(START + 1)
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1_000)) // every slice has taken its time
    onTestFinished(() => void vi.restoreAllMocks())
    const page = rig.store.overview.waiting({ projectId: 'default', limit: 1 })
    const { executions } = rig.store
    const ending = executions.change(first.key, () => ({ status: 'completed', finishedAt: START }))
    await Promise.all([ending, executions.delete(first.key)])
    expect((await page).items).toMatchObject([{ name: 'go', count: 1, exampleExecutionId: second.id }])
  })
})

describe('metrics', () => {
  it('are the same as a scan of all rows, by rows and by keys', async () => {
    const rig = openRig()
    await rig.deploy('a')
    await rig.deploy('b')
    const rows: { programId: string; createdAt: number; finishedAt?: number; status: Status }[] = []
    const begin = async (index: number) => {
      const programId = index % 4 === 0 ? 'b' : 'a'
      rig.clock.now += (index * 7_919) % 3_000
      if (index === 700) rig.clock.now -= 2 * HOUR
      const createdAt = rig.clock.now
      const status = (['completed', 'failed', 'cancelled', 'queued'] as const)[
        index % 11 > 2 ? 0 : index % 11 === 0 ? 3 : index % 11
      ]!
      const started = await rig.start(programId, { createdAt })
      const finishedAt = status === 'queued' ? undefined : createdAt + ((index * 104_729) % 90_000)
      const error = { code: 'program_error', message: 'x' } as const
      if (finishedAt !== undefined)
        await rig.change(started.key, { status, finishedAt, ...(status === 'failed' && { error }) })
      rows.push({ programId, createdAt, status, ...(finishedAt !== undefined && { finishedAt }) })
    }
    for (let index = 0; index < 1_500; index += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, offset) => begin(index + offset)))
    }
    const asked = fc.record({
      from: fc.integer({ min: START - 3 * HOUR, max: START + HOUR }),
      stepMs: fc.integer({ min: 1_000, max: HOUR }),
      steps: fc.constantFrom(1, 2, 3, 40),
      programId: fc.option(fc.constantFrom('a', 'b', 'none'), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ from, stepMs, steps, programId }) => {
        const scope = rows.filter((row) => programId === undefined || row.programId === programId)
        const points = Array.from({ length: steps }, (_, step) => {
          const isIn = (at: number | undefined) =>
            at !== undefined && at >= from + step * stepMs && at < from + (step + 1) * stepMs
          const ended = scope.filter(({ finishedAt }) => isIn(finishedAt))
          const durations = ended.map((row) => row.finishedAt! - row.createdAt).toSorted((one, other) => one - other)
          const of = (status: Status) => ended.filter((row) => row.status === status).length
          return {
            started: scope.filter(({ createdAt }) => isIn(createdAt)).length,
            completed: of('completed'),
            failed: of('failed'),
            cancelled: of('cancelled'),
            p50Ms: durations[Math.ceil(durations.length * 0.5) - 1] ?? null,
            p95Ms: durations[Math.ceil(durations.length * 0.95) - 1] ?? null,
          }
        })
        const queued = scope.filter(({ status }) => status === 'queued').length
        const found = await rig.store.overview.metrics({
          projectId: 'default',
          from,
          stepMs,
          steps,
          ...(programId && { programId }),
        })
        expect(found).toEqual({ points, queued })
      }),
      { numRuns: 80 },
    )
  })
})
