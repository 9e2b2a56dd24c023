import { expect, it } from 'vitest'
import { withoutRuntime } from './without-runtime.ts'

const since = '2026-11-20T18:00:00.000Z'

it('offers to start a stopped runtime, and to try again only where the app does nothing by itself', () => {
  expect(withoutRuntime({ kind: 'stopped' })).toMatchObject({ title: 'The runtime is stopped', offers: 'start' })
  const others = [
    withoutRuntime({ kind: 'starting', since }),
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
    ['The runtime is stopping', undefined],
    ['The runtime failed', undefined],
    ['The runtime cannot start', undefined],
    ['The runtime does not answer', 'retry'],
    ['The runtime does not answer', 'retry'],
  ])
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
