import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { OpenCommand } from '../engine/execution-state.ts'
import { isTerminal, type ExecutionError, type Status } from '../engine/journal.ts'
import { createIds } from '../shared/ids.ts'
import { ALL_STATUSES } from '../shared/row-codes.ts'
import { createStore, openStore } from './open-store.ts'
import { START } from './store-rig.test-support.ts'
import { fingerprintOf } from '../shared/error-fingerprint.ts'
import type { ExecutionFilter, ExecutionQuery } from '../ports/overview.ts'
import type { Store } from './store.ts'

/** Enough that an index is needed, and that a short id prefix is common. */
const COUNT = 3_000

type Row = {
  readonly key: number
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionNumber: number
  readonly createdAt: number
  readonly status: Status
  readonly finishedAt: number | undefined
  readonly error: ExecutionError | undefined
  readonly open: OpenCommand | undefined
  readonly label: string | undefined
  readonly againOf?: string
}

const LABELS = ['Order 4711, Anna', 'order 5, Žofie', '王芳', '100%_"x"', 'a\u0000b', 'x'] as const

const MESSAGES = [
  'Card Declined: number 4711',
  'upstream said "503" (100% busy)',
  'Žluťoučký kůň úpěl',
  'x',
  'it_is 50%',
  '',
  'a\u0000b',
] as const

const directory = mkdtempSync(join(tmpdir(), 'wes-list-'))
const file = join(directory, 'wes.sqlite')
const HOUR = 3_600_000
const rows: Row[] = []
let store: Store
let now = START

/** A seeded random generator. */
const createDice = (seed: number) => {
  let state = seed
  return (sides: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * sides)
  }
}

/** What an Execution of that status waits for, if it waits. */
const openCommand = (status: Status, at: number, roll: (sides: number) => number): OpenCommand | undefined => {
  if (!['running', 'waiting', 'cancelling'].includes(status) || roll(5) === 0) return undefined
  const since = at + roll(HOUR)
  const name = roll(2) === 0 ? 'go' : 'paid'
  const kind = roll(6)
  if (kind === 0) return { kind: 'timer', command: 1, since, dueAt: at + HOUR }
  if (kind === 1) return { kind: 'effect', command: 1, name, since, attempt: 1, options: {} }
  if (kind === 2) return { kind: 'effect', command: 1, name, since, attempt: 2, dueAt: at, options: {} }
  return { kind: 'event', command: 1, name, since }
}

beforeAll(async () => {
  const ids = createIds(() => now)
  const roll = createDice(7)
  store = await openStore({ file, now: () => now, onCommitted: () => {} })
  await store.projects.create({ id: 'prj_1', name: 'Shop', createdAt: now })
  const versions: { id: string; projectId: string; programId: string; number: number }[] = []
  for (const programId of ['often', 'seldom', 'never', 'shop']) {
    const projectId = programId === 'shop' ? 'prj_1' : 'default'
    for (const number of [1, 2, 3]) {
      const version = { id: ids('ver'), projectId, programId }
      await store.programs.deploy({
        ...version,
        digest: String(number),
        origin: 'upload',
        runnable: true,
        manifest: '{}',
        code: '',
        createdAt: now,
      })
      versions.push({ ...version, number })
    }
  }
  for (let n = 0; n < COUNT; n += 100) await Promise.all(Array.from({ length: 100 }, (_, m) => seed(n + m)))
  // Some have waited for an hour, some have not.
  now += HOUR / 2

  async function seed(n: number): Promise<void> {
    now += roll(400)
    // The clock is corrected twice, by an hour back and by two ahead.
    if (n === 1_000) now -= 3_600_000
    if (n === 1_800) now += 7_200_000
    // "seldom" ran long ago only, "shop" now and then.
    const programId = n < 300 && roll(4) === 0 ? 'seldom' : roll(100) === 0 ? 'shop' : 'often'
    const ofProgram = versions.filter((version) => version.programId === programId)
    const version = ofProgram[Math.min(2, Math.floor((n / COUNT) * 3))]!
    const execution = {
      id: n % 500 === 499 ? `odd-${n}` : ids('exe'),
      projectId: version.projectId,
      programId,
      versionId: version.id,
      versionNumber: version.number,
      createdAt: now - roll(50),
      data: '{}',
      // A few are run again often, some once.
      ...(rows.length > 0 && roll(5) === 0 && { againOf: rows[roll(roll(2) === 0 ? 3 : rows.length)]!.id }),
    }
    const status = roll(3) === 0 ? ALL_STATUSES[roll(ALL_STATUSES.length)]! : n < 2_000 ? 'completed' : 'waiting'
    const message = MESSAGES[roll(MESSAGES.length)] ?? ''
    const error = status === 'failed' ? ({ code: 'program_error', name: 'Error', message } as const) : undefined
    const finishedAt = isTerminal(status) ? now + roll(100_000) : undefined
    const open = openCommand(status, execution.createdAt, roll)
    const label = roll(3) === 0 ? LABELS[roll(LABELS.length)] : undefined
    const started = await store.executions.start(execution)
    if (started.kind !== 'started') throw new Error(started.kind)
    await store.executions.change(started.head.key, () => ({
      status,
      ...(error === undefined ? {} : { error }),
      ...(label === undefined ? {} : { label }),
      ...(finishedAt === undefined ? {} : { finishedAt }),
      ...(open === undefined ? {} : { opened: [open], lastCommand: 1 }),
    }))
    rows.push({ ...execution, key: started.head.key, status, finishedAt, error, open, label })
  }
})

