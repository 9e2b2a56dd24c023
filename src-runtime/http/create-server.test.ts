import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test, type TestContext } from 'vitest'
import { createHttpServer } from './create-server.ts'

/** What comes over a new connection that sends this, until it ends. */
const answerTo = async ({ onTestFinished }: TestContext, sent: string): Promise<string> => {
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

test.concurrent('a connection that was opened ahead closes without an answer, so that a browser repeats what it just sent', async (context) => {
  const answer = await answerTo(context, '')
  expect(answer).toBe('')
})

test.concurrent('a head that never ends is answered', async (context) => {
  const answer = await answerTo(context, 'GET / HTTP/1.1\r\nhost: ')
  expect(answer).toContain('The request did not arrive in time.')
})
