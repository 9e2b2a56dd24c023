import { useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { useConnection } from '../api/connection.ts'
import { useRememberedFilter } from '../features/executions/list/remembered-filter.ts'
import { paths, PLACE } from '../paths.ts'
import { openDialogIfFree, useShortcut } from '../parts/shortcuts.ts'
import { useCannot } from '../parts/use-cannot.ts'
import { closeDialog, openDialog, useDialog } from '../stores/dialogs.ts'

export const GlobalShortcuts = () => {
  const navigate = useNavigate()
  const remembered = useRememberedFilter(useParams({ from: PLACE }))
  useShortcut('palette', togglePalette)
  useShortcut('shortcuts', () => openDialog({ kind: 'shortcuts' }))
  const programId = useShownProgram()
  const start = () => openDialog({ kind: 'start', ...(programId !== undefined && { programId }) })
  useShortcut('start', start, useCannot('write') === undefined)
  useShortcut('goExecutions', () => void navigate(paths.executions(remembered)))
  useShortcut('goPrograms', () => void navigate(paths.programs()))
  useShortcut('goWaiting', () => void navigate(paths.waiting()))
  useShortcut('goErrors', () => void navigate(paths.errors()))
  useShortcut('goMetrics', () => void navigate(paths.metrics()))
  useShortcut('goTriggers', () => void navigate(paths.triggers()), useConnection().kind === 'hosted')
  useShortcut('goSettings', () => void navigate(paths.settings()))
  return null
}

/** The Program that the screen's own start button preselects. */
const useShownProgram = (): string | undefined =>
  useRouterState({
    select: ({ matches }) => {
      const match = matches.at(-1)
      switch (match?.fullPath) {
        case paths.executions().to:
          return match.search.programId
        case paths.program('').to:
        case paths.programVersion('', 0).to:
          return match.params.id
        default:
          return undefined
      }
    },
  })

const togglePalette = (): void => {
  if (useDialog.getState().open?.kind === 'palette') closeDialog()
  else openDialogIfFree({ kind: 'palette' })
}
