// A short form of `npm run test:random`.

import { expect, it } from 'vitest'
import { runHosted, runLocally } from './homes.ts'

it.for([
  ['local runtime', runLocally],
  ['hosted service', runHosted],
] as const)('in the %s, random work comes to the same whenever its process is killed', async ([, run]) => {
  const { faults } = await run({ seed: 1, executions: 60, largest: 20 })
  expect(faults).toBeGreaterThan(0)
})
