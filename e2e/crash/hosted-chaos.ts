// Kills and stops the processes of a real hosted service again and again under mixed load: `npm run test:hosted-chaos --
// --rounds 60`, `--minutes 20`, `--cluster` for three Restate nodes, `--seed` to choose the same faults again. Exits with 1,
// prints what is wrong and keeps the data.

import { parseArgs } from 'node:util'
import { runCampaign } from './hosted/campaign.ts'
import { wholeNumber } from '../../scripts/whole-number.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    cluster: { type: 'boolean', default: false },
  },
})

const minutes = values.minutes === undefined ? undefined : wholeNumber('minutes', values.minutes)
const rounds = wholeNumber('rounds', values.rounds ?? (minutes === undefined ? '40' : '999999'))
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) + 1 : wholeNumber('seed', values.seed)
console.log(`seed ${seed}${values.cluster ? ', three Restate nodes' : ''}`)
const begunAt = performance.now()
try {
  await runCampaign({
    seed,
    rounds,
    ...(minutes !== undefined && { limitMs: minutes * 60_000 }),
    isCluster: values.cluster,
    isWhole: true,
    say: (line) => console.log(`${((performance.now() - begunAt) / 1_000).toFixed(1)} s ${line}`),
  })
  process.exit(0)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
