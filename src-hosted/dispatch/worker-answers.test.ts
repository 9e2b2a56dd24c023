import { createServer as createHttp2Server } from 'node:http2'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { listening } from './listening.test-support.ts'
import { askWorker } from './worker-answers.ts'

const LONG_MS = 60_000

const listen = async (server: Parameters<typeof listening>[0]): Promise<string> => `${await listening(server)}/v2`

it('waits longer for a worker that is there, because it may only be busy', async () => {
  const connectMs = 500
  const url = await listen(createHttp2Server((_request, response) => setTimeout(() => response.end(), 2 * connectMs)))
  expect(await askWorker(url, { connectMs, answerMs: LONG_MS })).toBe('answer')
})

it('tells a process that does not answer from none', async () => {
  const frozen = await listen(createServer(() => {}))
  expect(await askWorker(frozen, { connectMs: LONG_MS, answerMs: 20 })).toBe('late')
  expect(await askWorker('http://127.0.0.1:9/v2', { connectMs: LONG_MS, answerMs: LONG_MS })).toBe('nobody')
  const other = await listen(createHttp2Server((_request, response) => response.writeHead(503).end()))
  expect(await askWorker(other, { connectMs: LONG_MS, answerMs: LONG_MS })).toBe('nobody')
})

it('does not wait for an answer on a connection that was closed, nor after an abort', async () => {
  const closing = await listen(createServer((socket) => void socket.on('error', () => {}).end()))
  expect(await askWorker(closing, { connectMs: LONG_MS, answerMs: LONG_MS })).toBe('nobody')
  const frozen = await listen(createServer(() => {}))
  expect(await askWorker(frozen, { connectMs: LONG_MS, answerMs: LONG_MS }, AbortSignal.abort())).toBe('nobody')
})
