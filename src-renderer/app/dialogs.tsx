// Whatever is open on top of the screen. Each dialog is loaded when it is first opened.

import { lazy, Suspense } from 'react'
import { closeDialog, useDialog } from '../stores/dialogs.ts'
import { Confirmation } from './confirmation.tsx'

const NewProjectDialog = lazy(async () => ({
  default: (await import('../features/projects/new-project-dialog.tsx')).NewProjectDialog,
}))
const ShortcutList = lazy(async () => ({ default: (await import('./shortcut-list.tsx')).ShortcutList }))

export const Dialogs = () => {
  const open = useDialog((state) => state.open)
  return (
    <>
      <Suspense>
        {open?.kind === 'new-project' && <NewProjectDialog onClose={closeDialog} />}
        {open?.kind === 'shortcuts' && <ShortcutList onClose={closeDialog} />}
      </Suspense>
      <Confirmation />
    </>
  )
}
