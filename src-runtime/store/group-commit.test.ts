import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRig, type Rig } from './store-rig.test-support.ts'
import { DiskFaultError, DiskFullError, StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'

const WAL_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Commits since the WAL was last restarted: a frame that ends a commit has the size of the database. */
const commitsInWal = (rig: Rig): number => {
  const wal = readFileSync(`${rig.file}-wal`)
  const frameBytes = FRAME_HEADER_BYTES + (rig.db.pragma('page_size', { simple: true }) as number)
  let commits = 0
  for (let at = WAL_HEADER_BYTES; at + frameBytes <= wal.length; at += frameBytes) {
    if (wal.readUInt32BE(at + 4) > 0) commits += 1
  }
  return commits
}

/** One transaction takes all callers, however slow the machine is. */
const stopTime = (): void => {
  const { mockRestore } = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
  onTestFinished(mockRestore)
}

describe('group commit', () => {
  it('shares one commit between all writes of one turn of the event loop', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const before = commitsInWal(rig)
    stopTime()

    const starts = await Promise.all(
      Array.from({ length: 50 }, () => rig.store.executions.start(rig.newExecution(version))),
    )

    expect(starts.every(({ kind }) => kind === 'started')).toBe(true)
    expect(commitsInWal(rig) - before).toBe(1)
    expect(rig.reports.map((changes) => changes.length)).toEqual([50])
  })

  it('waits for writes in the next turn of the event loop', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const before = rig.reports.length
    stopTime()
    const start = () => rig.store.executions.start(rig.newExecution(version))
    const first = start()
    const second = new Promise((resolve) => setImmediate(resolve)).then(start)
    await Promise.all([first, second])
    expect(rig.reports.slice(before).map((changes) => changes.length)).toEqual([2])
  })

  it('does not wait for ever, however many there are', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const start = () => rig.store.executions.start(rig.newExecution(version))
    let settled = 0
    const starts = [start().then(() => settled++)]
    while (settled === 0) {
      starts.push(start().then(() => settled++))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const last = start()
    expect(settled).toBeGreaterThan(0)
    await Promise.all([...starts, last])
    expect(rig.reports.length).toBeGreaterThan(1)
  })

  it('reports a commit before it answers the callers, and once another connection can read it', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const reader = new Database(rig.file, { readonly: true })
    const order: string[] = []
    const push = rig.reports.push.bind(rig.reports)
    rig.reports.push = (...items) => {
      order.push(`reported ${reader.prepare<[], number>('SELECT count(*) FROM executions').pluck().get()}`)
      return push(...items)
    }
    await rig.store.executions.start(rig.newExecution(version)).then(() => order.push('settled'))
    reader.close()
    expect(order).toEqual(['reported 1', 'settled'])
  })

  it('reports an Execution once per commit, with its last status, in commit order', async () => {
    const rig = openRig()
    const [one, two] = [await rig.start(), await rig.start()]
    rig.reports.length = 0
    rig.clock.now += 5
    stopTime()
    await Promise.all([
      rig.change(one.key, { status: 'running' }),
      rig.change(two.key, { status: 'running' }),
      rig.change(one.key, { status: 'waiting' }),
    ])
    expect(rig.reports).toEqual([
      [
        {
          key: two.key,
          executionId: two.id,
          programId: 'order',
          projectId: 'default',
          status: 'running',
          at: rig.clock.now,
        },
        {
          key: one.key,
          executionId: one.id,
          programId: 'order',
          projectId: 'default',
          status: 'waiting',
          at: rig.clock.now,
        },
      ],
    ])
  })

  it('shows a caller the earlier writes of the same transaction', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    const seen: number[] = []
    await Promise.all(
      Array.from({ length: 3 }, () =>
        rig.store.executions.change(key, ({ head }) => {
          seen.push(head.lastPosition)
          return { entries: [{ at: 1, type: 'log', data: '{}' }] }
        }),
      ),
    )
    expect(seen).toEqual([1, 2, 3])
  })

  it('rejects only the caller whose decision throws', async () => {
    const rig = openRig()
    const started = await Promise.all(Array.from({ length: 20 }, () => rig.start()))
    const failing = started[9]!.key
    const before = commitsInWal(rig)
    stopTime()
    const results = await Promise.allSettled([
      ...started.slice(0, 10).map(({ key }) => rig.change(key, { status: 'running' })),
      rig.store.executions.change(failing, () => {
        throw new RangeError('no decision')
      }),
      ...started.slice(9).map(({ key }) => rig.change(key, { status: 'waiting' })),
    ])
    const failed = results.filter(({ status }) => status === 'rejected')
    expect(failed).toEqual([{ status: 'rejected', reason: new RangeError('no decision') }])
    expect(results[10]).toBe(failed[0])
    const statuses = started.map(({ key }) => rig.store.executions.head(key)?.status)
    expect(statuses).toEqual([...Array<string>(9).fill('running'), ...Array<string>(11).fill('waiting')])
    expect(commitsInWal(rig) - before).toBe(1)
  })

  it('rolls back all writes of a caller that failed, and no others', async () => {
    const rig = openRig()
    const { key } = await rig.start()
    const wait = { kind: 'event', command: 1, name: 'a', since: 1 } as const
    const results = await Promise.allSettled([
      rig.change(key, { entries: [{ at: 1, type: 'log', data: '"kept"' }] }),
      // The second wait has the number of the first: written half when it fails.
      rig.change(key, { entries: [{ at: 1, type: 'log', data: '"lost"' }], opened: [wait, wait], lastCommand: 1 }),
      rig.change(key, { entries: [{ at: 1, type: 'log', data: '"kept too"' }] }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(rig.store.journal.page(key, 1, 10).items.map(({ position, data }) => [position, data])).toEqual([
      [2, '"kept"'],
      [3, '"kept too"'],
    ])
    expect(rig.store.executions.load(key)?.open).toEqual([])
  })

  it('lets callers run ahead after all writes, before the commit', async () => {
    const order: string[] = []
    const rig: Rig = openRig(undefined, { onWritten: () => order.push('all written') })
    const version = await rig.deploy('order')
    const reader = new Database(rig.file, { readonly: true })
    const stored = reader.prepare<[], number>('SELECT count(*) FROM executions').pluck()
    order.length = 0
    stopTime()
    const ahead = ({ key }: { readonly key: number }): void => {
      order.push(`ahead with ${rig.store.executions.head(key)?.status}, ${stored.get()} stored`)
    }
    const [started] = await Promise.all([
      rig.store.executions.start(rig.newExecution(version), ahead),
      rig.store.executions.start(rig.newExecution(version), ahead),
    ])
    expect(order).toEqual(['ahead with queued, 0 stored', 'ahead with queued, 0 stored', 'all written'])
    expect(stored.get()).toBe(2)
    if (started.kind !== 'started') throw new Error('not started')
    const nothing = rig.store.executions.change(started.head.key, () => undefined, {
      ahead: () => void order.push('never'),
    })
    await expect(nothing).resolves.toMatchObject({ change: undefined })
    expect(order).not.toContain('never')
    reader.close()
  })

  it('starts work once the changes of all callers were seen', async () => {
    const rig = openRig()
    const keys = [(await rig.start()).key, (await rig.start()).key]
    const order: string[] = []
    stopTime()
    await Promise.all(
      keys.map((key, index) =>
        rig.store.executions.change(key, () => ({ status: 'running' }), {
          ahead: () => {
            order.push(`sees ${index}`)
            return () => order.push(`works ${index}`) > 0
          },
        }),
      ),
    )
    expect(order).toEqual(['sees 0', 'sees 1', 'works 0', 'works 1'])
  })

  it('commits even if a caller that runs ahead throws, and lets the others run', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const begun: number[] = []
    const starts = await Promise.all([
      rig.store.executions.start(rig.newExecution(version), () => {
        throw new Error('no')
      }),
      rig.store.executions.start(rig.newExecution(version), ({ key }) => void begun.push(key)),
    ])
    expect(starts.map(({ kind }) => kind)).toEqual(['started', 'started'])
    expect(begun).toHaveLength(1)
  })

  describe('a single caller', () => {
    /** Work ahead of a commit, which begins a turn. */
    const begins = (work: () => unknown) => () => {
      work()
      return true
    }

    /** Starts an Execution that runs ahead of its commit, and changes it at once. */
    const startAndChange = async (rig: Rig, change: (key: number) => Promise<unknown>) => {
      // The time for which a commit is held does not pass, however slow the machine is.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const version = await rig.deploy('order')
      const before = { commits: commitsInWal(rig), reports: rig.reports.length }
      const changed = Promise.withResolvers<unknown>()
      const ahead = ({ key }: { readonly key: number }) =>
        begins(() => setImmediate(() => changed.resolve(change(key))))
      const started = rig.store.executions.start(rig.newExecution(version), ahead)
      const outcomes = await Promise.allSettled([started, changed.promise])
      return {
        outcomes: outcomes.map(({ status }) => status),
        commits: commitsInWal(rig) - before.commits,
        reports: rig.reports.slice(before.reports).flat(),
      }
    }

    it('shares a flush with the work that ran ahead', async () => {
      const rig = openRig()
      const { outcomes, commits, reports } = await startAndChange(rig, (key) => rig.change(key, { status: 'waiting' }))
      expect(outcomes).toEqual(['fulfilled', 'fulfilled'])
      expect(commits).toBe(1)
      expect(reports).toMatchObject([{ status: 'queued' }, { status: 'waiting' }])
    })

    it('waits for nothing where no work ran ahead', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const rig = openRig()
      const version = await rig.deploy('order')
      const { key } = await rig.start()
      await rig.store.executions.start(rig.newExecution(version), () => () => false)
      await rig.store.executions.change(key, () => ({ status: 'running' }), { ahead: () => {} })
      expect(rig.store.executions.head(key)).toMatchObject({ status: 'running' })
    })

    it('does not wait long for work that ran ahead', async () => {
      const rig = openRig()
      const version = await rig.deploy('order')
      const reader = new Database(rig.file, { readonly: true })
      await rig.store.executions.start(rig.newExecution(version), () => () => true)
      expect(reader.prepare<[], number>('SELECT count(*) FROM executions').pluck().get()).toBe(1)
      reader.close()
    })

    it('is committed before a read', async () => {
      const rig = openRig()
      const version = await rig.deploy('order')
      const reader = new Database(rig.file, { readonly: true })
      const stored = reader.prepare<[], number>('SELECT count(*) FROM executions').pluck()
      const begun = Promise.withResolvers<number>()
      const started = rig.store.executions.start(rig.newExecution(version), ({ key }) =>
        begins(() => begun.resolve(key)),
      )
      const key = await begun.promise
      expect(stored.get()).toBe(0)
      expect(rig.store.executions.head(key)).toMatchObject({ status: 'queued' })
      expect(stored.get()).toBe(1)
      await started
      reader.close()
    })

    it('fails together with the work that ran ahead', async () => {
      const rig: Rig = openRig(undefined, { onWritten: () => failing && rig.db.exec('ROLLBACK') })
      let failing = false
      const { outcomes } = await startAndChange(rig, (key) => {
        failing = true
        return rig.change(key, { status: 'waiting' })
      })
      failing = false
      expect(outcomes).toEqual(['rejected', 'rejected'])
      expect(rig.reports.flat()).toEqual([])
      expect(await rig.start()).toMatchObject({ status: 'queued' })
      expect(await rig.store.overview.counts({ projectId: 'default' })).toMatchObject({ queued: 1, waiting: 0 })
    })

    it('is durable if the store closes meanwhile', async () => {
      const rig = openRig()
      const version = await rig.deploy('order')
      const begun = Promise.withResolvers<void>()
      const started = rig.store.executions.start(rig.newExecution(version), () => begins(begun.resolve))
      await begun.promise
      await rig.store.close()
      expect(await started).toMatchObject({ kind: 'started' })
      const reader = new Database(rig.file, { readonly: true })
      expect(reader.prepare<[], number>('SELECT count(*) FROM executions').pluck().get()).toBe(1)
      reader.close()
    })
  })

  it('waits for half as many callers as shared the last commit, but not for long', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const start = () => rig.store.executions.start(rig.newExecution(version))
    await Promise.all([start(), start(), start(), start(), start()])
    const before = rig.reports.length
    const first = start()
    await new Promise((resolve) => setTimeout(resolve, 1))
    await Promise.all([first, start()])
    expect(rig.reports.slice(before).map((changes) => changes.length)).toEqual([2])
    await start() // no other caller comes
    expect(rig.reports).toHaveLength(before + 2)
  })

  it('continues after a listener throws', async () => {
    const rig = openRig()
    rig.reports.push = () => {
      throw new Error('the listener is broken')
    }
    expect(await rig.start()).toMatchObject({ status: 'queued' })
  })

  it('limits the size of a transaction, so that a flood does not block the event loop', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const before = commitsInWal(rig)
    const starts = await Promise.all(
      Array.from({ length: 3000 }, () => rig.store.executions.start(rig.newExecution(version))),
    )
    expect(new Set(starts.map((start) => (start.kind === 'started' ? start.head.key : 0))).size).toBe(3000)
    expect(commitsInWal(rig) - before).toBeGreaterThan(1)
    expect(commitsInWal(rig) - before).toBeLessThan(300)
  })

  it('rejects callers while another program locks the database, and works again afterwards', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const other = new Database(rig.file)
    other.exec('BEGIN IMMEDIATE')
    await expect(rig.store.executions.start(rig.newExecution(version))).rejects.toThrow(StoreUnavailableError)
    other.exec('ROLLBACK')
    other.close()
    expect(await rig.start()).toMatchObject({ status: 'queued' })
  })

  it('finishes pending work before it closes, and rejects later work', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const started = rig.store.executions.start(rig.newExecution(version))
    const closed = rig.store.close()
    const late = rig.store.executions.start(rig.newExecution(version))
    await expect(late).rejects.toThrow(StoreClosedError)
    expect(await started).toMatchObject({ kind: 'started' })
    await closed
    await rig.store.close()
    expect(() => rig.store.executions.head(1)).toThrow(StoreClosedError)
  })
})

