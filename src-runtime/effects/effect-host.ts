// The child process in which a project's effects run: working directory, environment and node_modules are the
// project's. It performs attempts as it is told and decides nothing: retries and deadlines are the runtime's.

import { openChannel } from './host/channel.ts'
import { createHost, type Host } from './host/create-host.ts'
import { killOwnProcess } from './host/watchdog-data.ts'

const leadsGroup = process.argv.includes('--leads-group')
let host: Host | undefined

const channel = openChannel({
  onMessage: (message) => {
    if (message.kind === 'begin')
      host ??= createHost({ ...message, channel, leadsGroup, hostFolder: import.meta.dirname })
    else host?.obey(message)
  },
  onClosed: () => killOwnProcess(leadsGroup),
})
