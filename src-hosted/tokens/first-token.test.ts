import { pino } from 'pino'
import { beforeEach, expect, it } from 'vitest'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { newSecretKeyText, readSecretKeys } from '../environment/secret-keys.ts'
import { rotateSecrets } from '../environment/rotate-secrets.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { issueFirstToken, issueToken } from './issue-token.ts'
import { secretDigest } from './token-text.ts'

const rig = hostedRig()
const [k1, k2] = [newSecretKeyText('k1'), newSecretKeyText('k2')] as const
const logged: string[] = []

const issue = (keys: string = k1): Promise<string | undefined> => {
  const { workspaces, access, now } = rig.store
  const log = pino({}, { write: (line) => void logged.push(line) })
  return issueFirstToken({ workspaces, access, secrets: readSecretKeys(keys), ids: createIds(now), log })
}

const tokenIdOf = async (secret: string): Promise<string> =>
  (await rig.store.access.findToken(secretDigest(secret)))!.tokenId

beforeEach(() => rig.sql('TRUNCATE workspaces, projects, tokens, sessions CASCADE'))

it('is the same for all processes that start at once, and for later ones, until it is used', async () => {
  const issued = await Promise.all([issue(), issue(), issue()])
  expect(issued[0]).toMatch(/^wes_/)
  expect(new Set(issued).size).toBe(1)
  expect(await issue()).toBe(issued[0])
  expect(await rig.sql('SELECT name FROM workspaces')).toEqual([{ name: 'default' }])
  expect(await rig.sql('SELECT role, name FROM tokens')).toEqual([{ role: 'admin', name: 'first' }])

  await rig.store.access.noteUse(await tokenIdOf(issued[0]!))
  expect(await issue()).toBeUndefined()
  expect(await rig.sql('SELECT sealed FROM tokens')).toEqual([{ sealed: null }])
})

it('is not shown again once its workspace has another token', async () => {
  const first = (await issue())!
  const { workspaces, forWorkspace, now } = rig.store
  const deps = { workspaces, tenant: (id: string) => forWorkspace(id).tenant, ids: createIds(now) }
  await issueToken(deps, { workspace: 'default', name: 'mine', role: 'admin' })
  expect(await issue()).toBeUndefined()
  expect(await tokenIdOf(first)).toMatch(/^tok_/)
})

it('is not issued again after it was revoked', async () => {
  const first = (await issue())!
  const [workspace] = await rig.store.workspaces.find('default')
  await rig.store.forWorkspace(workspace!.id).tenant.tokens.revoke(await tokenIdOf(first))
  expect(await issue()).toBeUndefined()
})

it('is shown under a new key once it was sealed anew, and never without its key', async () => {
  const first = await issue()
  expect(await issue(k2)).toBeUndefined()
  expect(logged.join()).toContain('`wes tokens create` makes another one')
  expect(await rotateSecrets(rig.store.secrets, readSecretKeys(`${k2},${k1}`))).toBe(1)
  expect(await issue(k2)).toBe(first)
  expect(logged.join()).not.toContain(first)
})
