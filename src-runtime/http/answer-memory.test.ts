import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAnswerMemory } from './answer-memory.ts'
import { createHttpRig } from './http-rig.test-support.ts'

it('reads little for a caller that does not read, disconnects it, and serves others meanwhile', async () => {
  const outcomes = vi.fn()
  const rig = await createHttpRig({
    room: createAnswerMemory(500),
    store: (real) => ({
      ...real,
      executions: {
        ...real.executions,
        findOutcome: (id) => {
          outcomes()
          return real.executions.findOutcome(id)
        },
      },
    }),
  })
  onTestFinished(rig.close)
  await rig.deploy('hello')
  const id = await rig.start('hello', { do: 'return', value: 'x'.repeat(900_000) })
  await rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=30' } })
  outcomes.mockClear()
  const closed = new Promise((resolve) => {
    rig.app.server.once('connection', (connection: Socket) => connection.once('close', resolve))
  })
  const silent = connect(rig.port, '127.0.0.1').pause()
  onTestFinished(() => void silent.destroy())
  silent.on('error', () => {})
  silent.write(`GET /v1/executions/${id}/result HTTP/1.1\r\nhost: localhost:${rig.port}\r\n\r\n`.repeat(200))
  await vi.waitFor(() => expect(outcomes).toHaveBeenCalled())
  expect((await rig.call('GET', `/v1/executions/${id}/result`)).json.status).toBe('completed')
  await closed
  await rig.call('GET', '/healthz')
  // Those that fit into the memory and the buffers of the system, and the one that was read.
  expect(outcomes.mock.calls.length).toBeLessThan(40)
})
