// Bounds how many names are resolved at once, of each version, of each workspace and in all. A lookup blocks a thread of the
// process, for 30 s and more when a name server is silent.

import { createFairPlaces, unlessAborted, untilAborted, type FairPlaces } from '../../src-runtime/shared/fair-places.ts'
import type { ResolveHost } from './resolve-target.ts'

export type Lookups = {
  /** For the effects of one version: `lookups` of them at once. A caller waits for `lookupMs`, also for its turn. */
  resolveFor(
    workspaceId: string,
    limits: { readonly lookups: number; readonly lookupMs: number },
  ): (host: string, gone?: AbortSignal) => ReturnType<ResolveHost>
}

export const LOOKUPS_AT_ONCE = 120
const LOOKUPS_OF_WORKSPACE = 16

export const createLookups = (
  resolve: ResolveHost,
  most = LOOKUPS_AT_ONCE,
  mostOfWorkspace = LOOKUPS_OF_WORKSPACE,
): Lookups => {
  const workspaces = createFairPlaces(most, () => mostOfWorkspace)
  return {
    resolveFor: (workspaceId, { lookups, lookupMs }) => {
      const version = createFairPlaces(lookups, () => lookups)
      return async (host, gone) => {
        const late = AbortSignal.timeout(lookupMs)
        const signal = gone === undefined ? late : AbortSignal.any([late, gone])
        const giveBack = await takeBoth(version, workspaces, workspaceId, signal)
        // The thread is free once the lookup has ended, not when its caller waits no more.
        return untilAborted(resolve(host).finally(giveBack), signal)
      }
    },
  }
}

const takeBoth = async (
  version: FairPlaces,
  workspaces: FairPlaces,
  workspaceId: string,
  signal: AbortSignal,
): Promise<() => void> => {
  const ofVersion = await version.take('', unlessAborted(signal))
  try {
    const ofWorkspace = await workspaces.take(workspaceId, unlessAborted(signal))
    return () => {
      ofWorkspace()
      ofVersion()
    }
  } catch (error) {
    ofVersion()
    throw error
  }
}
