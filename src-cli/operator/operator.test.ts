// On real databases: at an address, in the folder of a service that runs, and of one that does not.

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startEmbeddedPostgres } from '#hosted/boot/embedded-postgres.ts'
import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import { choosePorts, openServeFolder, writeOwner } from '#hosted/boot/serve-folder.ts'
import { rotateSecrets } from '#hosted/environment/rotate-secrets.ts'
import { valueContext } from '#hosted/environment/secret-contexts.ts'
import { newSecretKeyText, readSecretKeys } from '#hosted/environment/secret-keys.ts'
import { hostedRig } from '#hosted/store/hosted-store-rig.test-support.ts'
import { migrateDatabase } from '#hosted/store/migrate.ts'
import type { SealedRow, SecretStore } from '#hosted/store/tenancy.ts'
import { secretDigest } from '#hosted/tokens/token-text.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { wesHere } from '../wes-here.test-support.ts'
import { wes, type WesRun } from '../wes.test-support.ts'
import { removeWorkspace } from './workspace-commands.ts'

const newFolder = (): string => temporaryFolder('operator')

const rig = hostedRig()

describe('on a database', () => {
  const tokens = (...args: readonly string[]): Promise<WesRun> =>
    wesHere(['tokens', ...args, '--database-url', rig.url], { env: { SERVICE_TOKEN: 'wes_of_another' } })

  it('a token is made, with its workspace, and works', async () => {
    const made = await tokens('create', 'ci', '--workspace', 'Acme', '--role', 'read', '--expires', '90d')
    expect(made).toEqual({
      ...{ code: 0, out: expect.stringMatching(/^wes_\w{49}\n$/) as string },
      err: expect.stringMatching(/^Made workspace Acme \(wsp_\w{26}\)\.\n$/) as string,
    })
    const known = await rig.store.access.findToken(secretDigest(made.out.trim()))
    expect(known?.role).toBe('read')
    expect(known!.expiresAt! - Date.now()).toBeGreaterThan(89.9 * 86_400_000)
    const [workspace] = await rig.store.workspaces.find('Acme')
    expect(known?.workspaceId).toBe(workspace?.id)

    const again = await tokens('create', '--workspace', workspace!.id, '--json')
    expect(again.err).toBe('')
    expect(JSON.parse(again.out)).toMatchObject({ name: 'cli', role: 'write', secret: expect.any(String) as string })
    const named = await tokens('create', '--workspace', 'Acme')
    expect(named.err).toBe(`For the existing workspace Acme (${workspace!.id}).\n`)
    expect(await rig.store.workspaces.find('Acme')).toHaveLength(1)
  })

  it('tokens of one workspace are listed and revoked, as through the API', async () => {
    const { id } = JSON.parse((await tokens('create', 'one', '--workspace', 'B', '--json')).out) as { id: string }
    await tokens('create', 'other', '--workspace', 'C')
    const { code, out, err } = await tokens('list', '--workspace', 'B')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(new RegExp(`^ID +NAME +ROLE +CREATED +LAST USED +EXPIRES\n${id}  one +write .* never\n$`))
    const listed = JSON.parse((await tokens('--workspace', 'B', '--json')).out) as { items: unknown; nextCursor: null }
    expect(listed).toMatchObject({ items: [{ id, name: 'one' }], nextCursor: null })

    const elsewhere = await tokens('revoke', id, '--workspace', 'C')
    expect(elsewhere).toEqual({ code: 1, out: '', err: `wes: There is no token "${id}". (token_not_found)\n` })
    expect((await tokens('revoke', id, '--workspace', 'B')).out).toBe(`revoked ${id}\n`)
    expect(JSON.parse((await tokens('list', '--workspace', 'B', '--json')).out)).toMatchObject({ items: [] })
  })

  it('workspaces are listed by name, page by page, with what they have', async () => {
    const workspaces = (...args: readonly string[]) => wesHere(['workspaces', ...args, '--database-url', rig.url])
    await tokens('create', '--workspace', 'Typoo')
    await tokens('create', '--workspace', 'Typo')
    const { workspaceId, store, start, accept } = await rig.newWorkspace()
    await store.tenant.rename('Typical')
    await start()
    await accept.requestCancel((await start()).key)
    const { code, out, err } = await workspaces('list', '--all', '--limit', '2')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const names = out.split('\n').map((line) => line.split('  ')[0])
    expect(names.filter((name) => name?.startsWith('Typ'))).toEqual(['Typical', 'Typo', 'Typoo'])
    expect(out).toMatch(/^NAME +ID +CREATED +LIVE +EXECUTIONS +STORED +LAST USED\n/)
    expect(out).toMatch(new RegExp(`^Typical +${workspaceId} +\\S+ +1 +2 +\\d+ B +never$`, 'm'))
    const { items } = JSON.parse((await workspaces('--json', '--all')).out) as { items: { id: string }[] }
    expect(items.find(({ id }) => id === workspaceId)).toEqual({
      ...{ id: workspaceId, name: 'Typical', createdAt: expect.any(String) as string },
      ...{ liveExecutions: 1, executions: 2, storedBytes: expect.any(Number) as number },
    })
    const bad = await workspaces('--cursor', 'x')
    expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('(invalid_request)') as string })
  })

  it('a workspace is removed once that is confirmed, and its removal goes on unasked', async () => {
    const { workspaceId } = await rig.newWorkspace()
    await rig.store.forWorkspace(workspaceId).tenant.rename('Doomed')
    const removing = (flags: readonly string[], env = {}) =>
      wesHere(['workspaces', 'remove', 'Doomed', ...flags, '--database-url', rig.url], { env })
    for (const flags of [[], ['--json']]) {
      expect(await removing(flags)).toMatchObject({ code: 2, err: expect.stringContaining('pass --yes') as string })
    }
    const ask = (typed: string) => {
      const said: string[] = []
      const stdin = Object.assign(Readable.from([typed]), { isTTY: true })
      const terminal = { out: () => Promise.resolve(), err: (text: string) => void said.push(text), hints: true }
      const shown = { columns: 80, errColumns: 80, outColour: false, errColour: false, ...terminal }
      const asked = removeWorkspace({ databaseUrl: rig.url }, 'Doomed', {}, shown, stdin)
      return asked.then(
        () => said.join(''),
        (error: unknown) => `${said.join('')}${(error as Error).message}`,
      )
    }
    const refused = await ask('doomed\n')
    expect(refused).toContain('Executions  0\nTriggers    0\ntokens      0\nstored      0 B\n')
    expect(refused).toContain('Type Doomed to confirm: this is not Doomed: nothing was removed')
    expect(await ask('')).toContain('nothing was removed')
    expect(await rig.store.workspaces.get(workspaceId)).toBeDefined()

    await rig.store.workspaceRemoval.begin(workspaceId)
    await rig.sql('UPDATE workspaces SET removed_at = removed_at - 10000 WHERE id = $1', [workspaceId])
    expect((await tokens('create', '--workspace', 'Doomed')).err).toMatch(/is being removed \(workspace_removed\)\n/)
    await rig.sql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'it stops' USING ERRCODE = '57P01'; END $$`)
    await rig.sql('CREATE TRIGGER refuse BEFORE DELETE ON projects EXECUTE FUNCTION refuse()')
    expect(await ask('')).toMatch(/Not all of it is removed yet: run the same command again\.\nPostgreSQL was stopped/)
    await rig.sql('DROP FUNCTION refuse CASCADE')
    expect(await ask('')).toMatch(
      /^The removal of workspace Doomed \(wsp_\w+\) was begun before, and is finished now\.\nRemoving it/,
    )
    expect(await removing(['--yes'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no workspace Doomed') as string,
    })
  })

  it('WES_DATABASE_URL names the database where a workspace is given', async () => {
    const { out } = await wesHere(['tokens', 'create', '--workspace', 'D'], { env: { WES_DATABASE_URL: rig.url } })
    expect(await rig.store.access.findToken(secretDigest(out.trim()))).toBeDefined()
  })

  it('an unknown workspace and an empty name are refused', async () => {
    const unknown = await tokens('list', '--workspace', 'nobody')
    expect(unknown.err).toMatch(
      /^wes: there is no workspace nobody \(workspace_not_found\)\n`wes workspaces` lists.*; `wes tokens create/,
    )
    const unknownId = await tokens('create', '--workspace', `wsp_${'0'.repeat(26)}`)
    expect(unknownId.err).toContain('(workspace_not_found)')
    const blank = await tokens('create', ' ', '--workspace', 'E', '--json')
    expect(blank.code).toBe(1)
    expect(JSON.parse(blank.out)).toEqual({ error: { code: 'invalid_request', message: 'name must not be blank' } })
    expect(await rig.store.workspaces.find('E')).toEqual([])
  })

  it('an error says what to do about a database without our schema, and about none at all', async () => {
    const bare = await startPostgresForTests()
    const empty = await wesHere(['tokens', 'list', '--database-url', bare.ownerUrl])
    expect(empty).toMatchObject({ code: 1, err: expect.stringContaining('run `wes migrate`') as string })
    const none = await wesHere(['tokens', 'list', '--database-url', 'postgres://nobody:secret@127.0.0.1:1/x'])
    expect(none.err).toMatch(/^wes: PostgreSQL cannot be reached .*\(unavailable\)\nCheck the address/)
    expect(none.err).not.toContain('secret')
  })

  it('all secrets are sealed anew under the first key', async () => {
    const [old, next] = [newSecretKeyText('old'), newSecretKeyText('new')]
    const { workspaceId, projectId } = await rig.newWorkspace()
    const { environment } = rig.store.forWorkspace(workspaceId).tenant
    const sealed = readSecretKeys(old).seal('hunter2', valueContext(projectId, 'NAME'))
    await environment.change(projectId, { set: [{ name: 'NAME', sealed }], remove: [], most: 10, mostBytes: 1_000 })
    const rotate = (keys: string, ...args: readonly string[]) =>
      wesHere(['env', 'rotate', ...args], { env: { WES_SECRET_KEY: keys, WES_DATABASE_URL: rig.url } })

    const unknown = await rotate(next)
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('sealed with key old') as string })
    expect(unknown.err).toContain('the new key first and the old ones after it')
    expect((await rotate(`${next},${old}`)).out).toBe('sealed 1 secret anew; all have key new\n')
    expect((await rotate(`${next},${old}`, '--json')).out).toBe('{"sealed":0,"keyId":"new"}\n')
    const [value] = await environment.values(projectId)
    expect(readSecretKeys(next).open(value!.sealed, valueContext(projectId, 'NAME'))).toBe('hunter2')

    // One whose key is lost keeps no other one from the new key.
    const third = newSecretKeyText('third')
    const lost = readSecretKeys(newSecretKeyText('lost')).seal('gone', valueContext(projectId, 'A_LOST_ONE'))
    await environment.change(projectId, {
      set: [{ name: 'A_LOST_ONE', sealed: lost }],
      remove: [],
      most: 10,
      mostBytes: 1_000,
    })
    const partly = await rotate(`${third},${next}`)
    expect(partly.code).toBe(1)
    expect(partly.err).toContain('Sealed 1 secret anew, but not 1 secret that WES_SECRET_KEY does not open')
    expect(partly.err).toContain(
      `: A_LOST_ONE of ${projectId} in ${workspaceId} (sealed with key lost). (secret_key)\n`,
    )
    await environment.change(projectId, { set: [], remove: ['A_LOST_ONE'], most: 10, mostBytes: 1_000 })
    expect((await rotate(third)).out).toBe('sealed 0 secrets anew; all have key third\n')
    await environment.change(projectId, { set: [], remove: ['NAME'], most: 10, mostBytes: 1_000 })
  })

  it('however many secrets do not open, each is read twice', async () => {
    const { workspaceId, projectId } = await rig.newWorkspace()
    const { environment } = rig.store.forWorkspace(workspaceId).tenant
    const lost = readSecretKeys(newSecretKeyText('lost'))
    const names = Array.from({ length: 250 }, (_, index) => `NAME_${index}`)
    const set = names.map((name) => ({ name, sealed: lost.seal('gone', valueContext(projectId, name)) }))
    await environment.change(projectId, { set, remove: [], most: set.length, mostBytes: 1_000 })
    const read = new Map<string, number>()
    const counted: SecretStore = {
      ...rig.store.secrets,
      sealedByOthers: async (...asked) => {
        const rows = await rig.store.secrets.sealedByOthers(...asked)
        for (const { sealed } of rows) read.set(sealed, (read.get(sealed) ?? 0) + 1)
        return rows
      },
    }
    await expect(rotateSecrets(counted, readSecretKeys(newSecretKeyText('new')))).rejects.toThrow('not 250 secrets')
    expect([...read]).toEqual(expect.arrayContaining(set.map(({ sealed }) => [sealed, 2])))
    await environment.change(projectId, { set: [], remove: names, most: 0, mostBytes: 1_000 })
  })

  it('two that seal under other keys at once both end', async () => {
    const [one, other] = [newSecretKeyText('one'), newSecretKeyText('other')]
    const { workspaceId, projectId } = await rig.newWorkspace()
    const { environment } = rig.store.forWorkspace(workspaceId).tenant
    const seal = () => readSecretKeys(other).seal('hunter2', valueContext(projectId, 'NAME'))
    await environment.change(projectId, {
      set: [{ name: 'NAME', sealed: seal() }],
      remove: [],
      most: 10,
      mostBytes: 1_000,
    })
    const { secrets } = rig.store
    const contested = {
      ...secrets,
      replaceSealed: async (row: SealedRow, sealed: string) => {
        await secrets.replaceSealed(row, sealed)
        await environment.change(projectId, {
          set: [{ name: 'NAME', sealed: seal() }],
          remove: [],
          most: 10,
          mostBytes: 1_000,
        })
      },
    }
    await expect(rotateSecrets(contested, readSecretKeys(`${one},${other}`))).rejects.toThrow(
      `Sealed 1 secret anew, but not 1 secret that WES_SECRET_KEY does not open, or that another process has sealed with another key meanwhile: NAME of ${projectId}`,
    )
    await environment.change(projectId, { set: [], remove: ['NAME'], most: 10, mostBytes: 1_000 })
  })
})

