import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { TOKENS_LIMIT } from '../../src-runtime/contract/limits.ts'
import { secretDigest } from '../tokens/token-text.ts'
import { openDatabase, openSession } from './database.ts'
import { hostedRig, type WorkspaceRig } from './hosted-store-rig.test-support.ts'
import { createScope } from './scope.ts'
import type { ClaimDue, Due } from './store.ts'
import type { ScheduleTrigger, TriggerRecord, WebhookTrigger } from './tenancy.ts'
import { createTriggerStore } from './triggers.ts'

const rig = hostedRig()

const newTenant = async () => {
  const workspace = await rig.newWorkspace()
  return { ...workspace, tenant: rig.store.forWorkspace(workspace.workspaceId).tenant }
}

const webhook = ({ ids, projectId }: WorkspaceRig, more: Partial<WebhookTrigger> = {}): WebhookTrigger => ({
  id: ids('trg'),
  projectId,
  programId: 'order',
  enabled: true,
  createdAt: 1,
  updatedAt: 1,
  type: 'webhook',
  publicId: ids('trg').slice(4),
  ...more,
})

const schedule = ({ ids, projectId }: WorkspaceRig, more: Partial<ScheduleTrigger> = {}): ScheduleTrigger => ({
  id: ids('trg'),
  projectId,
  programId: 'order',
  enabled: true,
  createdAt: 1,
  updatedAt: 1,
  type: 'schedule',
  cron: '* * * * *',
  timezone: 'UTC',
  nextFireAt: 1_000,
  ...more,
})

