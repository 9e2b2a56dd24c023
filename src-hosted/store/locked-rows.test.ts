// Writes and reads of one moment share a statement. A row that another transaction has locked holds up its own writes alone.

import { expect, it, onTestFinished } from 'vitest'
import type { Change } from '../../src-runtime/engine/change.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'
import { openSession } from './database.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import type { Seen } from './store.ts'

const rig = hostedRig()

/** Half of the time that a statement may take: whoever waits for a locked row takes longer. */
const MOMENT_MS = 5_000

const startAll = async ({ deploy, start }: WorkspaceRig, count: number) => {
  await deploy('order')
  return Promise.all(Array.from({ length: count }, () => start()))
}

/** What another transaction has locked, until the returned function is called. */
const locked = async (statement: string, values: readonly unknown[]) => {
  const session = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
  onTestFinished(session.close)
  await session.run('BEGIN')
  await session.run(statement, values)
  return () => session.run('COMMIT')
}
const lockRow = (key: number) => locked('SELECT FROM executions WHERE key = $1 FOR UPDATE', [key])

/** Goes alone. */
const LARGE = `"${'a'.repeat(20_000)}"`

const idsOf = async ({ store }: WorkspaceRig, key: number): Promise<readonly string[]> => {
  const { items } = await store.journal.page(key, 1, 20)
  return items.map(({ data }) => (JSON.parse(data!) as { id: string }).id)
}

const within = async <Result>(ms: number, run: () => Promise<Result>): Promise<Result> => {
  const from = performance.now()
  const result = await run()
  expect(performance.now() - from).toBeLessThan(ms)
  return result
}

const firstTurn = (at: number, commands = 1): Change => ({
  entries: Array.from({ length: commands }, (_, index) => ({
    ...{ at, type: 'effect_scheduled', command: index + 1, name: 'charge', data: '{}' },
  })),
  opened: Array.from({ length: commands }, (_, index) => ({
    ...{ kind: 'effect', command: index + 1, name: 'charge', since: at, attempt: 1 },
    options: { retry: { maxAttempts: 3 }, timeoutMs: 10 },
  })),
  ...{ turns: 1, lastCommand: commands, status: 'waiting', startedAt: at },
})

it('commits the turns of other Executions while the row of one is locked', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const unlock = await lockRow(heads[1]!.key)
  const turns = { change: firstTurn(rig.store.now()), wakeAt: undefined }
  const [first, second, third] = seen.map((one) => rig.store.engine.commit(one, turns))
  const others = await within(MOMENT_MS, () => Promise.all([first, third]))
  expect(others).toMatchObject([{ kind: 'committed' }, { kind: 'committed' }])
  await unlock()
  expect(await second).toMatchObject({ kind: 'committed', firstPosition: 2 })
})

it('commits the turns of others while all connections wait for locked rows, and says of those that they are locked', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 9)
  const [free, ...busy] = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const unlock = await locked('SELECT FROM executions WHERE key = ANY ($1::bigint[]) FOR UPDATE', [
    busy.map(({ key }) => key),
  ])
  const turns = { change: firstTurn(rig.store.now()), wakeAt: undefined }
  const refused = busy.map((one) => rig.store.engine.commit(one, turns).catch(messageOf))
  expect(await within(MOMENT_MS, () => rig.store.engine.commit(free!, turns))).toMatchObject({ kind: 'committed' })
  expect(await refused[0]).toContain('another transaction has locked a row or a table for too long (55P03')
  await Promise.all(refused)
  await unlock()
  expect(await rig.store.engine.commit(busy[0]!, turns)).toMatchObject({ kind: 'committed' })
})

it('commits the turns of other Executions while an open command of one is locked', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 3)
  const at = rig.store.now()
  for (const { id } of heads) await workspace.commit(id, firstTurn(at))
  const seen = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const unlock = await locked('SELECT FROM pending WHERE execution = $1 FOR UPDATE', [heads[0]!.key])
  const turns = { change: { closed: [1], turns: 2 }, wakeAt: undefined }
  const [first, ...others] = seen.map((one) => rig.store.engine.commit(one, turns))
  const committed = { kind: 'committed' }
  expect(await within(MOMENT_MS, () => Promise.all(others))).toMatchObject([committed, committed])
  await unlock()
  expect(await first).toMatchObject(committed)
})

