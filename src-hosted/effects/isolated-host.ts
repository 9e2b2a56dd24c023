// The process in which the effects of one version run on the hosted service. Before it gets any of their code, it has the
// project's environment, and no network but the egress proxy.

import { syncBuiltinESMExports } from 'node:module'
import { openChannel } from '../../src-runtime/effects/host/channel.ts'
import { createHost, type Host } from '../../src-runtime/effects/host/create-host.ts'
import { watchWithoutThread } from '../../src-runtime/effects/host/watch-event-loop.ts'
import { hideDeniedFiles } from '../../src-runtime/shared/hide-denied-files.ts'
import { refuseDatagrams, replaceNameServers } from './host/refuse-datagrams.ts'
import { openSocketLine } from './host/socket-line.ts'
import type { StartMessage } from './host/start-message.ts'
import { tunnelConnections } from './host/tunnel-connections.ts'

let host: Host | undefined

const start = ({ environment, egress }: StartMessage): void => {
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, environment)
  tunnelConnections(egress)
  refuseDatagrams()
  replaceNameServers(egress)
  hideDeniedFiles()
  syncBuiltinESMExports()
}

// The first process of a namespace gets no signals from within, so it ends itself by `exit`.
const exit = process.exit.bind(process)

const channel = openChannel(
  {
    onBatch: (batch) => {
      const [first] = batch
      if (first?.kind === 'begin') {
        // What effects started ends with the namespace of this process.
        const endStarted = (): void => {}
        const watch = watchWithoutThread
        host ??= createHost({ ...first, channel, watch, hostFolder: import.meta.dirname, endStarted })
      }
      host?.handle(batch)
    },
    onClosed: () => exit(),
  },
  openSocketLine(start),
)
