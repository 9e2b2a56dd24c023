import pino from 'pino'
import { expect, it } from 'vitest'
import { limitsWith } from '#hosted/limits/limits.ts'
import type { HostedOptions, HostedRole } from '#hosted/shared/hosted-options.ts'
import { toStoreError } from '#hosted/store/postgres-errors.ts'
import { PortTakenError } from '#runtime/shared/runtime.ts'
import { CommandFailure } from '../failures.ts'
import { explainFailedServe } from './explain-failed-serve.ts'

const options = (role: HostedRole, metricsPort: number): HostedOptions => ({
  role,
  dataDir: '/nowhere',
  api: { host: 'localhost', port: 1_001, allowOrigins: [], trustProxy: false },
  hooks: { host: 'localhost', port: 1_002 },
  worker: { host: '127.0.0.1', port: 1_003, identityKeys: [] },
  effects: { allowEgress: '', unsafe: false, graceMs: 0 },
  metrics: { host: '127.0.0.1', port: metricsPort },
  limits: limitsWith({}),
  log: pino({ level: 'silent' }),
})

it.each([
  ['api', 1_001, '--port'],
  ['ingress', 1_002, '--hooks-port'],
  ['worker', 1_003, '--worker-port'],
  ['worker', 1_001, '--metrics-port'],
  ['api', 1_002, '--metrics-port'],
] as const)('a process of the role %s whose port %i is taken names the flag %s', async (role, port, flag) => {
  const metricsPort = flag === '--metrics-port' ? port : 1_004
  const failure = await explainFailedServe(new PortTakenError(port), options(role, metricsPort))
  expect(failure).toBeInstanceOf(CommandFailure)
  expect((failure as CommandFailure).hint).toBe(`Stop that process, or choose another port with ${flag}.`)
})

it('says what to do also where PostgreSQL is why something else failed', async () => {
  const cause = new Error('PostgreSQL cannot be reached (it does not answer)')
  const failure = await explainFailedServe(new Error('it failed', { cause }), options('worker', 1_004))
  expect(failure).toMatchObject({
    message: `the service could not start: it failed: ${cause.message}`,
    hint: 'Check the address, and that PostgreSQL runs.',
  })
})

it('says why no address of a name can be connected to', async () => {
  const refusals = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:5432`))
  // As Node makes it.
  const none = Object.assign(new AggregateError(refusals, 'none'), { message: '' })
  const cause = toStoreError(none)
  const why = 'PostgreSQL cannot be reached (connect ECONNREFUSED ::1:5432, connect ECONNREFUSED 127.0.0.1:5432)'
  expect(await explainFailedServe(cause, options('api', 1_004))).toMatchObject({
    message: `the service could not start: ${why}`,
  })
  const fetched = new TypeError('fetch failed', { cause: none })
  expect(await explainFailedServe(fetched, options('worker', 1_004))).toMatchObject({
    message: `the service could not start: fetch failed: ${refusals.map(({ message }) => message).join(', ')}`,
  })
})

it('says which disk is full, and what to do', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(await explainFailedServe(full, options('all', 1_004))).toMatchObject({
    message: 'the service could not start: the disk that holds the data directory /nowhere is full. Make room on it',
  })
})