it('receives the events of other Executions while the row of one is locked, as many as come for it', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 2)
  const [busy, free] = heads.map(({ key }) => key)
  const unlock = await lockRow(busy!)
  const send = (key: number, id: string) => workspace.accept.receive(key, { id, name: 'paid' })
  const waiting: Promise<unknown>[] = []
  // More than a workspace may have connections.
  const sendAll = async () => {
    for (let n = 0; n < 12; n += 1) {
      waiting.push(send(busy!, `evt_${n}`))
      expect(await send(free!, `evt_${n}`)).toMatchObject({ kind: 'received' })
    }
  }
  await within(MOMENT_MS, sendAll)
  await unlock()
  expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ kind: 'received' })))
  for (const key of [busy!, free!]) expect(await idsOf(workspace, key)).toEqual(waiting.map((_, n) => `evt_${n}`))
})

it('keeps the order of the events of one Execution in a batch that PostgreSQL refuses', async () => {
  const workspace = await rig.newWorkspace()
  const [one, other] = await startAll(workspace, 2)
  const unlock = await lockRow(one!.key)
  const ids = Array.from({ length: 12 }, (_, n) => `evt_${n}`)
  const sent = ids.map((id) => workspace.accept.receive(one!.key, { id, name: 'paid' }))
  await workspace.accept.receive(other!.key, { id: 'evt', name: 'paid' })
  await unlock()
  expect(await Promise.all(sent)).toMatchObject(ids.map(() => ({ kind: 'received' })))
  expect(await idsOf(workspace, one!.key)).toEqual(ids)
})

it('receives the events of other Executions while large ones wait for the locked row of one', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 2)
  const [busy, free] = heads.map(({ key }) => key)
  const unlock = await lockRow(busy!)
  const send = (key: number, n: number, payload?: string) =>
    workspace.accept.receive(key, { id: `evt_${n}`, name: 'paid', ...(payload !== undefined && { payload }) })
  // More than a workspace may have connections.
  const waiting = Array.from({ length: 8 }, (_, n) => send(busy!, n, LARGE))
  const others = await within(MOMENT_MS, () => Promise.all([send(free!, 0), send(free!, 1, LARGE)]))
  expect(others).toMatchObject([{ kind: 'received' }, { kind: 'received' }])
  await unlock()
  expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ kind: 'received' })))
  expect(await idsOf(workspace, busy!)).toEqual(waiting.map((_, n) => `evt_${n}`))
})

it('commits the turns of other Executions while failures of one wait for its locked row', async () => {
  const workspace = await rig.newWorkspace()
  const heads = await startAll(workspace, 2)
  const [busy, free] = await Promise.all(heads.map(({ id }) => workspace.seen(id)))
  const unlock = await lockRow(busy!.key)
  const at = rig.store.now()
  const fail = (seen: Seen) => {
    const error = { code: 'program_error', name: 'Error', message: 'No money' } as const
    const change: Change = { status: 'failed', turns: 1, finishedAt: at, error }
    return rig.store.engine.commit(seen, { change, wakeAt: undefined })
  }
  // More than there are connections.
  const [first, ...later] = Array.from({ length: 10 }, () => fail(busy!))
  expect(await within(MOMENT_MS, () => fail(free!))).toMatchObject({ kind: 'committed' })
  await unlock()
  expect(await first).toMatchObject({ kind: 'committed' })
  expect(await Promise.all(later)).toMatchObject(later.map(() => ({ kind: 'lost' })))
})

