import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { recordDiskCalls } from '../../src-runtime/shared/disk-calls.test-support.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { createProjectEnvironments } from '../effects/project-environments.ts'
import { DEFAULT_RUNNER_LIMITS } from '../effects/runner-limits.ts'
import { readEffectEnvironment } from '../environment/effect-environments.ts'
import { rotateSecrets } from '../environment/rotate-secrets.ts'
import { readOrMakeKeyFile } from '../environment/secret-key-file.ts'
import { newSecretKeyText, readSecretKeys } from '../environment/secret-keys.ts'
import { dayOf, dayText } from '../usage/days.ts'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const PATH = '/v1/projects/default/environment'
const environmentOf = (workspaceId: string) => rig.hosted.store.forWorkspace(workspaceId).tenant.environment

describe('the environment of effects', () => {
  it('is set and removed, and shown without values', async () => {
    const { call } = await rig.newTenant()
    const change = (json: unknown) => call('PUT', PATH, { json })
    const made = await change({ set: { B: 'hunter2', A: '' } })
    expect([made.status, made.json.items.map(({ name }: { name: string }) => name)]).toEqual([200, ['A', 'B']])
    expect(made.json.items[0]).toEqual({ name: 'A', createdAt: expect.any(String), updatedAt: expect.any(String) })
    const changed = await change({ set: { B: 'hunter3' }, remove: ['A', 'NONE'] })
    expect(changed.json.items).toEqual([{ ...made.json.items[1], updatedAt: expect.any(String) }])
    expect((await call('GET', PATH, { as: 'read' })).json).toEqual(changed.json)
    expect((await change({})).json).toEqual(changed.json)
  })

  it.each([
    [{ set: { PATH: 'x' } }, 'PATH'],
    [{ set: { NODE_OPTIONS: 'x' } }, 'NODE_OPTIONS'],
    [{ set: { LD_PRELOAD: 'x' } }, 'LD_PRELOAD'],
    [{ set: { DYLD_X: 'x' } }, 'DYLD_X'],
    [{ set: { WES_SECRET_KEY: 'x' } }, 'WES_SECRET_KEY'],
    [{ set: { '1A': 'x' } }, '1A'],
    [{ set: { 'A-B': 'x' } }, 'A-B'],
    [{ set: { '': 'x' } }, ''],
    [{ set: { ['A'.repeat(129)]: 'x' } }, 'A'],
    [{ set: { A: 'a\0b' } }, 'U+0000'],
    [{ set: { A: '\ud800' } }, 'well-formed'],
    [{ set: { A: 'é'.repeat(16 * 1024 + 1) } }, '32 KiB'],
    [{ set: { A: 1 } }, 'body/set/A'],
    [{ set: { A: 'x' }, remove: ['A'] }, 'body/remove'],
    [{ set: Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`N${n}`, ''])) }, '200 names'],
  ])('refuses %j', async (json, reason) => {
    const { call } = await rig.newTenant()
    const answer = await call('PUT', PATH, { json })
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.json.error.message).toContain(reason)
    expect((await call('GET', PATH)).json.items).toEqual([])
  })

  it('takes what lies within its limits', async () => {
    const { call } = await rig.newTenant()
    const set = { _: 'x', PATHS: 'x', NODE: 'x', ['A'.repeat(128)]: 'x'.repeat(32 * 1024) }
    expect((await call('PUT', PATH, { json: { set } })).status).toBe(200)
  })

  it('holds values of 1 MiB together at most', async () => {
    const { call } = await rig.newTenant()
    const put = async (json: unknown) => {
      const answer = await call('PUT', PATH, { json })
      return answer.status === 200 ? 200 : answer.json.error.message
    }
    const value = 'x'.repeat(32 * 1024)
    expect(await put({ set: Object.fromEntries(Array.from({ length: 31 }, (_, n) => [`N${n}`, value])) })).toBe(200)
    const one = { set: { LAST: 'x' } }
    expect(await put({ set: { N31: value } })).toBe(200)
    expect(await put(one)).toContain('1 MiB together')
    expect(await put({ set: { N31: `${value.slice(1)}y` } })).toBe(200)
    expect(await put({ ...one, remove: ['N0'] })).toBe(200)
    expect((await call('GET', PATH)).json.items).toHaveLength(32)
  })

  it('reaches the effects of its project, and a change those that begin 5 s later', async () => {
    const { call, workspaceId, projectId } = await rig.newTenant()
    let at = 0
    const secrets = readSecretKeys(rig.secretKeys)
    const environments = createProjectEnvironments(
      (project) => readEffectEnvironment(environmentOf(project.workspaceId), secrets, project.projectId),
      DEFAULT_RUNNER_LIMITS.environmentMs,
      () => at,
    )
    const variables = async () => (await environments.current({ workspaceId, projectId })).variables
    await call('PUT', PATH, { json: { set: { KEY: 'hunter2' } } })
    expect(await variables()).toEqual({ KEY: 'hunter2' })
    await call('PUT', PATH, { json: { set: { KEY: 'hunter3' } } })
    at = 3_900
    await variables() // an effect that begins meanwhile must not prolong it
    at = 5_000
    expect(await variables()).toEqual({ KEY: 'hunter3' })
  })

  it('is in no row and no log as it was sent', async () => {
    const { call, projectId } = await rig.newTenant()
    await call('PUT', PATH, { json: { set: { KEY: 'a-value-that-nothing-else-has' } } })
    const rows = await rig.hosted.sql(
      'SELECT e.* FROM environment e JOIN projects j ON j.key = e.project WHERE j.id = $1',
      [projectId],
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('a-value-that-nothing-else-has')
    expect(rig.logged.join('')).not.toContain('a-value-that-nothing-else-has')
  })

  it('is sealed anew with another key, with the signing secrets, while it is read', async () => {
    const { call, deploy, workspaceId, projectId } = await rig.newTenant()
    await deploy('hello')
    await call('PUT', PATH, { json: { set: { KEY: 'hunter2' } } })
    await call('PUT', '/v1/projects/default/triggers', {
      json: [{ programId: 'hello', type: 'webhook', secret: 'generate' }],
    })
    const added = newSecretKeyText('added')
    const both = readSecretKeys(`${added},${rig.secretKeys}`)
    // Other tests have sealed rows, too.
    expect(await rotateSecrets(rig.hosted.store.secrets, both)).toBeGreaterThanOrEqual(2)
    expect(await rotateSecrets(rig.hosted.store.secrets, both)).toBe(0)
    const environment = await readEffectEnvironment(environmentOf(workspaceId), readSecretKeys(added), projectId)
    expect(environment).toEqual({ KEY: 'hunter2' })
    // Back again, for the tests that come.
    await rotateSecrets(rig.hosted.store.secrets, readSecretKeys(`${rig.secretKeys},${added}`))
  })
})