describe('tokens', () => {
  it('are found by the digest of their secret, until they are revoked', async () => {
    const { tenant, ids, workspaceId, projectId } = await newTenant()
    const id = ids('tok')
    const digest = secretDigest(id)
    const made = await tenant.tokens.create({ id, name: 'ci', role: 'write', digest })
    expect(await tenant.tokens.get(id)).toEqual(made)
    const known = { workspaceId, defaultProjectId: projectId, tokenId: id, role: 'write' }
    expect(await rig.store.access.findToken(digest)).toEqual(known)
    expect(await rig.store.access.valid([digest, secretDigest('other')])).toEqual([digest])
    expect([await tenant.tokens.revoke(id), await tenant.tokens.revoke(id)]).toEqual([true, false])
    expect(await rig.store.access.findToken(digest)).toBeUndefined()
    expect(await rig.store.access.valid([digest])).toEqual([])
  })

  it('take few connections to the database when they are made up, however many come at once', async () => {
    const { tenant, ids } = await newTenant()
    const { access } = rig.store
    const id = ids('tok')
    await tenant.tokens.create({ id, name: 'ci', role: 'read', digest: secretDigest(id) })
    const madeUp = Array.from({ length: 200 }, (_, n) => secretDigest(`made up ${n}`))
    const found = [...madeUp, secretDigest(id)].flatMap((digest) => [
      access.findToken(digest),
      access.findSession(digest),
    ])
    await setImmediate()
    expect(rig.store.connections().find(({ pool }) => pool === 'worker')?.waiting).toBe(0)
    expect((await Promise.all(found)).map((one) => one?.tokenId)).toEqual([
      ...Array.from({ length: 400 }, () => undefined),
      id,
      undefined,
    ])
  })

  it('are not found once they have expired', async () => {
    const { tenant, ids } = await newTenant()
    const digest = secretDigest(ids('tok'))
    await tenant.tokens.create({
      id: ids('tok'),
      name: 'old',
      role: 'read',
      digest,
      expiresAt: rig.store.now() - 60_000,
    })
    expect(await rig.store.access.findToken(digest)).toBeUndefined()
  })

  it('note their use to the minute', async () => {
    const { tenant, ids } = await newTenant()
    const id = ids('tok')
    await tenant.tokens.create({ id, name: 'ci', role: 'read', digest: secretDigest(id) })
    await rig.store.access.noteUse(id)
    const { lastUsedAt = 0 } = (await tenant.tokens.get(id))!
    expect(lastUsedAt % 60_000).toBe(0)
    expect(Math.abs(rig.store.now() - lastUsedAt)).toBeLessThan(61_000)
  })

  it('are listed in pages, the newest first', async () => {
    const { tenant, ids } = await newTenant()
    const made = [ids('tok'), ids('tok'), ids('tok')]
    for (const id of made) await tenant.tokens.create({ id, name: 'n', role: 'read', digest: secretDigest(id) })
    const first = await tenant.tokens.list({ limit: 2 })
    expect([first.items.map(({ id }) => id), first.more]).toEqual([[made[2], made[1]], true])
    const second = await tenant.tokens.list({ limit: 2, beforeId: made[1]! })
    expect([second.items.map(({ id }) => id), second.more]).toEqual([[made[0]], false])
  })

  it('make room when they have expired, the first of them first, and are refused where none has', async () => {
    const { tenant, ids, workspaceId } = await newTenant()
    const create = (id: string, expiresAt?: number) =>
      tenant.tokens.create({ id, name: 'ci', role: 'read', digest: secretDigest(id), ...(expiresAt && { expiresAt }) })
    const [later, sooner, valid, last] = [ids('tok'), ids('tok'), ids('tok'), ids('tok')]
    const now = rig.store.now()
    await create(later, now - 60_000)
    await create(sooner, now - 120_000)
    await create(valid, now + 600_000)
    await rig.sql(
      `INSERT INTO tokens (id, workspace, created_at, role, name, digest)
       SELECT id || n, key, 0, 'read', 'ci', sha256((id || n)::bytea) FROM workspaces, generate_series(4, $2) n WHERE id = $1`,
      [workspaceId, TOKENS_LIMIT],
    )
    expect(await create(last)).toMatchObject({ id: last })
    expect(await tenant.tokens.get(sooner)).toBeUndefined()
    expect(await tenant.tokens.get(later)).toBeDefined()
    expect(await create(ids('tok'))).toBeDefined()
    expect(await create(ids('tok'))).toBeUndefined()
    expect(await tenant.tokens.get(valid)).toBeDefined()
  })

  it('end their sessions with them', async () => {
    const { tenant, ids } = await newTenant()
    const id = ids('tok')
    const key = secretDigest(`${id} session`)
    await tenant.tokens.create({ id, name: 'ci', role: 'admin', digest: secretDigest(id) })
    await rig.store.access.startSession({ digest: key, tokenId: id, lifeMs: 60_000 })
    expect(await rig.store.access.findSession(key)).toMatchObject({ tokenId: id, role: 'admin' })
    expect(await rig.store.access.findToken(key)).toBeUndefined()
    await tenant.tokens.revoke(id)
    expect(await rig.store.access.findSession(key)).toBeUndefined()
  })

  it('begin no session while they are being revoked', async () => {
    const { tenant, ids } = await newTenant()
    const id = ids('tok')
    await tenant.tokens.create({ id, name: 'ci', role: 'admin', digest: secretDigest(id) })
    const revoker = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
    onTestFinished(() => revoker.close())
    await revoker.run('BEGIN')
    await revoker.run('DELETE FROM tokens WHERE id = $1', [id])
    const begun = rig.store.access.startSession({ digest: secretDigest(`${id} late`), tokenId: id, lifeMs: 60_000 })
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INTO sessions%'`
    await vi.waitUntil(async () => (await rig.sql(waiting)).length === 1)
    await revoker.run('COMMIT')
    await begun
    expect(await rig.sql('SELECT FROM sessions WHERE token = $1', [id])).toEqual([])
  })

  it('let sessions end by themselves', async () => {
    const { tenant, ids } = await newTenant()
    const id = ids('tok')
    await tenant.tokens.create({ id, name: 'ci', role: 'admin', digest: secretDigest(id) })
    const [over, open] = [secretDigest(`${id} over`), secretDigest(`${id} open`)]
    await rig.store.access.startSession({ digest: over, tokenId: id, lifeMs: 0 })
    await rig.store.access.startSession({ digest: open, tokenId: id, lifeMs: 60_000 })
    expect(await rig.store.access.valid([over, open])).toEqual([open])
    await rig.store.access.removeEnded()
    expect(await rig.sql('SELECT digest FROM sessions WHERE token = $1', [id])).toEqual([{ digest: open }])
    await rig.store.access.endSession(open)
    expect(await rig.store.access.findSession(open)).toBeUndefined()
  })
})

