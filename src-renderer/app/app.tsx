// The composition root of the page.

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { createLiveChanges } from '../api/live-changes.ts'
import { LiveContext } from '../api/live.ts'
import { createScope, ScopeContext } from '../api/scope.ts'
import { usePreferences } from '../stores/preferences.ts'
import { Toasts } from '../ui/toasts.tsx'
import { followWhileSeen } from './follow-while-seen.ts'
import { LiveCache } from './live-cache.ts'
import { createQueryClient } from './query-client.ts'
import { loadScreens, router } from './router.tsx'

export const App = () => {
  const projectId = usePreferences((preferences) => preferences.projectId)
  const scope = useMemo(() => createScope('local', projectId), [projectId])
  const live = useMemo(() => createLiveChanges(createScope('local', null)), [])
  const [queryClient] = useState(createQueryClient)
  useEffect(() => followWhileSeen(live), [live])
  useEffect(() => {
    const idle = requestIdleCallback(() => void loadScreens().catch(() => {})) // tried again when one is shown
    return () => cancelIdleCallback(idle)
  }, [])
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <ScopeContext value={scope}>
          <LiveContext value={live}>
            <Tooltip.Provider delay={400}>
              <LiveCache />
              <RouterProvider router={router} />
              <Toasts />
            </Tooltip.Provider>
          </LiveContext>
        </ScopeContext>
      </QueryClientProvider>
    </CSPProvider>
  )
}
