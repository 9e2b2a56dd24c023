import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PortTakenError } from '../../src-runtime/shared/runtime.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { startMetrics } from './start-metrics.ts'

const start = async (port = 0) => {
  const started = await startMetrics({ host: '127.0.0.1', port, version: '1.2.3', role: 'worker' })
  onTestFinished(() => started.stop())
  const read = async (path: string): Promise<readonly [number, string]> => {
    const answer = await fetch(`http://127.0.0.1:${started.port}${path}`)
    return [answer.status, await answer.text()]
  }
  return { ...started, read }
}

it('is alive from the start, and ready once its parts are, until it stops', async () => {
  const { read, ready, notReady } = await start()
  expect(await read('/healthz')).toEqual([200, 'ok\n'])
  expect(await read('/ready')).toEqual([503, 'not ready\n'])
  ready({ connections: () => [] })
  expect(await read('/ready?verbose')).toEqual([200, 'ready\n'])
  notReady()
  expect(await read('/ready')).toEqual([503, 'not ready\n'])
  expect((await read('/elsewhere'))[0]).toBe(404)
})

it('has the metrics that the operator’s page explains, and no others', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const [, explained = ''] = /\n\| metric \|(.*?)\n\n/s.exec(page) ?? []
  const [, text] = await (await start()).read('/metrics')
  const namesIn = (said: string, pattern: RegExp) => [...said.matchAll(pattern)].map(([, name]) => name).toSorted()
  expect(namesIn(text, /^# TYPE (wes_\w+)/gm)).toEqual(namesIn(explained, /`(wes_\w+)/g))
})

it('does not say that nothing is late where nobody looks', async () => {
  const { read, ready } = await start()
  const late = /^wes_(?:schedule_)?overdue_seconds .*/gm
  expect((await read('/metrics'))[1].match(late)).toBeNull()
  ready({ connections: () => [] })
  expect((await read('/metrics'))[1].match(late)).toBeNull()
  ready({ connections: () => [], overdueSeconds: async () => 0, scheduleOverdueSeconds: async () => 0 })
  const expected = ['wes_overdue_seconds 0', 'wes_schedule_overdue_seconds 0']
  expect((await read('/metrics'))[1].match(late)).toEqual(expected)
})

it('answers metrics while the database does not, and says so by a missing value', async () => {
  const { read, ready, metrics } = await start()
  metrics.attempted('failed', 0.3)
  metrics.getsWork(false)
  const connections = () => [{ pool: 'app', open: 3, idle: 1, waiting: 7, answered: 9 }]
  const away = () => Promise.reject(new Error('the database is away'))
  ready({ connections, overdueSeconds: away, scheduleOverdueSeconds: async () => 3.5 })
  const [status, text] = await read('/metrics')
  expect(status).toBe(200)
  expect(text).toContain('wes_build_info{version="1.2.3",role="worker"} 1\n')
  expect(text).toContain('wes_overdue_seconds NaN\n')
  expect(text).toContain('wes_schedule_overdue_seconds 3.5\n')
  expect(text).toContain('wes_worker_gets_work 0\n')
  expect(text).toContain('wes_database_connections{pool="app",state="busy"} 2\n')
  expect(text).toContain('wes_database_waiting{pool="app"} 7\n')
  expect(text).toContain('wes_effect_attempt_seconds_bucket{le="0.5",outcome="failed"} 1\n')
})

it('answers metrics in time while the database is silent', async () => {
  const { read, ready } = await start()
  ready({ connections: () => [], overdueSeconds: () => new Promise(() => undefined) })
  const [, text] = (await within(4_000, read('/metrics'))) ?? []
  expect(text).toContain('wes_overdue_seconds NaN\n')
})

it('says that its port is taken', async () => {
  const { port } = await start()
  await expect(start(port)).rejects.toBeInstanceOf(PortTakenError)
})
