// A Restate node of one's own, from its npm package: for `wes serve` without --restate-url, and for tests.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { endLeftover } from './lock-holder.ts'
import { restateEnvironment, type RestateCluster, type RestatePorts } from './restate-environment.ts'
import { spawnBound, untilReady, type BoundProcess } from './spawn-bound.ts'

export type RestateNode = {
  readonly pid: number
  readonly ingressUrl: string
  readonly adminUrl: string
  /** Settles when the node has ended, whoever ended it. */
  readonly ended: Promise<void>
  /** May be called twice. */
  stop(): Promise<void>
}

const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 3_000
const LOCK = 'restate.pid'

/** Rejects when the node has ended, or is not ready in time. `folder` keeps its data and its log. */
export const startRestateNode = async (options: {
  readonly folder: string
  readonly ports: RestatePorts
  /** Absent: it is alone. */
  readonly cluster?: RestateCluster
  /** Beside the usual ones, or instead of them. */
  readonly settings?: Readonly<Record<string, string>>
}): Promise<RestateNode> => {
  const { folder, ports, cluster, settings } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const logFile = join(folder, 'restate.log')
  // Elsewhere, a node that is killed would leave its temporary files for ever.
  const temporary = join(folder, 'temporary')
  const data = join(folder, 'data')
  const lock = join(folder, LOCK)
  // Two in one folder are refused by Restate.
  await endLeftover({ lock, folder: data, signal: 'SIGKILL', what: 'Restate' })
  rmSync(temporary, { recursive: true, force: true })
  const node = await spawnBound({
    command: findRestate(),
    args: ['--base-dir', data, '--no-logo'],
    env: {
      ...restateEnvironment(ports, cluster),
      RESTATE_WORKER__INVOKER__TMP_DIR: temporary,
      ...settings,
      PATH: process.env['PATH'],
    },
    folder,
    logFile,
  })
  writeFileSync(lock, String(node.pid), { mode: 0o600 })
  const ingressUrl = `http://127.0.0.1:${ports.ingress}`
  const adminUrl = `http://127.0.0.1:${ports.admin}`
  const stop = () => stopNode(node)
  const deadline = AbortSignal.timeout(READY_WITHIN_MS)
  const isReady = async (): Promise<boolean> =>
    (await answers(`${ingressUrl}/restate/health`, deadline)) && answers(`${adminUrl}/health`, deadline)
  try {
    await untilReady(node, isReady, deadline)
  } catch (error) {
    await stop()
    throw new Error(`the Restate node did not start; ${logFile} may say why`, { cause: error })
  }
  return { pid: node.pid, ingressUrl, adminUrl, ended: node.ended, stop }
}

const answers = async (url: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const answer = await fetch(url, { signal })
    await answer.arrayBuffer()
    return answer.ok
  } catch {
    return false
  }
}

const stopNode = async (node: BoundProcess): Promise<void> => {
  node.signal('SIGTERM')
  const late = setTimeout(() => node.signal('SIGKILL'), STOP_WITHIN_MS)
  await node.ended
  clearTimeout(late)
}

/** The package for this machine holds nothing but the program. */
const findRestate = (): string => {
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  try {
    return createRequire(import.meta.url).resolve(`${name}/bin/restate-server`)
  } catch (error) {
    throw new Error(
      `there is no Restate for this machine (${name}): name a Restate of your own with --restate-url, or run \`npm ci\` again`,
      { cause: error },
    )
  }
}
