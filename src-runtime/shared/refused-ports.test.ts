import { expect, it } from 'vitest'
import { isRefusedPort } from './refused-ports.ts'

const LOW = Array.from({ length: 1_100 }, (_, index) => index + 1)
const HIGH = [1_718, 1_719, 1_720, 1_721, 1_722, 1_723, 2_049, 3_477, 3_659, 4_045, 4_190, 5_060, 5_061, 6_000, 6_566]
const HIGHER = [...Array.from({ length: 40 }, (_, index) => index + 6_660), 8_080, 8_081, 9_080, 10_080]

it('are those that fetch refuses', async () => {
  /** Of Node's fetch: sends nothing. */
  const dispatcher = {
    dispatch: () => {
      throw new Error('not refused')
    },
  }
  const ports = [...LOW, ...HIGH, ...HIGHER]
  const refused: number[] = []
  for (const port of ports) {
    const request = Object.assign({}, { dispatcher }) as object
    const error: unknown = await fetch(`http://127.0.0.1:${port}`, request).catch((thrown: unknown) => thrown)
    if (error instanceof Error && (error.cause as Error | undefined)?.message === 'bad port') refused.push(port)
  }
  expect(refused).toEqual(ports.filter(isRefusedPort))
})
