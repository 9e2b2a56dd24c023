// The child process in which a project's effects run, with the project's working directory, environment and
// node_modules. It only performs attempts; the runtime decides about retries and deadlines.

import { openChannel } from './host/channel.ts'
import { createHost, type Host } from './host/create-host.ts'
import { watchWithThread } from './host/watch-event-loop.ts'
import { killOwnProcess, killStarted } from './host/watchdog-data.ts'

const leadsGroup = process.argv.includes('--leads-group')
const watch = watchWithThread(leadsGroup)
let host: Host | undefined

const channel = openChannel({
  onBatch: (batch) => {
    const [first] = batch
    if (first?.kind === 'begin') {
      host ??= createHost({ ...first, channel, watch, hostFolder: import.meta.dirname, endStarted: killStarted })
    }
    host?.handle(batch)
  },
  onClosed: () => killOwnProcess(leadsGroup),
})
