import { useNavigate, useRouterState } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { closeDialog, openDialog, useDialog } from '../stores/dialogs.ts'
import { one } from './search-parameters.ts'

export const GlobalShortcuts = () => {
  const navigate = useNavigate()
  const go = (to: string) => () => void navigate({ to })
  useShortcut('palette', togglePalette)
  useShortcut('shortcuts', () => openDialog({ kind: 'shortcuts' }))
  const programId = useShownProgram()
  useShortcut('start', () => openDialog({ kind: 'start', ...(programId !== undefined && { programId }) }))
  useShortcut('goExecutions', go(paths.executions()))
  useShortcut('goPrograms', go(paths.programs()))
  useShortcut('goWaiting', go(paths.waiting()))
  useShortcut('goErrors', go(paths.errors()))
  useShortcut('goMetrics', go(paths.metrics()))
  useShortcut('goSettings', go(paths.settings()))
  return null
}

/** The one that the screen's own start button begins with. */
const useShownProgram = (): string | undefined =>
  useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      if (match?.routeId === '/executions') return one(match.search, 'programId')
      return match?.routeId.startsWith('/programs/$id') === true
        ? (match.params as { readonly id?: string }).id
        : undefined
    },
  })

/** What is being written in another dialog must not be lost to a slip of the hand. */
const togglePalette = (): void => {
  const { open } = useDialog.getState()
  if (open === null) openDialog({ kind: 'palette' })
  else if (open.kind === 'palette') closeDialog()
}