/** Locks the key 'sent'. When it is unlocked, its Execution does not exist, so the key does not count. */
const lockSent = ({ projectId }: WorkspaceRig) =>
  locked(
    `INSERT INTO idempotency (project, workspace, execution, created_at, key, body_hash)
     SELECT key, workspace, 1, wes_now(), 'sent', 'h' FROM projects WHERE id = $1`,
    [projectId],
  )

it('starts other Executions while the key of one is locked', async () => {
  const workspace = await rig.newWorkspace()
  const version = await workspace.deploy('order')
  const start = (key?: string, input = '1') =>
    workspace.accept.start(
      workspace.newExecution(version, {
        data: `{"input":${input}}`,
        ...(key !== undefined && { idempotency: { key, bodyHash: 'h' } }),
      }),
    )
  const unlock = await lockSent(workspace)
  const [first, second, third] = [start(), start('sent'), start('other')]
  const started = { kind: 'started' }
  expect(await within(MOMENT_MS, () => Promise.all([first, third]))).toMatchObject([started, started])
  // More than a workspace may have connections.
  const repeated = Array.from({ length: 8 }, () => start('sent', LARGE))
  expect(await within(MOMENT_MS, () => Promise.all([start(), start('other 2', LARGE)]))).toMatchObject([
    started,
    started,
  ])
  await unlock()
  expect(await second).toMatchObject(started)
  expect(await Promise.all(repeated)).toMatchObject(repeated.map(() => ({ kind: 'repeated' })))
})

it('confirms attempts while another one is locked, and deadlocks with nobody', async () => {
  const workspace = await rig.newWorkspace()
  const { id, key } = await workspace.start()
  await workspace.commit(id, firstTurn(rig.store.now(), 2))
  const { engine } = rig.store
  const effects = [1, 2].map((command) => ({ executionId: id, command, attempt: 1 }))
  const ask = (effect: (typeof effects)[number]) => engine.takeAttempt(effect, 'other', 60_000)
  for (const effect of effects) {
    await engine.takeAttempt(effect, 'here', 60_000)
    expect(await ask(effect)).toEqual({ kind: 'elsewhere', isCertain: false })
  }
  const unlock = await locked('SELECT FROM pending WHERE execution = $1 AND command = 2 FOR UPDATE', [key])
  expect(await within(MOMENT_MS, () => engine.stillPerforms(effects, 'here'))).toEqual(effects)
  await unlock()
  expect(await ask(effects[0]!)).toEqual({ kind: 'elsewhere', isCertain: true })
  expect(await ask(effects[1]!)).toEqual({ kind: 'elsewhere', isCertain: false })
  expect(await engine.stillPerforms(effects, 'here')).toEqual(effects)
  expect(await ask(effects[1]!)).toEqual({ kind: 'elsewhere', isCertain: true })
})

it('stores what PostgreSQL gave up because of others', async () => {
  const workspace = await rig.newWorkspace()
  const [first, second] = await startAll(workspace, 2)
  // As PostgreSQL does for one of two transactions that wait for each other.
  await rig.sql(`CREATE SEQUENCE updates;
    GRANT USAGE ON SEQUENCE updates TO wes_app, wes_worker;
    CREATE FUNCTION give_up() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('wes.updates') % 2 = 1 THEN RAISE 'gives up' USING ERRCODE = 'deadlock_detected'; END IF;
      RETURN NEW;
    END $$;
    GRANT EXECUTE ON FUNCTION give_up() TO wes_app, wes_worker;
    CREATE TRIGGER give_up BEFORE UPDATE ON executions FOR EACH ROW EXECUTE FUNCTION give_up()`)
  onTestFinished(async () => void (await rig.sql('DROP TRIGGER give_up ON executions')))
  const change = firstTurn(rig.store.now())
  expect(await workspace.commit(first!.id, change)).toMatchObject({ kind: 'committed', firstPosition: 2 })
  const received = await workspace.accept.receive(second!.key, { id: 'evt', name: 'paid' })
  expect(received).toMatchObject({ kind: 'received' })
  expect(await workspace.accept.requestCancel(first!.key)).toMatchObject({ kind: 'accepted' })
})
