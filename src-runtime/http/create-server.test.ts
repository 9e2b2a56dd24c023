import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpServer } from './create-server.ts'

/** What comes over a new connection that sends this, until it ends. */
const answerTo = async (sent: string): Promise<string> => {
  const server = createHttpServer((_request, response) => response.end())
  server.headersTimeout = 100
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(sent)
  let got = ''
  socket.setEncoding('utf8').on('data', (text: string) => (got += text))
  await once(socket, 'close')
  return got
}

test.concurrent('a connection that was opened ahead closes without an answer, so that a browser repeats what it just sent', async () => {
  expect(await answerTo('')).toBe('')
})

test.concurrent('a head that never ends is answered', async () => {
  expect(await answerTo('GET / HTTP/1.1\r\nhost: ')).toContain('The request did not arrive in time.')
})
