import type { RuntimeHost, RuntimeStatus } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { Identity } from './get-health.ts'
import type { Inspect, LocalPorts } from '../ports/local-ports.ts'
import { iso } from './show-execution.ts'

export const getRuntime = async (
  { inspect, now }: Pick<LocalPorts, 'inspect' | 'now'>,
  identity: Identity,
): Promise<WireJson<RuntimeStatus>> =>
  toWire({
    version: identity.version,
    pid: process.pid,
    port: identity.port(),
    dataDir: inspect.dataDir,
    dataBytes: inspect.dataBytes(),
    diskIsFull: inspect.diskIsFull(),
    ...(inspect.startedBy !== undefined && { startedBy: inspect.startedBy }),
    startedAt: iso(identity.startedAt),
    eventLoopDelayP99Ms: await inspect.eventLoopDelayP99Ms(),
    hosts: [...programHosts(inspect), ...effectHosts(inspect, now())],
  })

const programHosts = (inspect: Inspect): readonly RuntimeHost[] =>
  inspect.programHosts().map(({ role, pid, isReady, underWay }) => ({
    kind: 'program',
    role,
    state: isReady ? 'ready' : 'starting',
    ...processOf(inspect, pid),
    busy: underWay,
  }))

const effectHosts = (inspect: Inspect, now: number): readonly RuntimeHost[] =>
  inspect.effectHosts().map(({ solo, state, pid, underWay, name, ageMs }) => ({
    kind: 'effect',
    role: solo ? 'alone' : 'shared',
    state,
    ...processOf(inspect, pid),
    busy: underWay,
    folder: name,
    startedAt: iso(now - ageMs),
  }))

const processOf = (inspect: Inspect, pid: number | undefined) => {
  if (pid === undefined || pid === 0) return {}
  const rssBytes = inspect.rssBytes(pid)
  return { pid, ...(rssBytes !== undefined && { rssBytes }) }
}
