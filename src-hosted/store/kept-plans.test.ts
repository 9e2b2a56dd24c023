// What statements read whose plans PostgreSQL has made while there was hardly anything, and keeps.

import { expect, it, onTestFinished } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import { createDatabaseClock } from './clock.ts'
import { openDatabase } from './database.ts'
import { createEngineStore } from './engine-store.ts'
import { hostedRig } from './hosted-store-rig.test-support.ts'

const rig = hostedRig()

/** With an event, an outcome and an open command each. */
const OTHERS = `
  WITH others AS (
    INSERT INTO executions (key, created_at, workspace, project, program, version, last_position, turns, last_command, buffered,
      buffered_bytes, stirred, status, id)
    SELECT key - n, 1, workspace, project, program, version, 1, 1, 1, 0, 0, 0, 2, id || n
    FROM executions, generate_series(1, 3000) AS n WHERE key = $1 RETURNING *
  ), events AS (
    INSERT INTO inbox (execution, position, workspace, received_at, bytes, id, name)
    SELECT key, 1, workspace, 1, 1, 'evt', 'paid' FROM others
  ), results AS (
    INSERT INTO outcomes (execution, command, workspace, attempt, ok, at, data)
    SELECT key, 1, workspace, 1, true, 1, '1' FROM others
  )
  INSERT INTO pending (execution, command, workspace, project, program, kind, since)
  SELECT key, 1, workspace, project, program, 1, 1 FROM others`

it('reads no rows of other Executions in commits and confirmations', async () => {
  const { start, seen } = await rig.newWorkspace()
  const db = openDatabase({ url: rig.url, role: 'wes_worker', connections: 1 })
  onTestFinished(() => db.close())
  const { commit, stillPerforms } = createEngineStore(db, createDatabaseClock())
  const at = rig.store.now()
  const opens: Change = {
    entries: [{ at, type: 'effect_scheduled', command: 1, name: 'charge', data: '{}' }],
    opened: [1, 2].map((command) => ({ kind: 'effect', command, name: 'charge', since: at, attempt: 1, options: {} })),
    ...{ turns: 1, lastCommand: 2, status: 'waiting', startedAt: at },
  }
  const closes: Change = { closed: [1], consumed: [6], turns: 2, status: 'waiting' }
  const ends: Change = { closed: 'all', consumed: 'all', turns: 3, status: 'completed', finishedAt: at }
  const begun = { performer: 'here', commands: new Set([1]) }

  const runTwo = async () => {
    const heads = [await start(), await start()]
    const attempts = heads.map(({ id }) => ({ executionId: id, command: 1, attempt: 1 }))
    for (const change of [opens, closes, ends]) {
      const all = await Promise.all(heads.map(({ id }) => seen(id)))
      const answers = await Promise.all(all.map((one) => commit(one, { change, wakeAt: undefined, begun })))
      expect(answers).toMatchObject([{ kind: 'committed' }, { kind: 'committed' }])
      expect(await stillPerforms(attempts, 'here')).toHaveLength(change === opens ? 2 : 0)
    }
    return heads[0]!.key
  }
  const rowsRead = async () => {
    await db.run('SELECT pg_stat_force_next_flush()')
    const [row] = await rig.sql<{ rows: number }>('SELECT sum(idx_tup_read)::int AS rows FROM pg_stat_user_indexes')
    return row!.rows
  }

  await start()
  await rig.sql('VACUUM (ANALYZE) executions, pending, inbox, outcomes')
  await rig.sql(OTHERS, [await runTwo()])
  const before = await rowsRead()
  await runTwo()
  expect((await rowsRead()) - before).toBeLessThan(1_000)
})
