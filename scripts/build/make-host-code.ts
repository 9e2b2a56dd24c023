// Runs the host's script in the folder that is given, up to its first turn, and writes V8's code of all functions that were called. V8
// takes the code only with the same flags, so bundle-wes.ts runs this with those of a host.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { CODE_FILE, runHostScript } from '../../src-runtime/sandbox/host-script.ts'
import type { FromHost } from '../../src-runtime/sandbox/host-messages.ts'
import { DEFAULT_POOL_LIMITS } from '../../src-runtime/sandbox/pool-limits.ts'
import { DELIVERY_KINDS, type ToHost } from '../../src-runtime/sandbox/protocol.ts'

const [, , folder = ''] = process.argv

const FIRST_TURN: ToHost = {
  kind: 'run',
  programs: [['version', '', '({ run: async (ctx, input) => input })', '']],
  batch: [[1, 'execution', 'noop', 1, 'version', 0, [[DELIVERY_KINDS.start, 0, 0, '{}', null]], true, '']],
  heard: 0,
}

let hasRun = false
process.send = (message: FromHost) => {
  hasRun ||= message.kind === 'results' && message.results.some(([, outcome]) => outcome === 'ran')
  return true
}
process.argv.splice(2, 1, 'shared', JSON.stringify(DEFAULT_POOL_LIMITS.budgets))
const script = runHostScript(folder)
// An idle host warms up first.
await setImmediate()
process.emit('message', FIRST_TURN, undefined)
if (!hasRun) throw new Error('The host did not run its first turn')
writeFileSync(join(folder, CODE_FILE), script.createCachedData())
process.exit()
