// The child process in which a project's effects run, with the project's working directory, environment and
// node_modules. It only performs attempts; the runtime decides about retries and deadlines.

import { randomUUID } from 'node:crypto'
import { openChannel } from './host/channel.ts'
import { createHost, type Host } from './host/create-host.ts'
import { watchWithThread } from './host/watch-event-loop.ts'
import { killOwnProcess, killStarted } from './host/watchdog-data.ts'
import { MARK } from '../shared/started-processes.ts'

/** Read before effects can change it. Without a mark, nothing else has it. */
const own = { leadsGroup: process.argv.includes('--leads-group'), mark: process.env[MARK] ?? randomUUID() }
const watch = watchWithThread(own)
let host: Host | undefined

const channel = openChannel({
  onBatch: (batch) => {
    const [first] = batch
    if (first?.kind === 'begin') {
      const endStarted = (): void => killStarted(own.mark)
      host ??= createHost({ ...first, channel, watch, hostFolder: import.meta.dirname, endStarted })
    }
    host?.handle(batch)
  },
  onClosed: () => killOwnProcess(own),
})
