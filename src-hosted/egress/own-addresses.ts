// The addresses that belong to the service: those of this machine, and those of the hosts that it is told of (its public
// host, PostgreSQL, Restate).

import { networkInterfaces } from 'node:os'
import { canonicalAddress } from './address-rules.ts'
import type { Authority } from './authority.ts'
import type { ResolveHost } from './resolve-target.ts'

/** Addresses of machines and hosts change seldom. */
const LOOK_AGAIN_MS = 30_000

/** Both answer the addresses of now. */
export type OwnAddresses = {
  all(): ReadonlySet<string>
  /** The addresses of each port. One of this machine is closed at all of its addresses. */
  closed(services: readonly Authority[]): ReadonlyMap<number, ReadonlySet<string>>
}

/**
 * Resolves once the hosts have been looked up; looks again as long as the process runs. A host that cannot be resolved
 * keeps the addresses that it had. An IPv6 address may stand in brackets, as in a URL.
 */
export const watchOwnAddresses = async (hosts: readonly string[], resolve: ResolveHost): Promise<OwnAddresses> => {
  const byHost = new Map<string, readonly string[]>()
  let machine: readonly string[] = []
  let all: ReadonlySet<string> = new Set()

  const look = async (): Promise<void> => {
    await Promise.all(
      hosts.map(async (host) => {
        const found = await resolve(host.replace(/^\[(.+)\]$/, '$1')).catch(() => undefined)
        if (found !== undefined) byHost.set(host, found)
      }),
    )
    machine = canonical(machineAddresses())
    all = new Set([...machine, ...canonical([...byHost.values()].flat())])
  }

  const closed = (services: readonly Authority[]): ReadonlyMap<number, ReadonlySet<string>> => {
    const byPort = new Map<number, Set<string>>()
    for (const { host, port } of services) {
      const found = canonical(byHost.get(host) ?? [host])
      const addresses = found.some((address) => machine.includes(address)) ? [...found, ...machine] : found
      byPort.set(port, new Set([...(byPort.get(port) ?? []), ...addresses]))
    }
    return byPort
  }

  await look()
  setInterval(() => void look(), LOOK_AGAIN_MS).unref()
  return { all: () => all, closed }
}

const canonical = (addresses: readonly string[]): readonly string[] =>
  addresses.flatMap((address) => canonicalAddress(address) ?? [])

const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
