import { expect, it } from 'vitest'
import type { FromHost } from '../../../src-runtime/effects/messages.ts'
import { joinLogs } from './join-logs.ts'

const log = (id: number, ...messages: readonly string[]): FromHost => ({
  ...{ kind: 'log', id },
  lines: messages.map((message) => ({ level: 'info', message })),
})
const end = (id: number): FromHost => ({ kind: 'completed', id, data: '{}' })
const beat: FromHost = { kind: 'beat', left: 0, heard: 0 }

it('makes one message of what an attempt logs, before its outcome', () => {
  expect(joinLogs([log(1, 'a'), log(2, 'x'), beat, log(1, 'b'), end(1), log(2, 'y'), end(2)])).toEqual([
    ...[log(1, 'a', 'b'), log(2, 'x', 'y'), beat],
    ...[end(1), end(2)],
  ])
})

it('leaves behind an outcome what came behind it, and changes no message', () => {
  const batch = [log(1, 'a'), end(1), log(1, 'late'), log(1, 'later')]
  expect(joinLogs(batch)).toEqual([log(1, 'a'), end(1), log(1, 'late', 'later')])
  expect(batch[2]).toEqual(log(1, 'late'))
})