describe('a full disk', () => {
  /** Leaves room for `pages` more pages. */
  const limit = (rig: Rig, pages: number) =>
    rig.db.pragma(`max_page_count = ${(rig.db.pragma('page_count', { simple: true }) as number) + pages}`)

  it('rejects writes, loses no acknowledged data, and ends when there is space again', async () => {
    const rig = openRig()
    const version = await rig.deploy('order')
    const payload = JSON.stringify({ input: 'x'.repeat(20_000) })
    const newOne = () => rig.store.executions.start(rig.newExecution(version, { data: payload }))
    limit(rig, 200)

    const acknowledged: number[] = []
    const reasons: unknown[] = []
    while (reasons.length === 0) {
      for (const result of await Promise.allSettled([newOne(), newOne(), newOne()])) {
        if (result.status === 'rejected') reasons.push(result.reason)
        else if (result.value.kind === 'started') acknowledged.push(result.value.head.key)
      }
    }
    expect(reasons).toHaveLength(3)
    for (const reason of reasons) expect(reason).toBeInstanceOf(DiskFullError)
    expect(String(reasons[0])).toContain('full')
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(acknowledged.every((key) => rig.store.journal.entry(key, 1)?.data === payload)).toBe(true)
    expect((await rig.store.overview.list({ projectId: 'default', limit: 200 })).items).toHaveLength(
      acknowledged.length,
    )
    expect(rig.reports.flat()).toHaveLength(acknowledged.length)

    limit(rig, 100_000)
    expect(await newOne()).toMatchObject({ kind: 'started' })
    expect(rig.db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('says that the disk is full, but not that one is that is read-only, and by itself that there is room again', async () => {
    const told: boolean[] = []
    const rig = openRig(undefined, { onDiskFull: (isFull) => told.push(isFull) })
    const version = await rig.deploy('order')
    const data = JSON.stringify({ input: 'x'.repeat(200_000) })
    const newOne = () => rig.store.executions.start(rig.newExecution(version, { data }))
    expect(rig.store.diskIsFull()).toBe(false)
    limit(rig, 10)
    await expect(newOne()).rejects.toThrow(DiskFullError)
    await expect(newOne()).rejects.toThrow(DiskFullError)
    expect([rig.store.diskIsFull(), told]).toEqual([true, [true]])

    limit(rig, 100_000)
    await vi.waitFor(() => expect(rig.store.diskIsFull()).toBe(false))
    expect(told).toEqual([true, false])
    rig.db.pragma('query_only = 1')
    await expect(newOne()).rejects.toThrow(DiskFaultError)
    expect(rig.store.diskIsFull()).toBe(false)
    rig.db.pragma('query_only = 0')
  })

  it('does not keep a version whose deploy was rolled back', async () => {
    const rig = openRig()
    limit(rig, 10)
    stopTime()
    const version = { versionId: 'ver_1', number: 1 }
    const deploy = rig.deploy('order', { id: 'ver_1' })
    const [deployed, started] = await Promise.allSettled([
      deploy,
      rig.store.executions.start(rig.newExecution(version, { programId: 'order', data: `"${'x'.repeat(50_000)}"` })),
    ])
    expect([deployed.status, started.status]).toEqual(['rejected', 'rejected'])
    expect(await rig.store.executions.start(rig.newExecution(version))).toEqual({ kind: 'version_gone' })
  })
})
