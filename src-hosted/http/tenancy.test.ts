// Every operation of the table, asked by one workspace for what belongs to another. Generated from the table: a new
// operation with an id in it fails here until it says what to ask for.

import { describe, expect, it } from 'vitest'
import type { OperationSpec } from '../../src-runtime/contract/operation-spec.ts'
import { operationsOf } from '../../src-runtime/contract/operations.ts'
import { actOnOne } from '../../src-runtime/operations/act-on-one.ts'
import { hostedHttpRig, type Tenant } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

/** What a workspace has, by the parameter that names it. */
type Belongings = {
  readonly program: string
  readonly project: string
  readonly execution: string
  readonly trigger: string
  readonly token: string
  readonly bulk: string
}

const furnish = async (tenant: Tenant): Promise<Belongings> => {
  const { call, deploy, start, tokenIds } = tenant
  const project = (await call('POST', '/v1/projects', { json: { name: 'Second' } })).json.id as string
  // A name that the other workspace does not have.
  const program = `of-${tenant.workspaceId}`
  await deploy(program)
  const execution = await start(program, { secret: tenant.workspaceId })
  const triggers = await call('PUT', '/v1/projects/default/triggers', {
    json: [{ programId: program, type: 'webhook' }],
  })
  const bulk = await call('POST', '/v1/bulk', { json: { action: 'cancel', ids: ['exe_none'] } })
  await call('PUT', '/v1/projects/default/environment', { json: { set: { KEY: 'value' } } })
  return {
    ...{ project, program, execution, token: tokenIds.read, bulk: bulk.json.id as string },
    trigger: triggers.json.items[0].id as string,
  }
}

/** What an id in a path stands for. */
const kindOf = (path: string, parameter: string): keyof Belongings | undefined => {
  if (parameter === 'projectId') return 'project'
  if (parameter !== 'id') return undefined
  if (path.startsWith('/v1/programs/')) return 'program'
  if (path.startsWith('/v1/executions/')) return 'execution'
  if (path.startsWith('/v1/bulk/')) return 'bulk'
  if (path.includes('/tokens/')) return 'token'
  return path.includes('/triggers/') ? 'trigger' : undefined
}

const parametersOf = (path: string): readonly string[] => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)

const pathWith = (path: string, belongings: Belongings): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const kind = kindOf(path, name)
    return kind === undefined ? '1' : belongings[kind]
  })

/** A body with which the operation would succeed. */
const bodyOf = (name: string, { program, execution }: Belongings): unknown => {
  const bodies: Readonly<Record<string, unknown>> = {
    createProject: { name: 'Third' },
    deployProgram: { format: 'wes.program/1', id: 'new', program: { code: '({ run() {} })' } },
    startExecution: { programId: program },
    sendEvent: { name: 'go' },
    startBulk: { action: 'delete', ids: [execution] },
    updateWorkspace: { name: 'Other' },
    createToken: { name: 'new', role: 'read' },
    changeEnvironment: { set: { NEW: 'x' } },
    replaceTriggers: { triggers: [] },
    fireTrigger: {},
  }
  return bodies[name]
}

const ALL = operationsOf('hosted') as readonly (readonly [string, OperationSpec])[]
const CLOSED = ALL.filter(([, { role }]) => role !== 'open')
const WITH_IDS = CLOSED.filter(([, { path }]) => parametersOf(path).length > 0)

it('knows what each id in a path stands for, and a body for each operation that takes one', async () => {
  const known = ['id', 'projectId', 'number', 'command']
  expect(WITH_IDS.flatMap(([, { path }]) => parametersOf(path)).filter((name) => !known.includes(name))).toEqual([])
  const unknown = WITH_IDS.filter(([, { path }]) =>
    parametersOf(path).some((name) => name === 'id' && !kindOf(path, name)),
  )
  expect(unknown.map(([name]) => name)).toEqual([])
  const none: Belongings = { program: '', project: '', execution: '', trigger: '', token: '', bulk: '' }
  expect(CLOSED.filter(([name, { body }]) => body !== undefined && bodyOf(name, none) === undefined)).toEqual([])
})

