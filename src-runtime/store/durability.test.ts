import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { openDataDirectory } from '../data-directory/data-directory.ts'
import { openStore } from './open-store.ts'
import { ALL_STATUSES, statusCodes } from '../shared/row-codes.ts'
import { temporaryDirectory } from './store-rig.test-support.ts'
import type { Store } from './store.ts'

const WRITER = join(import.meta.dirname, 'writer.test-support.ts')
const ROUNDS = 3

/** What the process had acknowledged when it was killed. */
const writeUntilKilled = async (directory: string, acknowledgements: number): Promise<readonly string[]> => {
  const child = spawn(process.execPath, [WRITER, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === acknowledgements) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  return lines
}

const expectWritten = (store: Store, line: string): void => {
  const [what, id = '', event] = line.split(' ')
  const key = store.executions.keyOf(id)
  expect(key, line).toBeDefined()
  if (key === undefined) return
  const head = store.executions.head(key)
  const entries = store.journal.page(key, 0, 10).items
  expect(entries[0], line).toMatchObject({ type: 'execution_started', data: `{"input":"${id}"}` })
  expect(entries, line).toHaveLength(head?.lastPosition ?? 0)
  if (what === 'received') expect(entries[1]?.data, line).toBe(`{"id":"${event}"}`)
  if (what === 'completed') {
    expect(head, line).toMatchObject({ status: 'completed', lastPosition: 3, buffered: 0 })
    expect(entries[2]?.data, line).toBe(`{"result":"${id}"}`)
  }
}

const countedBySql = (db: Database.Database): Readonly<Record<string, number>> => {
  const select = db.prepare<[number], number>('SELECT count(*) FROM executions NOT INDEXED WHERE status = ?').pluck()
  return Object.fromEntries(ALL_STATUSES.map((status) => [status, select.get(statusCodes.toCode(status))!]))
}

it('finds every acknowledged write, and right counts, after repeated kill -9 under load', async () => {
  const directory = temporaryDirectory()
  const acknowledged: string[] = []
  for (let round = 1; round <= ROUNDS; round += 1) {
    acknowledged.push(...(await writeUntilKilled(directory, 400 * round)))
    // Works at once: a dead owner leaves nothing that blocks.
    const owned = openDataDirectory(directory)
    const store = await openStore({ file: owned.databaseFile, now: Date.now, onCommitted: () => {} })
    for (const line of acknowledged) expectWritten(store, line)
    const unfinished = store.executions.unfinished(0, 1_000).keys
    for (const key of unfinished) expect(store.executions.load(key)?.head.status).toBe('queued')
    const counts = await store.overview.counts({ projectId: 'default' })
    await store.close()
    const db = new Database(owned.databaseFile, { readonly: true })
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(counts).toEqual(countedBySql(db))
    db.close()
    owned.release()
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(2_400)
})
