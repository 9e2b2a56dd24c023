// The token that the first API process prints, when that process is killed before it could.

import { once } from 'node:events'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import { newSecretKeyText } from '#hosted/environment/secret-keys.ts'
import { openSession, type Session } from '#hosted/store/database.ts'
import { until } from '#runtime/behaviour/talk.test-support.ts'
import { startWes } from '../../src-cli/wes.test-support.ts'
import { migrate, startServe, urlAs, type Environment, type ServeProcess } from './role-process.test-support.ts'

const API = ['--role', 'api', '--port', '0']

let env: Environment
let sql: Session
beforeAll(async () => {
  const { ownerUrl } = await startPostgresForTests()
  env = {
    WES_MIGRATION_URL: ownerUrl,
    WES_DATABASE_URL: urlAs(ownerUrl, 'wes_server'),
    // The test starts no Execution, so it needs no worker.
    WES_RESTATE_URL: 'http://127.0.0.1:9',
    WES_RESTATE_ADMIN_URL: 'http://127.0.0.1:9',
    WES_SECRET_KEY: newSecretKeyText('k1'),
  }
  expect((await migrate(env)).code).toBe(0)
  sql = await openSession(ownerUrl, {})
})
afterAll(() => sql.close())

const startApi = async (): Promise<ServeProcess> => {
  const api = await startServe(API, env)
  onTestFinished(() => void api.end('SIGKILL'))
  return api
}

const whoami = async (api: ServeProcess, token = ''): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${api.printed.get('ready')}/v1/whoami`, { headers })).status
}

/** While `is` is set, commits are durable but never answered: PostgreSQL waits for a standby that does not exist. */
const holdCommits = async (is: boolean): Promise<void> => {
  await sql.run(`ALTER ROLE wes_server SET synchronous_commit = ${is ? 'on' : 'off'}`)
  await sql.run(`ALTER SYSTEM SET synchronous_standby_names = '${is ? 'nobody' : ''}'`)
  await sql.run('SELECT pg_reload_conf()')
}

it('is printed by the next process after a kill -9 between its issue and its line, until it is used', async () => {
  await holdCommits(true)
  const killed = startWes(['serve', ...API], { env })
  await until(async () => {
    const waiting = await sql.run(`SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
    return waiting.length > 0 ? true : undefined
  })
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  await holdCommits(false)
  await until(async () => ((await sql.run('SELECT FROM wes.tokens')).length === 1 ? true : undefined))

  const [one, other] = await Promise.all([startApi(), startApi()])
  const token = await until(async () => one.printed.get('token'))
  expect(await until(async () => other.printed.get('token'))).toBe(token)
  expect(await whoami(one, token)).toBe(200)

  await until(async () =>
    (await sql.run('SELECT FROM wes.tokens WHERE sealed IS NULL')).length > 0 ? true : undefined,
  )
  const later = await startApi()
  expect(await whoami(later, token)).toBe(200)
  expect([...later.printed.keys()]).toEqual(['ready'])
})
