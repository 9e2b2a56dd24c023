import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Status } from '../engine/journal.ts'
import { createIds } from '../ids.ts'
import { ALL_STATUSES } from './codes.ts'
import { createStore, openStore } from './open-store.ts'
import { START } from './store-rig.test-support.ts'
import type { ExecutionQuery, Store } from './store.ts'

/** Enough that not only the newest rows are looked at, and that a short id's prefix is common. */
const COUNT = 3_000

type Row = {
  readonly key: number
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly versionNumber: number
  readonly createdAt: number
  readonly status: Status
  readonly message: string | undefined
}

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
const rows: Row[] = []
let store: Store

/** A repeatable stand-in for chance. */
const createDice = (seed: number) => {
  let state = seed
  return (sides: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor((state / 0x8000_0000) * sides)
  }
}

beforeAll(async () => {
  let now = START
  const ids = createIds(() => now)
  const roll = createDice(7)
  store = openStore({ file, now: () => now, onCommitted: () => {} })
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
    }
    const status = roll(3) === 0 ? ALL_STATUSES[roll(ALL_STATUSES.length)]! : n < 2_000 ? 'completed' : 'waiting'
    const message = status === 'failed' ? (MESSAGES[roll(MESSAGES.length)] ?? '') : undefined
    const started = await store.executions.start(execution)
    if (started.kind !== 'started') throw new Error(started.kind)
    await store.executions.change(started.head.key, () => ({
      status,
      ...(message === undefined ? {} : { error: { code: 'program_error', message } }),
    }))
    rows.push({ ...execution, key: started.head.key, status, message })
  }
})

afterAll(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

const lower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

const matches = (row: Row, query: ExecutionQuery): boolean =>
  row.projectId === query.projectId &&
  row.key < (query.beforeKey ?? Number.POSITIVE_INFINITY) &&
  (query.statuses?.includes(row.status) ?? true) &&
  (query.programId === undefined || row.programId === query.programId) &&
  (query.versionNumber === undefined || row.versionNumber === query.versionNumber) &&
  row.createdAt > (query.createdAfter ?? Number.NEGATIVE_INFINITY) &&
  row.createdAt < (query.createdBefore ?? Number.POSITIVE_INFINITY) &&
  (query.text === undefined ||
    row.id.startsWith(query.text) ||
    (row.message !== undefined && lower(row.message).includes(lower(query.text))))

const expected = (query: ExecutionQuery) => {
  const found = rows.filter((row) => matches(row, query)).toSorted((one, other) => other.key - one.key)
  return { keys: found.slice(0, query.limit).map(({ key }) => key), more: found.length > query.limit }
}

const actual = (query: ExecutionQuery) => {
  const { items, more } = store.executions.list(query)
  return { keys: items.map(({ head }) => head.key), more }
}

describe('the list of Executions', () => {
  it('is, for any filter, what looking at every row finds', () => {
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
    const query: fc.Arbitrary<ExecutionQuery> = fc
      .record(
        {
          beforeKey: fc.integer({ min: 0, max: COUNT + 2 }),
          statuses: fc.uniqueArray(fc.constantFrom(...ALL_STATUSES), { maxLength: 3 }),
          programId: fc.constantFrom('often', 'seldom', 'never', 'shop', 'unknown'),
          versionNumber: fc.integer({ min: 1, max: 4 }),
          createdAfter: time,
          createdBefore: time,
          text,
        },
        { requiredKeys: [] },
      )
      .chain((filters) =>
        fc
          .record({
            projectId: fc.constantFrom('default', 'default', 'default', 'prj_1', 'prj_none'),
            limit: fc.constantFrom(1, 3, 50, 200),
          })
          .map((rest) => ({ ...filters, ...rest })),
      )
    fc.assert(
      fc.property(query, (asked) => {
        expect(actual(asked)).toEqual(expected(asked))
      }),
      { numRuns: 600 },
    )
  })

  it('is the same page by page as at once', () => {
    const query = { projectId: 'default', limit: 37, statuses: ['failed', 'cancelled'] } as const
    const keys: number[] = []
    for (let more = true; more;) {
      const page = actual({ ...query, ...(keys.length === 0 ? {} : { beforeKey: keys.at(-1)! }) })
      keys.push(...page.keys)
      more = page.more
    }
    expect(keys).toEqual(expected({ ...query, limit: COUNT }).keys)
  })

  it('is empty in a store without Executions', () => {
    const empty = openStore({ file: join(directory, 'empty.sqlite'), now: () => START, onCommitted: () => {} })
    for (const filters of [{}, { createdAfter: START }, { text: 'exe_' }, { text: 'x' }, { text: 'declined' }]) {
      expect(empty.executions.list({ projectId: 'default', limit: 10, ...filters })).toEqual({ items: [], more: false })
    }
    expect(empty.executions.unfinished(0, 10)).toEqual([])
    void empty.close()
  })
})

describe('the plans of the store’s statements', () => {
  it('never walk through all Executions, their journals, or what they wait for', async () => {
    const seen = new Map<string, string>()
    const verbose = (sql: unknown) => void seen.set(shapeOf(String(sql)), String(sql))
    const copy = join(directory, 'plans.sqlite')
    new Database(file).exec(`VACUUM INTO '${copy}'`).close()
    const watched = createStore(new Database(copy, { verbose }), { now: () => START, onCommitted: () => {} })
    await useEverything(watched)
    await watched.close()

    const db = new Database(copy)
    const walks = [...seen.values()]
      .filter((sql) => /^\s*(SELECT|UPDATE|DELETE)/i.test(sql))
      .flatMap((sql) =>
        db
          .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/\bInf\b/g, '9e999')}`)
          .all()
          .filter(({ detail }) => /^SCAN (e|executions|journal|i|inbox|p|pending|idempotency)\b/.test(detail))
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
    const { executions, journal } = watched
    const waiting = rows.find(({ status }) => status === 'waiting')!
    const base = { projectId: 'default', limit: 50 }
    const texts = ['declined', 'qz', 'exe_', rows[5]!.id, '']
    for (const filters of [
      {},
      { statuses: ['failed'] as const },
      { programId: 'seldom', versionNumber: 1, statuses: ['cancelling'] as const },
      { createdAfter: START, createdBefore: START + 5_000 },
      ...texts.map((text) => ({ text })),
    ]) {
      executions.list({ ...base, ...filters })
    }
    executions.load(waiting.key)
    executions.record(waiting.key)
    executions.keyOf(waiting.id)
    executions.nextDueAt(0)
    executions.due({ dueAt: 0, key: 0, command: 0 }, START, 10)
    executions.unfinished(0, 10)
    executions.startedWith('default', 'k', START)
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
      entries,
      closed: [2],
      consumed: [2],
      rescheduled: [{ command: 1, attempt: 2, dueAt: START }],
    }))
    await executions.change(key, () => ({ status: 'failed', error: { code: 'program_error', message: 'm' } }))
  }
})
