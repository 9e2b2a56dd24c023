import type { FastifyReply, FastifyRequest } from 'fastify'
import { EventEmitter } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { STREAM_SILENCE_LIMIT_MS } from '../contract/limits.ts'
import type { EventSink } from '../contract/operations.ts'
import { sendStream } from './send-stream.ts'

it('disconnects a reader that reads nothing for long, and none that has read meanwhile', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const destroy = vi.fn()
  const response = Object.assign(new EventEmitter(), {
    ...{ req: { socket: {} }, setHeader: () => {}, writeHead: () => {}, write: () => false, destroy },
  })
  const reply = { raw: response, hijack: () => {}, getHeaders: () => ({}) }
  let sink: EventSink | undefined
  const stream = (own: EventSink) => {
    sink = own
    return () => {}
  }
  sendStream({ method: 'GET' } as FastifyRequest, reply as unknown as FastifyReply, stream, () => () => {})
  sink!.write('one')
  vi.advanceTimersByTime(STREAM_SILENCE_LIMIT_MS - 1)
  response.emit('drain')
  sink!.write('two')
  vi.advanceTimersByTime(STREAM_SILENCE_LIMIT_MS - 1)
  expect(destroy).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(destroy).toHaveBeenCalledTimes(1)
})