afterAll(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

const needsAttention = ({ status, open }: Row): boolean =>
  status === 'failed' ||
  (status === 'waiting' &&
    ((open?.kind === 'event' && open.since <= now - HOUR) || (open?.kind === 'effect' && open.dueAt !== undefined)))

const isWithin = (at: number | undefined, after: number | undefined, before: number | undefined): boolean =>
  (after === undefined && before === undefined) ||
  (at !== undefined && at > (after ?? -Infinity) && at < (before ?? Infinity))

const matches = (row: Row, query: ExecutionFilter): boolean =>
  row.projectId === query.projectId &&
  (query.statuses?.includes(row.status) ?? true) &&
  (query.programId === undefined || row.programId === query.programId) &&
  !query.notProgramIds?.includes(row.programId) &&
  (query.versionNumber === undefined || row.versionNumber === query.versionNumber) &&
  isWithin(row.createdAt, query.createdAfter, query.createdBefore) &&
  isWithin(row.finishedAt, query.finishedAfter, query.finishedBefore) &&
  (query.text === undefined || row.id.startsWith(query.text) || hasText(row, query.text)) &&
  (query.notText === undefined || !hasText(row, query.notText)) &&
  (query.label === undefined || (row.label !== undefined && lower(row.label).includes(lower(query.label)))) &&
  (query.needsAttention !== true || needsAttention(row)) &&
  (query.waitingKind === undefined || row.open?.kind === query.waitingKind) &&
  (query.waitingName === undefined || nameOf(row.open) === query.waitingName) &&
  (query.againOf === undefined || (row.againOf !== undefined && query.againOf.includes(row.againOf))) &&
  (query.errorFingerprint === undefined ||
    (row.error !== undefined && fingerprintOfRow(row) === query.errorFingerprint))

const hasText = ({ error }: Row, text: string): boolean =>
  error !== undefined && lower(error.message).includes(lower(text))

const fingerprintOfRow = ({ error }: Row): string => (error === undefined ? 'none' : fingerprintOf(error))

const nameOf = (open: OpenCommand | undefined) => (open === undefined || open.kind === 'timer' ? undefined : open.name)

const expected = (query: ExecutionQuery) => {
  const found = rows
    .filter((row) => matches(row, query) && row.key < (query.beforeKey ?? Infinity))
    .toSorted((one, other) => other.key - one.key)
  return { keys: found.slice(0, query.limit).map(({ key }) => key), more: found.length > query.limit }
}

const actual = async (query: ExecutionQuery) => {
  const { items, more } = await store.overview.list(query)
  return { keys: items.map(({ head }) => head.key), more }
}

/** Random filters; most conditions are absent most of the time. */
const anyFilter = (): fc.Arbitrary<ExecutionFilter> => {
  const pick = fc.integer({ min: 0, max: COUNT - 1 })
  const time = pick.map((index) => rows[index]!.createdAt)
  const text = fc.oneof(
    pick.chain((index) => fc.integer({ min: 0, max: 30 }).map((length) => rows[index]!.id.slice(0, length))),
    fc.constantFrom(
      'declined',
      'CARD DEC',
      '4711',
      '"503"',
      '100%',
      '_',
      '%',
      'x',
      'ů',
      'kůň',
      'KŮŇ',
      'ŽLU',
      'zebra',
      'qz',
    ),
    fc.constantFrom(
      'a\u0000b',
      '\u0000',
      'odd',
      'odd-4',
      'exe',
      'card declined: number 4711 and more than that',
      '😀',
      'ed:',
    ),
  )
  const members = {
    statuses: fc.uniqueArray(fc.constantFrom(...ALL_STATUSES), { maxLength: 3 }),
    programId: fc.constantFrom('often', 'seldom', 'never', 'shop', 'unknown'),
    notProgramIds: fc.uniqueArray(fc.constantFrom('often', 'seldom', 'unknown'), { maxLength: 2 }),
    versionNumber: fc.integer({ min: 1, max: 4 }),
    createdAfter: time,
    createdBefore: time,
    finishedAfter: time,
    finishedBefore: time,
    text,
    notText: text,
    label: fc.constantFrom(
      'ORDER',
      'order 4711, anna',
      '王芳',
      '王',
      'x',
      '%_',
      '"x"',
      '\u0000',
      'žofie',
      'Žof',
      'none',
      '11, a',
    ),
    needsAttention: fc.boolean(),
    waitingKind: fc.constantFrom('event', 'timer', 'effect'),
    waitingName: fc.constantFrom('go', 'paid', 'none'),
    errorFingerprint: pick.map((index) => fingerprintOfRow(rows[index]!)),
    againOf: fc.uniqueArray(
      fc.oneof(fc.integer({ min: 0, max: 2 }), pick).map((index) => rows[index]!.id),
      { maxLength: 3 },
    ),
  } as const
  return fc
    .tuple(
      fc.constantFrom('default', 'default', 'default', 'prj_1', 'prj_none'),
      fc.subarray(Object.keys(members) as (keyof typeof members)[], { maxLength: 4 }),
      fc.record(members),
    )
    .map(([projectId, names, filter]) => ({
      projectId,
      ...Object.fromEntries(names.map((name) => [name, filter[name]])),
    }))
}

/** Hundreds of queries, one after another, are 2 s of CPU. */
const MANY_MS = 60_000

describe('the list of Executions', () => {
  it('returns for any filter the same as a scan of all rows', { timeout: MANY_MS }, async () => {
    const query = fc
      .record({
        filter: anyFilter(),
        beforeKey: fc.option(fc.integer({ min: 0, max: COUNT + 2 }), { nil: undefined }),
        limit: fc.constantFrom(1, 3, 50, 200),
      })
      .map(({ filter, beforeKey, limit }) => ({ ...filter, limit, ...(beforeKey !== undefined && { beforeKey }) }))
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        expect(await actual(asked)).toEqual(expected(asked))
      }),
      { numRuns: 500 },
    )
  })

  it('counts for any filter the same as a scan of all rows', { timeout: MANY_MS }, async () => {
    await fc.assert(
      fc.asyncProperty(anyFilter(), async (filter) => {
        const found = rows.filter((row) => matches(row, filter))
        const counts = await store.overview.counts(filter)
        expect(counts).toEqual(
          Object.fromEntries(ALL_STATUSES.map((word) => [word, found.filter(({ status }) => status === word).length])),
        )
        const attention = counts.failed + (await store.overview.awaitingAttention(filter))
        expect(attention).toBe(found.filter((row) => needsAttention(row)).length)
      }),
      { numRuns: 250 },
    )
  })

  it('is the same in pages and at once', async () => {
    const query = { projectId: 'default', limit: 37, statuses: ['failed', 'cancelled'] } as const
    const keys: number[] = []
    for (let more = true; more;) {
      const page = await actual({ ...query, ...(keys.length === 0 ? {} : { beforeKey: keys.at(-1)! }) })
      keys.push(...page.keys)
      more = page.more
    }
    expect(keys).toEqual(expected({ ...query, limit: COUNT }).keys)
  })

  it('is empty in a store without Executions', async () => {
    const empty = await openStore({ file: join(directory, 'empty.sqlite'), now: () => START, onCommitted: () => {} })
    const filters = [
      ...[{}, { createdAfter: START }, { text: 'exe_' }, { text: 'x' }, { text: 'declined' }],
      ...[{ needsAttention: true }, { waitingKind: 'effect' as const }, { errorFingerprint: 'f' }],
      { againOf: ['exe_1'] },
    ]
    for (const filter of filters) {
      const asked = { projectId: 'default', ...filter }
      expect(await empty.overview.list({ ...asked, limit: 10 })).toEqual({ items: [], more: false })
      expect((await empty.overview.counts(asked)).failed + (await empty.overview.awaitingAttention(asked))).toBe(0)
    }
    expect(empty.executions.unfinished(0, 10)).toEqual({ keys: [], next: undefined })
    void empty.close()
  })
})