describe('what belongs to another workspace', () => {
  it.each(WITH_IDS.map(([name, spec]) => ({ name, spec })))('is not there for $name', async ({ name, spec }) => {
    const [one, other] = [await rig.newTenant(), await rig.newTenant()]
    const theirs = await furnish(other)
    const own = await furnish(one)
    const before = await picture(other, theirs)
    const json = bodyOf(name, theirs)
    const foreign = await one.call(spec.method, pathWith(spec.path, theirs), json === undefined ? {} : { json })
    expect([foreign.status, foreign.json?.error?.code]).toEqual([404, expect.stringMatching(/_not_found$/)])
    // The answer is that for what nobody has, but for the id in it.
    const nobodys = Object.fromEntries(Object.keys(own).map((kind) => [kind, `x${kind}`])) as Belongings
    const absent = await one.call(spec.method, pathWith(spec.path, nobodys), json === undefined ? {} : { json })
    expect([absent.status, absent.json?.error?.code]).toEqual([foreign.status, foreign.json?.error?.code])
    expect(foreign.text).not.toContain(other.workspaceId === theirs.program.slice(3) ? `"secret"` : other.workspaceId)
    expect(await picture(other, theirs)).toEqual(before)
  })

  it.each(CLOSED.filter(([, { takesProject }]) => takesProject).map(([name, spec]) => ({ name, spec })))(
    'cannot be chosen as the project of $name',
    async ({ name, spec }) => {
      const [one, other] = [await rig.newTenant(), await rig.newTenant()]
      const theirs = await furnish(other)
      const own = await furnish(one)
      const json = bodyOf(name, own)
      const headers = { 'x-service-project-id': theirs.project }
      const answer = await one.call(spec.method, pathWith(spec.path, own), {
        headers,
        ...(json !== undefined && { json }),
      })
      expect([answer.status, answer.json?.error?.code]).toEqual([404, 'project_not_found'])
    },
  )

  it.each(
    CLOSED.filter(([, { path, method }]) => method === 'GET' && parametersOf(path).length === 0).map(
      ([name, spec]) => ({
        name,
        spec,
      }),
    ),
  )('is not shown by $name', async ({ spec }) => {
    const [one, other] = [await rig.newTenant(), await rig.newTenant()]
    await furnish(other)
    if (spec.path === '/v1/changes') return // A stream does not end; what it shows is bound to the workspace's port.
    const answer = await one.call('GET', spec.path)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain(other.workspaceId)
    expect(answer.text).not.toContain(other.projectId)
  })

  it('is not touched through ids in bodies', async () => {
    const [one, other] = [await rig.newTenant(), await rig.newTenant()]
    const theirs = await furnish(other)
    const own = await furnish(one)
    const again = await one.call('POST', '/v1/executions', {
      json: { programId: own.program, againOf: theirs.execution },
    })
    expect(again.json.error.code).toBe('execution_not_found')
    expect((await one.call('POST', '/v1/executions', { json: { programId: theirs.program } })).json.error.code).toBe(
      'program_not_found',
    )
    // As a worker does it for each item of a bulk.
    const ports = rig.portsOf({ workspaceId: one.workspaceId, defaultProjectId: one.projectId })
    await expect(actOnOne(ports, 'cancel', { id: theirs.execution, projectId: undefined })).rejects.toMatchObject({
      code: 'execution_not_found',
    })
    expect((await other.call('GET', `/v1/executions/${theirs.execution}`)).json.status).toBe('queued')
    const kept = [{ id: theirs.trigger, programId: own.program, type: 'webhook' }]
    expect((await one.call('PUT', '/v1/projects/default/triggers', { json: kept })).json.error.code).toBe(
      'trigger_not_found',
    )
    const foreign = [{ programId: theirs.program, type: 'webhook' }]
    expect((await one.call('PUT', '/v1/projects/default/triggers', { json: foreign })).json.error.code).toBe(
      'program_not_found',
    )
  })
})

it('is not counted in cursors, and those of another workspace are refused', async () => {
  const [one, other] = [await rig.newTenant(), await rig.newTenant()]
  for (const tenant of [one, other]) {
    await tenant.deploy('hello')
    for (let count = 0; count < 3; count += 1) await tenant.start('hello')
  }
  const cursors = await Promise.all(
    [one, other].map(async ({ call }) => (await call('GET', '/v1/executions?limit=1')).json.nextCursor as string),
  )
  const [own = '', theirs = ''] = cursors
  // Keys of Executions are numbers from one sequence for all workspaces.
  for (const cursor of cursors) expect(Buffer.from(cursor, 'base64url').toString('latin1')).not.toMatch(/\d{6}/)
  const next = (cursor: string) => one.call('GET', `/v1/executions?limit=2&cursor=${cursor}`)
  expect((await next(own)).json).toMatchObject({ items: [{}, {}], nextCursor: null })
  const first = own.startsWith('A') ? 'B' : 'A'
  for (const wrong of [theirs, `${own}A`, own.slice(0, -4), `${first}${own.slice(1)}`, 'A', 'e:1']) {
    expect((await next(wrong)).json.error?.code).toBe('invalid_request')
  }
  const errors = await one.call('GET', `/v1/errors?cursor=${own}`)
  expect(errors.json.error.code).toBe('invalid_request')
})

/** All that a workspace has, as it sees it. */
const picture = async ({ call }: Tenant, { program, execution, project }: Belongings) => {
  const paths = [
    ...['/v1/projects', '/v1/programs', '/v1/executions', '/v1/workspaces/current', '/v1/projects/default/triggers'],
    ...[
      `/v1/programs/${program}/versions`,
      `/v1/executions/${execution}/history`,
      `/v1/projects/${project}/environment`,
    ],
    '/v1/projects/default/environment',
  ]
  return Promise.all(paths.map(async (path) => (await call('GET', path)).json))
}
