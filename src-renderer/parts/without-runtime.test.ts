import { expect, it } from 'vitest'
import type { RuntimeState } from '../desktop.ts'
import { upgradeProgress, whoIsMissing, withoutRuntime } from './without-runtime.ts'

const since = '2026-11-20T18:00:00.000Z'

it('offers to start a stopped runtime, and to try again only where the app does nothing by itself', () => {
  expect(withoutRuntime({ kind: 'stopped' })).toMatchObject({ title: 'The runtime is stopped', offers: 'start' })
  const others = [
    withoutRuntime({ kind: 'starting', since }),
    withoutRuntime({ kind: 'starting', since, upgrade: { kind: 'copying', percent: 40 } }),
    withoutRuntime({ kind: 'stopping', since }),
    withoutRuntime({ kind: 'crashed', message: 'gone', logLines: [], restartsAt: null }),
    withoutRuntime({
      kind: 'foreign',
      port: 3477,
      holder: null,
      isReserved: false,
      runtime: null,
      suggestedPort: 3478,
      environmentLine: '',
    }),
    withoutRuntime(null),
    withoutRuntime({ kind: 'ready', url: '', port: 3477, pid: 1, owned: true, projectFolder: null }),
  ]
  expect(others.map(({ title, offers }) => [title, offers])).toEqual([
    ['The runtime is starting', undefined],
    ['Your data is being upgraded', undefined],
    ['The runtime is stopping', undefined],
    ['The runtime failed', undefined],
    ['The runtime cannot start', undefined],
    ['The runtime does not answer', 'retry'],
    ['The runtime does not answer', 'retry'],
  ])
})

it('tells how far the copy of the data is, and then its upgrade', () => {
  const progress = (upgrade: Extract<RuntimeState, { kind: 'starting' }>['upgrade'] & {}) =>
    upgradeProgress({ kind: 'starting', since, upgrade })
  expect(progress({ kind: 'copying', percent: 40 })).toEqual({ text: 'Copying it first: 40%', value: 40, max: 100 })
  const text = 'Step 2 of 11'
  expect(progress({ kind: 'upgrading', step: 2, steps: 11 })).toEqual({ text, value: 1, max: 11 })
  expect(upgradeProgress({ kind: 'starting', since })).toBeUndefined()
})

it('names the port that another process uses', () => {
  const { text } = withoutRuntime({
    kind: 'foreign',
    port: 4000,
    holder: null,
    isReserved: false,
    runtime: null,
    suggestedPort: 1,
    environmentLine: '',
  })
  expect(text).toContain('port 4000')
})

it('calls Executions safe only if the runtime may come back by itself: their database may be damaged', () => {
  const textOf = (restartsAt: string | null) =>
    withoutRuntime({ kind: 'crashed', message: 'wes.sqlite is damaged', logLines: [], restartsAt }).text
  expect(textOf(since)).toContain('safe on disk')
  expect(textOf(null)).not.toContain('safe on disk')
})

it('says of a port whether a runtime, another program or the system keeps it', () => {
  const runtime = { version: '1.0.0', pid: 7, dataDirectory: null, projectFolder: null }
  const textOf = (isReserved: boolean, isRuntime: boolean) =>
    withoutRuntime({
      kind: 'foreign',
      port: 3477,
      holder: null,
      isReserved,
      runtime: isRuntime ? runtime : null,
      suggestedPort: 3478,
      environmentLine: '',
    }).text
  expect(textOf(true, false)).toContain('The system does not let you use port 3477.')
  expect(textOf(false, false)).toContain('Another program uses port 3477.')
  expect(textOf(false, true)).toContain('Another runtime uses port 3477.')
})

it('says who is missing: the local runtime, the service, or in a browser the runtime that forwards to it', () => {
  const address = 'https://wes.example.com'
  const titleOf = (...given: Parameters<typeof whoIsMissing>) => whoIsMissing(...given).title
  const [cut, refused] = [{ code: 'network_error' }, { code: 'overloaded' }] as const
  expect(titleOf({ kind: 'local', address: undefined }, cut, null)).toBe('The runtime does not answer')
  expect(titleOf({ kind: 'local', address: undefined }, cut, { kind: 'stopped' })).toBe('The runtime is stopped')
  expect(titleOf({ kind: 'hosted', address }, cut, null)).toBe('The runtime does not answer')
  expect(titleOf({ kind: 'hosted', address }, refused, null)).toBe('The service does not answer')
  expect(titleOf({ kind: 'hosted', address }, cut, { kind: 'stopped' })).toBe('The service does not answer')
  expect(titleOf({ kind: 'hosted', address: undefined }, cut, null)).toBe('The service does not answer')
})
