// `npm run test:random -- --seed 7 --executions 1000`, `--hosted` for the hosted service: random work under kills.
// Exits with 1 and prints what is wrong.

import { parseArgs } from 'node:util'
import { runLocally, runHosted } from './homes.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
    executions: { type: 'string', default: '500' },
    largest: { type: 'string', default: '30' },
    hosted: { type: 'boolean', default: false },
  },
})
const [seed, executions, largest] = [values.seed, values.executions, values.largest].map((text) => {
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${text} is not a whole number up to 999999`)
  return Number(text)
}) as [number, number, number]
console.log(`seed ${seed}`)
try {
  const { kills, cancelled, restMs } = await (values.hosted ? runHosted : runLocally)({ seed, executions, largest })
  console.log(
    `${executions} Executions, ${kills} kills, ${cancelled} cancelled: all ended as they must, ` +
      `${(restMs / 1_000).toFixed(1)} s after the last call at the latest`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
