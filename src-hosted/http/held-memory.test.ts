// What callers can make an API process keep while their answers are held.

import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { hostedHttpRig, type Tenant } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const INPUT = 'x'.repeat(1_000_000)
/** As many of these as one workspace may have held. */
const MOST_HELD = Math.floor((32 * 1024 ** 2) / INPUT.length)

/** Starts what never ends here. Its answer may be held for a minute. */
const startHeld = async ({ secrets }: Tenant, input: unknown): Promise<string> => {
  const { port, host } = new URL(rig.origin)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({ programId: 'hello', input })
  socket.write(
    `POST /v1/executions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${secrets.write}\r\nprefer: wait=60\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  return String(await once(socket, 'data'))
}

it('answers a start at once if too many large inputs wait for their Executions, and lets small ones wait', async () => {
  const shop = await rig.newTenant()
  await shop.deploy('hello')
  const small = startHeld(shop, 1)
  const answers = Array.from({ length: MOST_HELD + 1 }, () => startHeld(shop, INPUT))
  const isSmall = small.then(() => 'small')
  const answer = await Promise.race([isSmall, ...answers])
  expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  expect(answer).not.toMatch(/preference-applied/i)
})
