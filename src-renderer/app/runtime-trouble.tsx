// Decides which notice stands above the screen. Its looks are loaded later: the first screen seldom needs one.

import { Suspense, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import type { RuntimeState } from '../desktop.ts'
import { useDesktopRuntime } from '../parts/desktop-state.ts'
import { loadedAhead } from '../parts/loaded-when-shown.ts'
import { useFullDisk } from '../parts/use-started-by.ts'
import type { CrashedState, Trouble } from './trouble-notice.tsx'

/** If it cannot be loaded, the rail tells the state all the same. */
const TroubleNotice = loadedAhead(async () => {
  const loaded = await import('./trouble-notice.tsx').catch(() => undefined)
  return loaded?.TroubleNotice ?? (() => null)
})

export const RuntimeTrouble = () => {
  const trouble = useTrouble()
  return (
    trouble !== undefined && (
      <Suspense>
        <TroubleNotice trouble={trouble} />
      </Suspense>
    )
  )
}

const useTrouble = (): Trouble | undefined => {
  const state = useDesktopRuntime()
  const crash = useCrash(state)
  const dataDir = useFullDisk()
  // Beside a hosted service, the rail tells it.
  if (useConnection().kind === 'hosted') return undefined
  if (crash !== undefined) return { kind: 'crashed', state: crash, isStarting: state?.kind === 'starting' }
  if (state?.kind === 'foreign') return { kind: 'foreign', state }
  return dataDir === undefined ? undefined : { kind: 'disk-full', dataDir }
}

/** Also while the runtime starts again: that may fail too, and the screen would move up and down with each attempt. An upgrade takes long. */
const useCrash = (state: RuntimeState | null): CrashedState | undefined => {
  const [before, setBefore] = useState<CrashedState>()
  const isStarting = state?.kind === 'starting' && state.upgrade === undefined
  const now = state?.kind === 'crashed' ? state : isStarting ? before : undefined
  if (now !== before) setBefore(now)
  return now
}