describe('workspaces', () => {
  it('are found by their id, whatever others call themselves', async () => {
    const [one, other] = [await newTenant(), await newTenant()]
    await other.tenant.rename(one.workspaceId)
    expect(await rig.store.workspaces.find(one.workspaceId)).toEqual([await one.tenant.workspace()])
  })

  it('are made once for a name, however many ask', async () => {
    const { ids } = await newTenant()
    const name = ids('wsp')
    const ask = async () =>
      (await rig.store.workspaces.ensure({ id: ids('wsp'), name, defaultProjectId: ids('prj') })).workspace
    const made = await Promise.all([ask(), ask(), ask(), ask()])
    const [first] = made
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(await rig.store.workspaces.find(name)).toEqual([first])
    expect(await rig.store.workspaces.find(first.id)).toEqual([first])
  })

  it('are renamed by themselves alone', async () => {
    const [one, other] = [await newTenant(), await newTenant()]
    expect(await one.tenant.rename('Bakery')).toMatchObject({ id: one.workspaceId, name: 'Bakery', planId: 'standard' })
    expect((await other.tenant.workspace()).name).toBe('Shop')
  })
})

describe('Triggers', () => {
  it('are replaced as a list, in its order', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const { triggers } = one.tenant
    expect(await triggers.list(one.projectId)).toMatchObject({ revision: 0, items: [] })
    const made = [webhook(one, { name: 'shop', secret: 'k:sealed' }), schedule(one, { input: '{"a":"\\u0000"}' })]
    expect(await triggers.replace(one.projectId, () => made)).toEqual({ revision: 1, items: made })
    expect(await triggers.list(one.projectId)).toMatchObject({ revision: 1, items: made })
    const [first, second] = made as [WebhookTrigger, ScheduleTrigger]
    await triggers.replace(one.projectId, () => [second])
    expect(await triggers.list(one.projectId)).toMatchObject({ revision: 2, items: [second] })
    expect(await rig.store.schedules.findWebhook(first.publicId)).toBeUndefined()
    expect(await triggers.get(one.projectId, second.id)).toEqual(second)
    expect(await triggers.get(one.projectId, first.id)).toBeUndefined()
  })

  it('decide again when somebody else replaced the list meanwhile', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const { triggers } = one.tenant
    const add = (added: TriggerRecord) => triggers.replace(one.projectId, ({ items }) => [...items, added])
    const added = Array.from({ length: 5 }, () => webhook(one))
    await Promise.all(added.map(add))
    const { revision, items } = await triggers.list(one.projectId)
    expect(revision).toBe(5)
    expect(items.map(({ id }) => id).toSorted()).toEqual(added.map(({ id }) => id).toSorted())
  })

  it('change nothing when what decides throws', async () => {
    const one = await newTenant()
    const refuse = () => {
      throw new Error('no')
    }
    await expect(one.tenant.triggers.replace(one.projectId, refuse)).rejects.toThrow('no')
    expect(await one.tenant.triggers.list(one.projectId)).toMatchObject({ revision: 0 })
  })

  it('keep a time that fired while the list was replaced', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const made = schedule(one)
    await one.tenant.triggers.replace(one.projectId, () => [made])
    const read = await one.tenant.triggers.list(one.projectId)
    await rig.store.schedules.advance(made, { at: 1_000, now: 0 }, 61_000, { executionId: 'exe_1' })
    // What decides saw the list before.
    let calls = 0
    await one.tenant.triggers.replace(one.projectId, () => (++calls === 1 ? read.items : []))
    expect((await one.tenant.triggers.get(one.projectId, made.id)) as ScheduleTrigger).toMatchObject({
      lastExecutionId: 'exe_1',
    })
  })

  /** A store of the workspace's Triggers that does something else just before each call that writes. */
  const triggersBefore = async (
    { workspaceId }: Awaited<ReturnType<typeof newTenant>>,
    act: (workspace: number) => Promise<unknown>,
  ) => {
    const [own] = await rig.sql<{ key: number }>('SELECT key FROM workspaces WHERE id = $1', [workspaceId])
    const db = openDatabase({ url: rig.url, role: 'wes_app', connections: 1 })
    onTestFinished(db.close)
    const scope = createScope(db, async () => own!.key)
    return createTriggerStore({
      ...scope,
      call: async (...statement) => {
        await act(own!.key)
        return scope.call(...statement)
      },
    })
  }

  it('keep a secret as it was sealed anew while the list was replaced, and write one that is new', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const [kept, changed, removed] = [1, 2, 3].map((n) => webhook(one, { secret: `old:${n}` }))
    await one.tenant.triggers.replace(one.projectId, () => [kept!, changed!, removed!])
    const whileItWrites = await triggersBefore(one, (workspace) =>
      rig.sql(`UPDATE triggers SET secret = replace(secret, 'old', 'new') WHERE workspace = $1`, [workspace]),
    )
    const { secret: _, ...without } = removed!
    await whileItWrites.replace(one.projectId, () => [...[kept!, { ...changed!, secret: 'new:4' }, without]])
    const { items } = await one.tenant.triggers.list(one.projectId)
    expect(items.map((trigger) => (trigger as WebhookTrigger).secret)).toEqual(['new:1', 'new:4', undefined])
  })

  it('keep the time to which firing moved them while the list was replaced, and take one that is new', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const [kept, changed] = [schedule(one), schedule(one)]
    await one.tenant.triggers.replace(one.projectId, () => [kept, changed])
    const whileItFires = await triggersBefore(one, async () => {
      for (const made of [kept, changed]) {
        await rig.store.schedules.advance(made, { at: 1_000, now: 0 }, 61_000, { executionId: 'exe_1' })
      }
    })
    await whileItFires.replace(one.projectId, () => [kept, { ...changed, nextFireAt: 5_000 }])
    const { items } = await one.tenant.triggers.list(one.projectId)
    expect(items.map((trigger) => (trigger as ScheduleTrigger).nextFireAt)).toEqual([61_000, 5_000])
  })

  it('are locked in the order of their ids when they are replaced, as the starts of schedules lock them', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const [first, second] = [schedule(one), schedule(one)]
    await one.tenant.triggers.replace(one.projectId, () => [first, second])
    const start = await openSession(rig.postgres.ownerUrl, { search_path: 'wes' })
    onTestFinished(start.close)
    const lock = (id: string) => start.run('SELECT FROM triggers WHERE id = $1 FOR KEY SHARE NOWAIT', [id])
    await start.run('BEGIN')
    await lock(first.id)
    const replaced = one.tenant.triggers.replace(one.projectId, () => [first])
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%wes_replace_triggers%'`
    await vi.waitFor(async () => expect(await rig.sql(waits)).toHaveLength(1))
    await lock(second.id)
    await start.run('COMMIT')
    expect((await replaced).items).toMatchObject([{ id: first.id }])
  })

  it('name the Programs that a project does not have', async () => {
    const one = await newTenant()
    await one.deploy('order')
    expect(await one.tenant.triggers.missingPrograms(one.projectId, ['b', 'order', 'a'])).toEqual(['b', 'a'])
    expect(await one.tenant.triggers.missingPrograms(one.projectId, ['order', 'a\0b'])).toEqual(['a\0b'])
  })

  it('advance a schedule once for each time', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const made = schedule(one)
    await one.tenant.triggers.replace(one.projectId, () => [made])
    const { schedules } = rig.store
    await schedules.advance(made, { at: 1_000, now: 0 }, 61_000, { executionId: 'exe_1' })
    await schedules.advance(made, { at: 1_000, now: 0 }, 121_000, { error: 'late' })
    expect((await schedules.findSchedule(made.id))?.trigger).toMatchObject({
      nextFireAt: 61_000,
      lastExecutionId: 'exe_1',
    })
    await schedules.advance(made, { at: 61_000, now: 0 }, undefined, { error: 'a \0 of a name' })
    expect((await schedules.findSchedule(made.id))?.trigger).toMatchObject({
      lastExecutionId: 'exe_1',
      lastError: 'a \0 of a name',
    })
    expect((await schedules.findSchedule(made.id))?.trigger.nextFireAt).toBeUndefined()
  })

  it('write a failure that repeats itself at most once a second, and another one at once', async () => {
    const one = await newTenant()
    const { tenant, projectId } = one
    await one.deploy('order')
    const made = webhook(one)
    await tenant.triggers.replace(projectId, () => [made])
    const note = async (error: string) => {
      await tenant.triggers.noteFired(made.id, { error })
      return (await tenant.triggers.get(projectId, made.id))!
    }
    const inAMinute = async () =>
      rig.sql('UPDATE triggers SET last_fired_at = wes_now() + 60000 WHERE id = $1', [made.id])
    const first = await note('no')
    await inAMinute()
    expect((await note('no')).lastFiredAt).toBeGreaterThan(first.lastFiredAt! + 30_000)
    const other = await note('never')
    expect([other.lastError, other.lastFiredAt! < first.lastFiredAt! + 30_000]).toEqual(['never', true])
  })

  /** Those of the given workspaces: other tests leave theirs. */
  const claimsOf = (...ofThem: readonly (readonly ScheduleTrigger[])[]) => {
    const ids = new Set(ofThem.flat().map(({ id }) => id))
    return async (more: Partial<Parameters<ClaimDue<Due>>[0]> = {}) => {
      const query = { aheadMs: 0, limit: 1_000, limitOfOne: 2, busy: [], ...more }
      return (await rig.store.schedules.claimDue(query)).due.filter(({ triggerId }) => ids.has(triggerId))
    }
  }

  it('are claimed by workspace in turn, once, and again when their claim has ended or they have another time', async () => {
    const [one, other] = [await newTenant(), await newTenant()]
    for (const { deploy } of [one, other]) await deploy('order')
    const many = [1, 2, 3].map((nextFireAt) => schedule(one, { nextFireAt }))
    const late = schedule(other, { nextFireAt: 4 })
    await one.tenant.triggers.replace(one.projectId, () => many)
    await other.tenant.triggers.replace(other.projectId, () => [late])
    const claim = claimsOf(many, [late])
    const [first, second, third] = many.map(({ id }) => id)
    const claimed = await claim()
    const workspace = expect.any(Number) as number
    expect(claimed).toEqual([
      { triggerId: first, workspace, dueAt: 1 },
      { triggerId: second, workspace, dueAt: 2 },
      { triggerId: late.id, workspace, dueAt: 4 },
    ])
    expect(await claim({ busy: [claimed[0]!.workspace] })).toEqual([])
    expect(await claim()).toMatchObject([{ triggerId: third }])
    expect(await claim()).toEqual([])
    await rig.store.schedules.advance({ id: first!, updatedAt: 0 }, { at: 1, now: 0 }, 5, { executionId: 'exe_1' })
    await rig.sql('UPDATE triggers SET claimed_until = wes_now() WHERE id = $1', [late.id])
    expect((await claim()).map(({ triggerId, dueAt }) => [triggerId, dueAt])).toEqual([
      [late.id, 4],
      [first, 5],
    ])
  })

  it('are claimed a little before they are due by PostgreSQL’s clock, by one of several workers, unless somebody changes them', async () => {
    const one = await newTenant()
    await one.deploy('order')
    const [row] = await rig.sql<{ now: number }>('SELECT wes_now() AS now')
    const soon = Array.from({ length: 20 }, (_, n) => schedule(one, { nextFireAt: row!.now + 60_000 + n }))
    await one.tenant.triggers.replace(one.projectId, () => soon)
    const claim = claimsOf(soon)
    expect(await claim({ limitOfOne: 100 })).toEqual([])
    const claims = await Promise.all(Array.from({ length: 8 }, () => claim({ aheadMs: 120_000, limitOfOne: 3 })))
    const ids = claims.flat().map(({ triggerId }) => triggerId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.length).toBeGreaterThan(2)
    await one.tenant.triggers.replace(one.projectId, () => [])
    expect(await claim({ aheadMs: 120_000, limitOfOne: 100 })).toEqual([])
  })
})

