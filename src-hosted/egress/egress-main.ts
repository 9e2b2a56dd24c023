// The egress process: all connections that effects make go through it. It is a process of its own so that effects cannot
// use up the worker's descriptors, threads and processor time.

import { lookup } from 'node:dns/promises'
import { rmSync } from 'node:fs'
import { leaveSignalsToParent } from '../../src-runtime/shared/leave-signals-to-parent.ts'
import { parseRanges, type AddressRange } from './address-rules.ts'
import { createConnectionRate } from './connection-rate.ts'
import { DEFAULT_EGRESS_LIMITS } from './egress-limits.ts'
import type { Authority } from './authority.ts'
import type { EgressSettings, FromEgress, ToEgress, WayOutOwner } from './egress-messages.ts'
import { createEgressProxy, type EgressProxy } from './egress-proxy.ts'
import { createLookups } from './lookups.ts'
import { watchOwnAddresses, type OwnAddresses } from './own-addresses.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { ResolveHost } from './resolve-target.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

const proxies = new Map<string, EgressProxy>()
let allowed: readonly AddressRange[] = []
let own: OwnAddresses = { all: () => new Set(), closed: () => new Map() }
let ownServices: readonly Authority[] = []

const say = (message: FromEgress): void => void (process.connected && process.send?.(message))
const refusals = createRefusalLog((name, message) => say({ kind: 'refused', name, message }))

const resolve: ResolveHost = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address)
const lookups = createLookups(resolve)
const rate = createConnectionRate(() => performance.now())

const begin = async ({ allow, ownHosts, uid }: EgressSettings): Promise<void> => {
  allowed = parseRanges(allow)
  own = await watchOwnAddresses(ownHosts, resolve)
  if (uid !== undefined) becomeUser(uid)
  setInterval(refusals.nextMinute, 60_000).unref()
  say({ kind: 'ready' })
}

const becomeUser = (uid: number): void => {
  process.setgroups?.([])
  process.setgid?.(uid)
  process.setuid?.(uid)
}

const open = async (path: string, owner: WayOutOwner): Promise<void> => {
  const proxy = createEgressProxy({
    workspaceId: owner.workspaceId,
    rules: () => ({ allowed, own: own.all(), closed: own.closed(ownServices) }),
    lookups,
    limits: DEFAULT_EGRESS_LIMITS,
    rate,
    onRefused: (message) => refusals.add(owner, message),
  })
  proxies.set(path, proxy)
  try {
    // Of a process before this one.
    rmSync(path, { force: true })
    await proxy.listen(path)
    say({ kind: 'opened', path })
  } catch (error) {
    proxies.delete(path)
    say({ kind: 'failed', path, message: messageOf(error) })
  }
}

const close = async (path: string): Promise<void> => {
  await proxies.get(path)?.close()
  proxies.delete(path)
  rmSync(path, { force: true })
  say({ kind: 'closed', path })
}

process.on('message', (message: ToEgress) => {
  switch (message.kind) {
    case 'begin':
      return void begin(message.settings)
    case 'keep-closed':
      ownServices = message.services
      return
    case 'open':
      return void open(message.path, message)
    case 'close':
      return void close(message.path)
    case 'ask':
      return say({ kind: 'answer' })
  }
})
process.once('disconnect', () => process.exit())
leaveSignalsToParent()
