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
  onMessage: (message) => {
    if (message.kind !== 'begin') return host?.handle(message)
    host ??= createHost({ ...message, channel, watch, hostFolder: import.meta.dirname, endStarted: killStarted })
  },
  onClosed: () => killOwnProcess(leadsGroup),
})