describe('the environment', () => {
  it('is changed as a whole, and keeps what is not named', async () => {
    const { tenant, projectId } = await newTenant()
    const { environment } = tenant
    const set = [
      { name: 'B', sealed: 'k:1' },
      { name: 'A', sealed: 'k:2' },
    ]
    expect(await environment.change(projectId, { set, remove: [], most: 2, mostBytes: 9 })).toMatchObject([
      { name: 'A' },
      { name: 'B' },
    ])
    const more = { set: [{ name: 'C', sealed: 'k:3' }], remove: [] as string[], most: 2, mostBytes: 9 }
    expect(await environment.change(projectId, more)).toBe('too_many')
    expect(await environment.change(projectId, { ...more, remove: ['A', 'none'] })).toMatchObject([
      { name: 'B' },
      { name: 'C' },
    ])
    expect(await environment.values(projectId)).toEqual([
      { name: 'B', sealed: 'k:1' },
      { name: 'C', sealed: 'k:3' },
    ])
  })
})

describe('usage', () => {
  it('counts each transaction once, folded or not, and with others’ beside it', async () => {
    const [one, other] = [await newTenant(), await newTenant()]
    for (const { start } of [one, one, one, other]) await start()
    const range = { from: 0, to: 1_000_000, today: 1_000_000 }
    const before = await one.tenant.usage.rows({ ...range, groupBy: [] })
    expect(before).toMatchObject([{ executions: 3, events: 0 }])
    while (await rig.store.usage.fold());
    await one.start()
    const after = await one.tenant.usage.rows({ ...range, groupBy: ['project', 'program'] })
    expect(after).toMatchObject([{ executions: 4, projectId: one.projectId, programId: 'order' }])
    expect(await rig.store.usage.storedBytes(one.workspaceId)).toBe(before[0]!.storedBytes)
    expect(await rig.sql('SELECT FROM usage_deltas')).toHaveLength(1)
  })

  it('of all days before a range is one row', async () => {
    const one = await newTenant()
    await one.start()
    const rows = async (from: number) =>
      (await one.tenant.usage.rows({ from, to: 1_000_000, today: 1_000_000, groupBy: [] })).toSorted(
        (a, b) => a.day - b.day,
      )
    const { day } = (await rows(0))[0]!
    const makeOlder = (days: number) =>
      rig.sql(`UPDATE usage_deltas SET day = day - ${days} WHERE day = ${day}
        AND workspace = (SELECT key FROM workspaces WHERE id = '${one.workspaceId}')`)
    await makeOlder(400)
    await one.start()
    await makeOlder(300)
    await one.start()
    const days = await rows(0)
    expect(days).toMatchObject([{ day: day - 400 }, { day: day - 300 }, { day }])
    const storedBytes = days[0]!.storedBytes + days[1]!.storedBytes
    expect(await rows(day - 2)).toEqual([{ ...days[1], day: day - 3, executions: 2, turns: 0, storedBytes }, days[2]])
  })

  it('is counted once when several processes fold', async () => {
    const one = await newTenant()
    for (let count = 0; count < 20; count += 1) await one.start()
    await Promise.all(Array.from({ length: 8 }, () => rig.store.usage.fold()))
    expect(await one.tenant.usage.rows({ from: 0, to: 1_000_000, today: 1_000_000, groupBy: [] })).toMatchObject([
      { executions: 20 },
    ])
  })
})

