// Finds out whether this machine can isolate effects, by doing it once, and prepares what every isolated host needs.

import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildRoot } from './build-root.ts'
import { isolationCommand, type IsolationPlan } from './isolation-command.ts'
import { workspaceUser } from './workspace-user.ts'
import { messageOf } from '../../../src-runtime/shared/message-of.ts'

const run = promisify(execFile)

export type Isolation =
  | {
      readonly kind: 'namespaces'
      readonly plan: IsolationPlan
      /** What Node counts as written memory before it has run anything. */
      readonly idleDataBytes: number
      /** The machine's user for a workspace; undefined: the one who runs the service. */
      userOf(workspaceId: string): number | undefined
    }
  /** Effects run as ordinary processes of the service's user. */
  | { readonly kind: 'unsafe' }
  /** Effects wait. */
  | { readonly kind: 'missing'; readonly reason: string }

const PROBE = `process.stdout.write(/VmData:\\s+(\\d+) kB/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1])`
const PROBE_MS = 20_000

/** `folder`: empty, of the service alone. Other users may pass through it. */
export const findIsolation = async (folder: string): Promise<Isolation> => {
  const asRoot = process.getuid?.() === 0
  try {
    if (process.platform !== 'linux') throw new Error(`${process.platform} has no namespaces`)
    const plan = await buildRoot(folder, { asRoot })
    const uidMap = asRoot ? readFileSync('/proc/self/uid_map', 'utf8') : undefined
    const userOf = (workspaceId: string) => (uidMap === undefined ? undefined : workspaceUser(workspaceId, uidMap))
    const empty = join(folder, 'empty')
    mkdirSync(empty)
    chmodSync(empty, 0o755)
    const [command, ...args] = isolationCommand(plan, {
      run: empty,
      uid: userOf('probe'),
      dataBytes: undefined,
      args: ['-e', PROBE],
    })
    const { stdout } = await run(command, args, { env: {}, timeout: PROBE_MS, killSignal: 'SIGKILL' })
    return { kind: 'namespaces', plan, idleDataBytes: Number(stdout) * 1_024, userOf }
  } catch (error) {
    return { kind: 'missing', reason: reasonOf(error) }
  }
}

/** What the failed tool printed says more than that the command failed. */
const reasonOf = (error: unknown): string => {
  const printed = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
  if (printed !== '') return printed.split('\n').at(-1) ?? printed
  return messageOf(error)
}
