import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
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

it('lets the answer that is sent next wait for none behind it', async () => {
  const { take, occupy } = createAnswerMemory()
  const MIB = 1024 ** 2
  const asked = Promise.withResolvers<readonly ServerResponse[]>()
  const responses: ServerResponse[] = []
  const server = createServer((_request, response) => {
    if (responses.push(response) === 4) asked.resolve(responses)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const caller = connect((server.address() as AddressInfo).port, '127.0.0.1').resume()
  onTestFinished(() => void caller.destroy())
  caller.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(4))
  const [first, second, third, last] = (await asked.promise) as [ServerResponse, ...ServerResponse[]]
  const read = (response: ServerResponse) =>
    take(undefined, { bytes: MIB, isRead: true }, new AbortController().signal, response)
  const onThird = vi.fn<() => void>()
  await Promise.all([read(first), read(second!)])
  const waiting = read(third!).then(onThird)
  occupy(undefined, 3 * MIB, last!)
  first.end()
  await once(second!, 'socket')
  expect(onThird).not.toHaveBeenCalled()
  second!.end()
  await waiting
})
