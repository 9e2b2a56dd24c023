// The composition root of the page.

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { createLiveChanges } from '../api/live-changes.ts'
import { LiveContext } from '../api/live.ts'
import { createScope, ScopeContext } from '../api/scope.ts'
import { desktop } from '../desktop.ts'
import { usePreferences } from '../stores/preferences.ts'
import { loadDialogs } from './dialogs.tsx'
import { followWhileSeen } from './follow-while-seen.ts'
import { LiveCache } from './live-cache.ts'
import { createQueryClient } from './query-client.ts'
import { loadScreens, router } from './router.tsx'

/** By then the first screen is there, and what is not needed yet takes nothing from it. */
const REST_AFTER_MS = 2_000

/** A page that can load all but this shows no notices, rather than nothing at all. */
const ToastList = lazy(async () => {
  const list = await import('../ui/toast-list.tsx').catch(() => undefined)
  return { default: list?.ToastList ?? (() => null) }
})

/** In a browser nobody tells. */
const onDesktopReady = (listener: () => void): (() => void) =>
  desktop?.runtime.onState(({ kind }) => kind === 'ready' && listener()) ?? (() => {})

export const App = () => {
  const projectId = usePreferences((preferences) => preferences.projectId)
  const scope = useMemo(() => createScope('local', projectId), [projectId])
  const live = useMemo(() => createLiveChanges(createScope('local', null)), [])
  const [queryClient] = useState(createQueryClient)
  useEffect(() => followWhileSeen(live, onDesktopReady), [live])
  useEffect(() => {
    const timer = setTimeout(() => {
      Promise.all([loadDialogs(), loadScreens()]).catch(() => {}) // tried again when one is shown
    }, REST_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <ScopeContext value={scope}>
          <LiveContext value={live}>
            <Tooltip.Provider delay={400}>
              <LiveCache />
              <RouterProvider router={router} />
              <Suspense>
                <ToastList />
              </Suspense>
            </Tooltip.Provider>
          </LiveContext>
        </ScopeContext>
      </QueryClientProvider>
    </CSPProvider>
  )
}