describe('in the folder of a service', () => {
  const list = async (folder: string): Promise<readonly string[]> => {
    const { out, err } = await wes(['tokens', 'list', '--data-dir', folder, '--json'])
    if (err !== '') throw new Error(err)
    return (JSON.parse(out) as { items: { name: string }[] }).items.map(({ name }) => name)
  }

  it('its PostgreSQL is used where it runs, and started where it does not', async () => {
    const folder = newFolder()
    const owned = openServeFolder(folder)
    const { postgres: port } = await choosePorts(folder)
    const postgres = await startEmbeddedPostgres({ folder: join(folder, 'postgres'), port })
    onTestFinished(postgres.stop)
    onTestFinished(owned.release)
    writeOwner(folder, 'http://localhost:8080')
    await migrateDatabase({ ownerUrl: postgres.ownerUrl })
    expect((await wes(['tokens', 'create', 'first', '--data-dir', folder])).out).toMatch(/^wes_/)
    expect(await list(folder)).toEqual(['first'])

    await postgres.stop()
    owned.release()
    expect((await wes(['tokens', 'create', 'second', '--data-dir', folder])).out).toMatch(/^wes_/)
    // Both at once: one waits for the other.
    expect(await Promise.all([list(folder), list(folder)])).toEqual(Array(2).fill(['second', 'first']))
    expect(existsSync(join(folder, 'postgres', 'data', 'postmaster.pid'))).toBe(false)
    openServeFolder(folder).release()

    writeFileSync(join(folder, 'secret-key'), `${newSecretKeyText('local')}\n`)
    const rotated = await wes(['env', 'rotate', '--data-dir', folder])
    expect(rotated).toEqual({ code: 0, out: 'sealed 0 secrets anew; all have key local\n', err: '' })
  })

  it('a folder without data is left as it is', async () => {
    const folder = newFolder()
    const { code, err } = await wes(['tokens', 'list', '--data-dir', folder])
    expect(code).toBe(1)
    expect(err).toBe(
      `wes: ${folder} does not hold the data of a service (no_service_data)\n\`wes serve --data-dir DIR\` makes one.\n`,
    )
    expect(readdirSync(folder)).toEqual([])
    expect((await wes(['env', 'rotate', '--data-dir', folder])).err).toContain(
      'WES_SECRET_KEY is not set, and there is no',
    )
  })
})

