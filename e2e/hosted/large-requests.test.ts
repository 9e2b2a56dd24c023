// Many large requests at once to an API process: what they take of its memory, and what their callers are answered.

import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import { startTestRestate } from '#hosted/boot/restate.test-support.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { newSecretKeyText } from '#hosted/environment/secret-keys.ts'
import { openSession } from '#hosted/store/database.ts'
import { talkTo, until } from '#runtime/behaviour/talk.test-support.ts'
import { migrate, startServe, urlAs } from './role-process.test-support.ts'

const AT_ONCE = 300
/** Several times the bodies that it reads at once: 270 MiB were measured, and 718 without a bound. */
const LIMIT_MIB = 450
const INPUT = 'x'.repeat(1_000_000)

/** What the process has used at most, in MiB. */
const peakMemory = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const startApi = async () => {
  const [postgres, node, [port]] = await Promise.all([startPostgresForTests(), startTestRestate(), freePorts([0])])
  onTestFinished(() => node.stop())
  const env = {
    WES_MIGRATION_URL: postgres.ownerUrl,
    WES_DATABASE_URL: urlAs(postgres.ownerUrl, 'wes_server'),
    WES_RESTATE_URL: node.ingressUrl,
    WES_RESTATE_ADMIN_URL: node.adminUrl,
    WES_SECRET_KEY: newSecretKeyText('k1'),
  }
  await migrate(env)
  const api = await startServe(['--role', 'api', '--host', '127.0.0.1', '--port', `${port}`], env)
  onTestFinished(async () => void (await api.end('SIGTERM')))
  const token = await until(async () => api.printed.get('token'))
  const [url, headers] = [`http://localhost:${port}`, { authorization: `Bearer ${token}` }]
  return { api, url, headers, databaseUrl: postgres.ownerUrl, talk: talkTo(() => ({ url, headers })) }
}

it.runIf(process.platform === 'linux')(
  'keep its memory bounded while the database is slow, and all may be sent again',
  async () => {
    const { api, url, headers, databaseUrl, talk } = await startApi()
    await talk.deploy('waits', { program: { code: '({ run: (ctx) => ctx.waitForEvent("go") })' } })
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
    onTestFinished(() => agent.destroy())
    const body = Buffer.from(JSON.stringify({ programId: 'waits', input: INPUT }))
    const start = () =>
      new Promise<{ status: number; retryAfter: string | undefined; text: string }>((resolve, reject) => {
        const sent = request(`${url}/v1/executions`, {
          agent,
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', 'content-length': body.length },
        })
        sent.once('error', reject)
        sent.once('response', (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (part: string) => (text += part))
          answer.once('end', () =>
            resolve({ status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], text }),
          )
        })
        sent.end(body)
      })
    for (let warm = 0; warm < 10; warm += 1) expect((await start()).status).toBe(201)
    // A database that is slow: everything that has come waits for it.
    const session = await openSession(databaseUrl, { search_path: 'wes' })
    await session.run('BEGIN')
    await session.run('LOCK TABLE executions')
    const before = peakMemory(api.pid)
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, start))
    const grown = peakMemory(api.pid) - before
    await session.run('COMMIT')
    await session.close()
    // A slow machine refuses bodies that have not arrived after 30 s.
    for (const { status, retryAfter } of answers) if (status !== 400) expect([status, retryAfter]).toEqual([503, '1'])
    expect(answers.some(({ status }) => status === 503)).toBe(true)
    expect(grown).toBeLessThan(LIMIT_MIB)
    expect((await start()).status).toBe(201)
  },
)
