// `npm run test:random -- --seed 7 --executions 1000`: random work under kills in the local runtime; `--hosted`: in `wes serve`;
// `--processes`: in a hosted service of separate processes, of which some are stopped or replaced instead.
// Exits with 1 and prints what is wrong.

import { parseArgs } from 'node:util'
import { runHosted, runInProcesses, runLocally } from './homes.ts'
import { wholeNumber } from '../../../scripts/whole-number.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6) + 1) },
    executions: { type: 'string', default: '500' },
    largest: { type: 'string', default: '30' },
    hosted: { type: 'boolean', default: false },
    processes: { type: 'boolean', default: false },
  },
})
const seed = wholeNumber('seed', values.seed)
const executions = wholeNumber('executions', values.executions)
const largest = wholeNumber('largest', values.largest)
console.log(`seed ${seed}`)
try {
  const run = values.processes ? runInProcesses : values.hosted ? runHosted : runLocally
  const { faults, cancelled, slowestMs } = await run({ seed, executions, largest })
  console.log(
    `${executions} Executions, ${faults} faults, ${cancelled} cancelled: all ended as they must, ` +
      `${(slowestMs / 1_000).toFixed(1)} s after their last events at the latest`,
  )
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
