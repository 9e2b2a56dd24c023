// A short form of `npm run test:hosted-chaos`: each process is killed or stopped once under load.

import { expect, it } from 'vitest'
import { runCampaign } from './hosted/campaign.ts'

/** Long enough at a quarter of the machine's speed. */
const LIMIT_MS = 600_000

it.skipIf(process.platform !== 'linux')(
  'loses nothing and gets stuck nowhere when processes of the hosted service are killed and stopped under load',
  async () => {
    const said: string[] = []
    await runCampaign({ seed: 4, rounds: 5, isCluster: false, isWhole: false, say: (line) => said.push(line) })
    expect(said.at(-1)).toContain('as acknowledged')
  },
  LIMIT_MS,
)
