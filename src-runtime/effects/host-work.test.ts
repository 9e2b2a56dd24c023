import { expect, it, vi } from 'vitest'
import { createAttempt } from './attempt.ts'
import { createHostWork } from './host-work.ts'

it('reads the data of an attempt and lets it run when it begins, not while it waits for its bundle', () => {
  const data = vi.fn(() => '{"input":1}')
  const onRun = vi.fn()
  const attempt = createAttempt(
    {
      ...{ executionId: 'exe_1', programId: 'p', versionId: 'ver_1', name: 'act', attempt: 1, timeoutMs: 1_000 },
      ...{ idempotencyKey: 'exe_1/1', data, signal: new AbortController().signal, onLog: () => {}, onRun },
    },
    { digest: 'a', load: () => ({ code: '' }) } as never,
    () => {},
  )
  const work = createHostWork(() => 0)
  expect(work.add(attempt)).toMatchObject([{ kind: 'load' }])
  expect(data).not.toHaveBeenCalled()
  expect(onRun).not.toHaveBeenCalled()
  expect(work.endLoad('a', 'loaded')).toEqual([attempt])
  expect(work.begin(attempt)).toMatchObject({ kind: 'call', data: '{"input":1}' })
  expect(data).toHaveBeenCalledOnce()
  expect(onRun).toHaveBeenCalledOnce()
})