describe('a usage error', () => {
  it.each<[string, readonly string[], string]>([
    ['both places', ['tokens', '--data-dir', 'a', '--database-url', 'postgres://b'], 'not both'],
    ['a place and an API', ['tokens', '--data-dir', 'a', '--token', 'wes_x'], '--url and --token are for the API'],
    ['a password with a bare %', ['tokens', '--database-url', 'postgres://user:hunter2%off@a/x'], '%25 for %'],
    ['several hosts', ['tokens', '--database-url', 'postgres://u:p,w@a:1,b:2/x'], 'several hosts'],
    [
      'options of connections',
      ['tokens', '--database-url', 'postgres://u:p,w@a/x?options=-c%20jit=on'],
      'must not have',
    ],
    ['a schema', ['tokens', '--database-url', 'postgres://a/x?schema=app'], 'in the schema wes'],
    [
      'another database than is migrated',
      ['migrate', '--database-url', 'postgres://u:p@a/wes', '--migration-url', 'postgres://owner:p@b'],
      'names the database wes, and --migration-url the database owner',
    ],
    ['another kind of URL', ['tokens', '--database-url', 'http://user:hunter2@a'], '--database-url is not a URL'],
    ['no service to rotate', ['env', 'rotate'], 'or set WES_DATABASE_URL'],
  ])('%s', async (_what, args, reason) => {
    const { code, out, err } = await wesHere(args)
    expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringContaining(reason) as string })
    expect(err).not.toContain('hunter2')
  })
})
