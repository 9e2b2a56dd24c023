import { describe, expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import { roles, type OperationSpec, type Role } from '../contract/operation-spec.ts'
import { operationsOf } from '../contract/operations.ts'
import type { Principal } from '../ports/principal.ts'
import { createHttpRig } from './http-rig.test-support.ts'

const isRole = (text: string | undefined): text is Role => roles.some((role) => role === text)

const roleOf = (authorization: string | undefined): Principal | ApiError => {
  const role = authorization?.replace('Bearer ', '')
  if (!isRole(role)) return new ApiError('unauthorized', 'There is no such token.', { 'www-authenticate': 'Bearer' })
  return { workspaceId: 'wsp_1', tokenId: 'tok_1', role }
}

/** A home whose tokens are the names of their roles, and which looks them up somewhere else. */
const createRig = async () => {
  const rig = await createHttpRig({
    authenticate: async ({ headers }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return roleOf(headers.authorization)
    },
  })
  onTestFinished(rig.close)
  const callAs = async (token: string | undefined, { method, path }: Pick<OperationSpec, 'method' | 'path'>) =>
    rig.call(method, path.replaceAll(/:[a-z]+/gi, '1'), {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  return { ...rig, callAs }
}

const served = operationsOf('local').map(([, spec]) => spec)

describe('a home with tokens', () => {
  it('answers 401 to unknown callers, on every operation except the open ones', async () => {
    const { callAs } = await createRig()
    for (const spec of served) {
      for (const token of [undefined, 'other']) {
        const { status, headers } = await callAs(token, spec)
        const { method, path, role } = spec
        expect([method, path, status]).toEqual([method, path, role === 'open' ? 200 : 401])
        if (status === 401) expect(headers['www-authenticate']).toBe('Bearer')
      }
    }
  })

  it('also answers 401 under /v1 for unknown routes', async () => {
    const { callAs } = await createRig()
    for (const path of ['/v1/nothing', '/v1/whoami', '/v1', '/local/v1/nothing', '/hosted/current/v1/x']) {
      expect([path, (await callAs(undefined, { method: 'GET', path })).status]).toEqual([path, 401])
      expect([path, (await callAs('read', { method: 'GET', path })).status]).toEqual([path, 404])
    }
  })

  it('answers 401 before it says that a target cannot be read', async () => {
    const { callAs } = await createRig()
    for (const path of ['/v1/executions/%zz', '/v1/%', '/hosted/%c3%28']) {
      expect([path, (await callAs(undefined, { method: 'GET', path })).status]).toEqual([path, 401])
      expect([path, (await callAs('read', { method: 'GET', path })).status]).toEqual([path, 400])
    }
    expect((await callAs(undefined, { method: 'GET', path: '/%zz' })).status).toBe(400)
  })

  it('refuses operations that the token’s role does not allow, and names the required role', async () => {
    const { callAs } = await createRig()
    for (const spec of served.filter(({ answers }) => answers[200]?.stream !== true)) {
      for (const role of roles) {
        const { status, json } = await callAs(role, spec)
        const isAllowed = spec.role === 'open' || roles.indexOf(role) >= roles.indexOf(spec.role)
        expect([spec.method, spec.path, role, status === 403]).toEqual([spec.method, spec.path, role, !isAllowed])
        if (!isAllowed)
          expect([json.error.code, json.error.message]).toEqual([
            'forbidden',
            `This needs a token with the role "${spec.role}"; the role of this one is "${role}".`,
          ])
      }
    }
  })

  it('refuses before it reads the body', async () => {
    const { call } = await createRig()
    const headers = { authorization: 'Bearer read', 'content-type': 'text/plain' }
    const refused = await call('POST', '/v1/projects', { body: 'x'.repeat(2_000_000), headers })
    expect([refused.status, refused.json.error.code]).toEqual([403, 'forbidden'])
  })

  it('answers only an error if it cannot look up a token', async () => {
    const rig = await createHttpRig({ authenticate: () => Promise.reject(new Error('secret')) })
    onTestFinished(rig.close)
    const { status, text } = await rig.call('GET', '/v1/projects')
    expect([status, text.includes('secret')]).toEqual([500, false])
  })
})
