import { useNavigate } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { useShortcut } from '../parts/shortcuts.ts'
import { openDialog, useDialog } from '../stores/dialogs.ts'

export const GlobalShortcuts = () => {
  const navigate = useNavigate()
  const go = (to: string) => () => void navigate({ to })
  // What is being written in a dialog must not be lost to a slip of the hand.
  useShortcut('palette', () => useDialog.getState().open === null && openDialog({ kind: 'palette' }))
  useShortcut('shortcuts', () => openDialog({ kind: 'shortcuts' }))
  useShortcut('start', () => openDialog({ kind: 'start' }))
  useShortcut('goExecutions', go(paths.executions()))
  useShortcut('goPrograms', go(paths.programs()))
  useShortcut('goWaiting', go(paths.waiting()))
  useShortcut('goErrors', go(paths.errors()))
  useShortcut('goMetrics', go(paths.metrics()))
  useShortcut('goSettings', go(paths.settings()))
  return null
}