describe('the plans of the store’s statements', () => {
  it('never scan all Executions, journals or waits', async () => {
    const seen = new Map<string, string>()
    const verbose = (sql: unknown) => void seen.set(shapeOf(String(sql)), String(sql))
    const copy = join(directory, 'plans.sqlite')
    new Database(file).exec(`VACUUM INTO '${copy}'`).close()
    const connection = new Database(copy, { verbose })
    connection.pragma('foreign_keys = OFF')
    const watched = createStore(connection, { now: () => START, onCommitted: () => {} })
    await useEverything(watched)
    await watched.close()

    const db = new Database(copy)
    const walks = [...seen.values()]
      .filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/i.test(sql))
      .flatMap((sql) =>
        db
          .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\bInf\b/g, '9e999')}`)
          .all()
          .filter(({ detail }) => /^SCAN (e|executions|journal|i|inbox|w|a|pending|idempotency)\b/.test(detail))
          .map(({ detail }) => `${detail}: ${sql}`),
      )
    db.close()
    expect(seen.size).toBeGreaterThan(30)
    expect(walks.filter((walk) => !ENDS_EARLY.some((allowed) => allowed.test(walk)))).toEqual([])
  })

  /** They stop after a row, or after a page of them. */
  const ENDS_EARLY = [
    /^SCAN executions: SELECT key, created_at AS createdAt FROM executions ORDER BY key DESC LIMIT 1$/,
    /^SCAN executions: SELECT max\(key\) FROM executions$/,
  ]

  /** Statements that differ in their values alone have the same plan. */
  const shapeOf = (sql: string): string => sql.replaceAll(/'(?:[^']|'')*'|\b\d+(?:\.\d+)?\b/g, '?')

  const useEverything = async (watched: Store): Promise<void> => {
    const { executions, journal, overview } = watched
    const waiting = rows.find(({ status }) => status === 'waiting')!
    const base = { projectId: 'default', limit: 50 }
    const texts = ['declined', 'qz', 'exe_', rows[5]!.id, '']
    for (const filters of [
      {},
      { statuses: ['failed'] as const },
      { programId: 'seldom', versionNumber: 1, statuses: ['cancelling'] as const },
      { createdAfter: START, createdBefore: START + 5_000 },
      ...texts.map((text) => ({ text })),
      { needsAttention: true },
      { waitingKind: 'effect' as const },
      { waitingName: 'go' },
      { errorFingerprint: fingerprintOf(rows.find(({ error }) => error !== undefined)!.error!) },
      { againOf: rows.slice(0, 3).map(({ id }) => id) },
      { finishedAfter: START },
      ...['order 4711', '王', 'x'].map((label) => ({ label })),
      { notText: 'x', notProgramIds: ['often'] },
    ]) {
      await overview.list({ ...base, ...filters })
      await overview.counts({ ...base, ...filters })
      await overview.awaitingAttention({ ...base, ...filters })
    }
    await overview.waiting(base)
    await overview.errors(base)
    await overview.errors({ ...base, programId: 'often' })
    await overview.metrics({ projectId: 'default', from: START, stepMs: 60_000, steps: 5 })
    executions.load(waiting.key)
    executions.record(waiting.key)
    executions.keyOf(waiting.id)
    executions.nextDueAt(0)
    executions.due({ dueAt: 0, key: 0, command: 0 }, START, 10)
    executions.retries({ key: 0, command: 0 }, 10)
    executions.unfinished(0, 10)
    executions.startedWith('default', 'k')
    journal.page(waiting.key, 0, 10)
    journal.scheduled(waiting.key, 1)
    const { id: versionId } = watched.programs.version('default', 'often', 1)!
    const started = await executions.start({
      id: 'exe_plan',
      projectId: 'default',
      programId: 'often',
      versionId,
      versionNumber: 1,
      createdAt: START,
      data: '{}',
      idempotency: { key: 'k', bodyHash: 'h' },
    })
    const key = started.kind === 'started' ? started.head.key : 0
    const entries = [{ at: START, type: 'event_received', name: 'a', data: '{"id":"evt_1"}' }] as const
    await executions.change(key, ({ hasOpenWait }) => {
      hasOpenWait('a', START)
      return {
        entries,
        opened: [
          { kind: 'effect', command: 1, name: 'a', since: START, attempt: 1, options: {} },
          { kind: 'timer', command: 2, since: START, dueAt: START },
        ],
        lastCommand: 2,
      }
    })
    executions.load(key)
    await executions.change(key, () => ({
      label: 'Order 1',
      entries,
      closed: [2],
      consumed: [2],
      rescheduled: [{ kind: 'effect', command: 1, name: 'a', since: START, attempt: 2, options: {}, dueAt: START }],
    }))
    const error = { code: 'program_error', message: 'm' } as const
    await executions.change(key, () => ({ status: 'failed', finishedAt: START, error }))
    await executions.delete(key)
  }
})
