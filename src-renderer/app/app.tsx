// The composition root of the page.

import { CSPProvider } from '@base-ui/react/csp-provider'
import { Tooltip } from '@base-ui/react/tooltip'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { followOtherPages } from '../api/connections.ts'
import { loadAhead } from '../parts/loaded-when-shown.ts'
import { createQueryClient } from './query-client.ts'
import { openRouter } from './router.tsx'
import { loadSession, SessionGate } from './session-gate.tsx'

/** By then the first screen is drawn, so that loading the rest does not slow it down. */
const REST_AFTER_MS = 2_000

/** If this part cannot be loaded, the page works without notices. */
const ToastList = lazy(async () => {
  const list = await import('../ui/toast-list.tsx').catch(() => undefined)
  return { default: list?.ToastList ?? (() => null) }
})

const Screens = () => <RouterProvider router={openRouter()} />

export const App = () => {
  const [queryClient] = useState(createQueryClient)
  useEffect(() => {
    const timer = setTimeout(() => {
      Promise.all([loadAhead(), loadSession()]).catch(() => {}) // it is loaded when it is shown
    }, REST_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => followOtherPages(queryClient), [queryClient])
  return (
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <Tooltip.Provider delay={400}>
          <SessionGate>
            <Screens />
          </SessionGate>
          <Suspense>
            <ToastList />
          </Suspense>
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  )
}
