// Queries for the desktop app's settings. A browser has none.

import { queryOptions, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { refusalText } from '../../desktop-refusal.ts'
import { desktop, type DesktopApi, type DesktopSettings } from '../../desktop.ts'
import { useUpdates } from '../../parts/desktop-state.ts'
import { notifyFault } from '../../ui/toasts.tsx'

const settingsQuery = (api: DesktopApi | undefined) =>
  queryOptions({
    queryKey: ['desktop', 'settings'],
    queryFn: () => (api === undefined ? null : api.settings.get()),
  })

export const foldersQuery = queryOptions({
  queryKey: ['desktop', 'folders'],
  queryFn: () => (desktop === undefined ? null : desktop.projectFolders.get()),
})

export const trustedFoldersQuery = queryOptions({
  queryKey: ['desktop', 'trusted-folders'],
  queryFn: () => (desktop === undefined ? [] : desktop.projectFolders.trusted()),
})

export const aboutQuery = queryOptions({
  queryKey: ['desktop', 'about'],
  queryFn: () => (desktop === undefined ? null : desktop.about()),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Whether something that the Settings screen shows of the desktop app has not been read yet. */
export const useIsDesktopLoading = (): boolean => {
  const read = useQueries({ queries: [settingsQuery(desktop), trustedFoldersQuery, aboutQuery] })
  const updates = useUpdates()
  return desktop !== undefined && (updates === null || read.some(({ isPending }) => isPending))
}

/** null in a browser, and until it is loaded. */
export const useDesktopSettings = (): {
  readonly settings: DesktopSettings | null
  readonly change: (patch: Partial<DesktopSettings>) => void
} => {
  const queries = useQueryClient()
  const query = settingsQuery(desktop)
  const { data = null } = useQuery(query)
  useEffect(
    () => desktop?.settings.onChange((next) => queries.setQueryData(query.queryKey, next)),
    [queries, query.queryKey],
  )
  const { mutate } = useMutation({
    mutationFn: async (patch: Partial<DesktopSettings>) => (await desktop?.settings.change(patch)) ?? null,
    // At once: a click that takes back the one before it would otherwise count for nothing.
    onMutate: (patch) => queries.setQueryData(query.queryKey, (before) => before && { ...before, ...patch }),
    onSuccess: (next) => queries.setQueryData(query.queryKey, next),
    onError: async (error) => {
      notifyFault('The setting was not saved', { detail: refusalText(error) })
      await queries.invalidateQueries({ queryKey: query.queryKey })
    },
  })
  return { settings: data, change: mutate }
}
