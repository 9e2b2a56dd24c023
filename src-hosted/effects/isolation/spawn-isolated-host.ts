// Starts isolated hosts, and speaks with them over descriptor 3.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Duplex, Readable } from 'node:stream'
import { onceEnded, type SpawnEffectHost } from '../../../src-runtime/effects/spawn-effect-host.ts'
import type { StartMessage } from '../host/start-message.ts'
import { MODULES } from './build-root.ts'
import type { Isolation } from './find-isolation.ts'
import { HOST_ENTRY, HOST_ENTRY_PATH, TOP } from './host-modules.ts'
import { isolationCommand } from './isolation-command.ts'
import { readLines, throttle, type Budget } from './read-lines.ts'

export type HostsOf = {
  readonly workspaceId: string
  /** Holds `egress.sock` and nothing else. */
  readonly run: string
  /** Where hosts may write that have no file system of their own. */
  readonly work: string
  readonly memoryMb: number
  /** Of this thread, for messages: all hosts of the workspace share it. */
  readonly cpuMs: Budget
}

type Ready = Exclude<Isolation, { kind: 'missing' }>

const CHANNEL_BYTES = 2 * 1_024 * 1_024
/** So some 10,000 messages a second. */
const LINE_BYTES = 2 * 1_024
const OUTPUT_BYTES = 256 * 1_024

/** Node's own permissions are the second fence, behind the namespaces. */
export const fences = (modules: string, work: string): readonly string[] => [
  '--permission',
  `--allow-fs-read=${modules}/*`,
  `--allow-fs-read=${work}`,
  `--allow-fs-read=${work}/*`,
  `--allow-fs-write=${work}`,
  `--allow-fs-write=${work}/*`,
  '--no-addons',
]

/** `fence`: other flags in the place of `fences`. */
export const isolatedSpawn =
  (isolation: Ready, hosts: HostsOf, fence = fences): SpawnEffectHost =>
  ({ environment, heapMb }, events) => {
    const [command, ...args] = commandOf(isolation, hosts, heapMb, fence)
    const child = spawn(command, args, {
      cwd: isolation.kind === 'unsafe' ? hosts.work : '/',
      env: {},
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    const exit = onceEnded(child, events.onExit)
    child.on('error', (error) => exit({ code: null, signal: null, error }))
    // The system did not start it, and may have no descriptors left for a channel. `error` follows.
    if (child.pid === undefined) return { pid: undefined, send: () => {}, kill: () => {} }
    const kill = (): void => void child.kill('SIGKILL')
    const channel = child.stdio[3] as Duplex
    // `exit` follows.
    channel.on('error', () => undefined)
    readLines(channel, (message) => events.onMessage([message]), kill)
    const throttles = [
      throttle(channel, CHANNEL_BYTES, LINE_BYTES, hosts.cpuMs),
      listen(child.stdio[1] as Readable, (text) => events.onOutput('stdout', text)),
      listen(child.stdio[2] as Readable, (text) => events.onOutput('stderr', text)),
    ]
    child.on('exit', () => {
      for (const endThrottle of throttles) endThrottle()
    })

    // One write for all of them: each is a call of the system, which wakes the host.
    const send = (messages: readonly object[]): void =>
      void channel.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    send([{ environment, egress: egressOf(isolation, hosts) } satisfies StartMessage])
    return {
      get pid() {
        return child.pid
      },
      send: (batch) => {
        if (channel.writable) send(batch)
      },
      kill,
    }
  }

const egressOf = ({ kind }: Ready, { run }: HostsOf): string => join(kind === 'unsafe' ? run : '/run', 'egress.sock')

const commandOf = (isolation: Ready, hosts: HostsOf, heapMb: number, fence: typeof fences) => {
  const flags = [`--max-old-space-size=${heapMb}`, '--disable-sigusr1']
  if (isolation.kind === 'unsafe') {
    return [process.execPath, ...flags, ...fence(TOP, hosts.work), HOST_ENTRY] as const
  }
  const { plan, idleDataBytes, userOf } = isolation
  return isolationCommand(plan, {
    run: hosts.run,
    uid: userOf(hosts.workspaceId),
    dataBytes: idleDataBytes + hosts.memoryMb * 1_024 * 1_024,
    args: [...flags, ...fence(MODULES, '/tmp'), join(MODULES, HOST_ENTRY_PATH)],
  })
}

const listen = (stream: Readable, onText: (text: string) => void): (() => void) => {
  stream.setEncoding('utf8').on('data', onText)
  return throttle(stream, OUTPUT_BYTES)
}
