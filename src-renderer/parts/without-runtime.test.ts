import { expect, it } from 'vitest'
import { withoutRuntime } from './without-runtime.ts'

const since = '2026-11-20T18:00:00.000Z'

it('offers only to start a stopped runtime', () => {
  expect(withoutRuntime({ kind: 'stopped' })).toMatchObject({ title: 'The runtime is stopped', offersStart: true })
  const others = [
    withoutRuntime({ kind: 'starting', since }),
    withoutRuntime({ kind: 'stopping', since }),
    withoutRuntime({ kind: 'crashed', message: 'gone', logLines: [], restartsAt: null }),
    withoutRuntime({
      kind: 'foreign',
      port: 3477,
      holder: null,
      isReserved: false,
      suggestedPort: 3478,
      environmentLine: '',
    }),
    withoutRuntime(null),
    withoutRuntime({ kind: 'ready', url: '', port: 3477, pid: 1, owned: true, projectFolder: null }),
  ]
  expect(others.map(({ title, offersStart }) => [title, offersStart])).toEqual([
    ['The runtime is starting', false],
    ['The runtime is stopping', false],
    ['The runtime failed', false],
    ['The runtime cannot start', false],
    ['The runtime does not answer', false],
    ['The runtime does not answer', false],
  ])
})

it('names the port that another process uses', () => {
  const { text } = withoutRuntime({
    kind: 'foreign',
    port: 4000,
    holder: null,
    isReserved: false,
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