it('keeps a key of its own in a file that nobody else reads, whoever asks first, and that is on the disk before it is used', () => {
  const folder = temporaryFolder('key')
  const file = join(folder, 'secret-key')
  const calls = recordDiskCalls()
  const made = readOrMakeKeyFile(file)
  const short = calls.map((call) => call.replace(/\.\w+$/, '.draft'))
  const flushed = ['flush secret-key.draft', 'name secret-key', 'remove secret-key.draft', `flush ${basename(folder)}`]
  expect(short).toEqual(flushed)
  expect([readOrMakeKeyFile(file), readFileSync(file, 'utf8')]).toEqual([made, `${made}\n`])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readSecretKeys(made).currentId).toBe('local')
})

describe('usage and billing', () => {
  it('count what a workspace did, to the unit', async () => {
    const { call, deploy, start, projectId } = await rig.newTenant()
    await deploy('hello')
    const ids = [await start('hello', 1), await start('hello', 2), await start('hello', 3)]
    for (const name of ['a', 'b']) await call('POST', `/v1/executions/${ids[0]}/events`, { json: { name } })
    const today = dayText(dayOf(rig.hosted.store.now()))
    const usage = (
      await call('GET', `/v1/usage?from=${today}&groupBy=day&groupBy=project&groupBy=program`, { as: 'read' })
    ).json
    expect(usage).toMatchObject({ from: today, to: today })
    expect(usage.items).toEqual([
      {
        day: today,
        projectId,
        programId: 'hello',
        ...{ executions: 3, turns: 0, effectAttempts: 0, events: 2, computeMs: 0 },
        storedBytes: expect.any(Number),
      },
    ])
    const [{ day: _, projectId: __, programId: ___, ...only }] = usage.items
    expect(usage.total).toEqual(only)
    expect((await call('GET', `/v1/usage?from=${today}`)).json.items).toEqual([only])
    while (await rig.hosted.store.usage.fold());
    expect((await call('GET', `/v1/usage?from=${today}`)).json.total).toEqual(only)
    // Deleting gives back what is stored, and nothing else.
    await call('POST', `/v1/executions/${ids[0]}/cancel`)
    await call('DELETE', `/v1/executions/${ids[0]}`)
    const after = (await call('GET', `/v1/usage?from=${today}`)).json.total
    expect(after).toMatchObject({ executions: 3, events: 2 })
    expect(after.storedBytes).toBeLessThan(only.storedBytes)
  })

  it.each([
    ['from=2026-02-30', 'query/from'],
    ['from=yesterday', 'must be a day such as 2026-01-31'],
    ['from=9999-01-01', 'which is today'],
    ['from=2026-02-02&to=2026-02-01', 'must not be later'],
    ['from=2025-01-01&to=2026-01-02', 'less than 366 days'],
    ['groupBy=month', 'query/groupBy'],
  ])('refuse %s', async (query, reason) => {
    const { call } = await rig.newTenant()
    const answer = await call('GET', `/v1/usage?${query}`)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    expect(answer.json.error.message).toContain(reason)
  })

  it('refuse more items than an answer may have', async () => {
    const { call, deploy, workspaceId } = await rig.newTenant()
    await deploy('hello')
    await rig.hosted.sql(
      `WITH made AS (INSERT INTO programs (workspace, project, id, created_at, updated_at)
         SELECT p.workspace, p.project, 'program-' || n, 1, 1 FROM generate_series(1, 600) AS n, programs p
         JOIN workspaces w ON w.key = p.workspace WHERE w.id = $1 RETURNING workspace, project, key)
       INSERT INTO usage_deltas (workspace, project, program, day, stored_bytes)
       SELECT workspace, project, key, $2, 100 FROM made`,
      [workspaceId, dayOf(Date.UTC(2025, 0, 1))],
    )
    const ofYear = '/v1/usage?from=2025-01-01&to=2025-12-31&groupBy=program'
    const refused = await call('GET', `${ofYear}&groupBy=day`)
    expect([refused.status, refused.json.error?.code]).toEqual([400, 'invalid_request'])
    expect(refused.json.error.message).toContain('200000 items')
    expect((await call('GET', ofYear)).json.items).toHaveLength(600)
    const ofMonth = '/v1/usage?from=2025-01-01&to=2025-01-31&groupBy=program&groupBy=day'
    expect((await call('GET', ofMonth)).json.items).toHaveLength(600 * 31)
  })

  it('price this month and those that ended, newest first, in pages', async () => {
    const { call, deploy, workspaceId } = await rig.newTenant()
    await deploy('hello')
    const plan = (await call('GET', '/v1/billing/plan')).json
    expect(plan).toMatchObject({ id: 'standard', currency: 'EUR', prices: { executions: { per: 1_000, amount: 4 } } })
    const { sql } = rig.hosted
    await sql('UPDATE workspaces SET created_at = $2 WHERE id = $1', [workspaceId, Date.UTC(2026, 6, 20)])
    // In August: 2,000 Executions beyond what is included.
    await sql(
      `INSERT INTO usage_deltas (workspace, project, program, day, executions)
       SELECT w.key, p.project, p.key, $2, $3 FROM workspaces w JOIN programs p ON p.workspace = w.key WHERE w.id = $1`,
      [workspaceId, dayOf(Date.UTC(2026, 7, 9)), plan.included.executions + 2_000],
    )
    const upcoming = (await call('GET', '/v1/billing/invoices/upcoming')).json
    expect(upcoming).toMatchObject({ currency: 'EUR', total: 0 })
    expect(upcoming.lines.map(({ metric }: { metric: string }) => metric)).toEqual(Object.keys(plan.included))
    const all = (await call('GET', '/v1/billing/invoices')).json
    expect(all.nextCursor).toBeNull()
    expect(all.items.at(-1).periodStart).toBe('2026-07-01T00:00:00.000Z')
    expect(all.items[0].periodEnd).toBe(upcoming.periodStart)
    const august = all.items.find(({ periodStart }: { periodStart: string }) => periodStart.startsWith('2026-08'))
    expect(august).toMatchObject({ periodEnd: '2026-09-01T00:00:00.000Z', total: 8 })
    expect(august.lines[0]).toEqual({
      metric: 'executions',
      quantity: plan.included.executions + 2_000,
      included: plan.included.executions,
      billable: 2_000,
      amount: 8,
    })
    const first = (await call('GET', '/v1/billing/invoices?limit=1')).json
    const second = (await call('GET', `/v1/billing/invoices?limit=200&cursor=${first.nextCursor}`)).json
    expect([...first.items, ...second.items]).toEqual(all.items)
    const forged = Buffer.from(upcoming.periodEnd.slice(0, 7)).toString('base64url')
    expect((await call('GET', `/v1/billing/invoices?cursor=${forged}`)).json.error.code).toBe('invalid_request')
  })
})
