// The addresses that belong to the service: those of this machine, and those of the hosts that it is told of (its public
// host, PostgreSQL, Restate).

import { networkInterfaces } from 'node:os'
import { canonicalAddress } from './address-rules.ts'
import type { ResolveHost } from './resolve-target.ts'

/** Addresses of machines and hosts change seldom. */
const LOOK_AGAIN_MS = 30_000

/**
 * Resolves once the hosts have been looked up, with what answers the addresses of now; looks again as long as the process runs. A
 * host that cannot be resolved keeps the addresses that it had. An IPv6 address may stand in brackets, as in a URL.
 */
export const watchOwnAddresses = async (
  hosts: readonly string[],
  resolve: ResolveHost,
): Promise<() => ReadonlySet<string>> => {
  const byHost = new Map<string, readonly string[]>()
  let current: ReadonlySet<string> = new Set()

  const look = async (): Promise<void> => {
    await Promise.all(
      hosts.map(async (host) => {
        const found = await resolve(host.replace(/^\[(.+)\]$/, '$1')).catch(() => undefined)
        if (found !== undefined) byHost.set(host, found)
      }),
    )
    const addresses = [...machineAddresses(), ...[...byHost.values()].flat()]
    current = new Set(addresses.flatMap((address) => canonicalAddress(address) ?? []))
  }

  await look()
  setInterval(() => void look(), LOOK_AGAIN_MS).unref()
  return () => current
}

const machineAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address))
