// How many projects and tokens a workspace may have: they count in no quota.

import { expect, it } from 'vitest'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const KINDS = [
  {
    kind: 'projects',
    path: '/v1/projects',
    fill: `INSERT INTO projects (workspace, id, name, is_default, created_at)
      SELECT w.key, 'prj_' || w.key || '_' || i, i, false, 1 FROM workspaces w, generate_series($2, 999) AS i WHERE w.id = $1`,
  },
  {
    kind: 'tokens',
    path: '/v1/workspaces/current/tokens',
    fill: `INSERT INTO tokens (workspace, id, name, role, digest, created_at)
      SELECT w.key, 'tok_' || w.key || '_' || i, i, 'read', sha256((w.key || '_' || i)::bytea), 1
      FROM workspaces w, generate_series($2, 999) AS i WHERE w.id = $1`,
  },
] as const

it.each(KINDS)('a workspace has a thousand $kind at most, however many come at once', async ({ kind, path, fill }) => {
  const { call, workspaceId } = await rig.newTenant()
  const there = kind === 'projects' ? 1 : 3
  await rig.hosted.sql(fill, [workspaceId, there + 1])
  const make = (name: string) => call('POST', path, { json: { name, role: 'read' } })
  const made = await Promise.all(Array.from({ length: 20 }, (_, index) => make(`new ${index}`)))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(1)
  const refused = made.filter(({ status }) => status !== 201)
  expect(refused[0]?.json.error).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(`This workspace has 1000 ${kind}`),
  })
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([400]))
  const { call: other } = await rig.newTenant()
  expect((await other('POST', path, { json: { name: 'new', role: 'read' } })).status).toBe(201)
})
