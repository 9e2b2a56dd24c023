import { expect, it, onTestFinished } from 'vitest'
import { createHttpRig } from './http-rig.test-support.ts'
import { rawRequest } from './raw-request.test-support.ts'

it('are made one in each round of the event loop, so that others are served in between', async () => {
  const rounds: number[] = []
  let round = 0
  const rig = await createHttpRig({
    store: (real) => ({
      ...real,
      overview: {
        ...real.overview,
        list: (filter) => {
          rounds.push(round)
          return real.overview.list(filter)
        },
      },
    }),
  })
  onTestFinished(rig.close)
  let next = setImmediate(function count() {
    round += 1
    next = setImmediate(count)
  })
  onTestFinished(() => clearImmediate(next))
  const request = (rest: string) => `GET /v1/executions HTTP/1.1\r\nhost: localhost:${rig.port}\r\n${rest}\r\n`
  await rawRequest(rig.port, `${request('').repeat(5)}${request('connection: close\r\n')}`)
  expect(rounds).toHaveLength(6)
  expect(new Set(rounds).size).toBe(6)
})