it('shows nobody what belongs to another workspace', async () => {
  const [one, other] = [await newTenant(), await newTenant()]
  await one.deploy('order')
  const tokenId = one.ids('tok')
  await one.tenant.tokens.create({ id: tokenId, name: 'ci', role: 'read', digest: secretDigest(tokenId) })
  const made = webhook(one)
  await one.tenant.triggers.replace(one.projectId, () => [made])
  await one.tenant.environment.change(one.projectId, {
    set: [{ name: 'A', sealed: 'k:1' }],
    remove: [],
    most: 9,
    mostBytes: 9,
  })
  const { tenant } = other
  expect(await tenant.tokens.get(tokenId)).toBeUndefined()
  expect((await tenant.tokens.list({ limit: 9 })).items).toEqual([])
  expect(await tenant.tokens.revoke(tokenId)).toBe(false)
  expect((await tenant.triggers.list(one.projectId)).items).toEqual([])
  expect(await tenant.triggers.get(one.projectId, made.id)).toBeUndefined()
  await tenant.triggers.noteFired(made.id, { executionId: 'exe_1' })
  expect(await one.tenant.triggers.get(one.projectId, made.id)).toEqual(made)
  expect(await tenant.environment.values(one.projectId)).toEqual([])
  expect(await tenant.usage.rows({ from: 0, to: 1_000_000, today: 1_000_000, groupBy: [] })).toEqual([])
})
