// The open dialog. Each is loaded ahead, or when it first opens; their editors and forms are loaded when needed.

import { Suspense, useEffect } from 'react'
import { loadedAhead } from '../parts/loaded-when-shown.ts'
import { PartGuard } from '../parts/part-guard.tsx'
import { useIsShown } from '../parts/use-is-shown.ts'
import { useConfirmation } from '../stores/confirmation.ts'
import { closeDialog, type OpenDialog, useDialog } from '../stores/dialogs.ts'
import { keepEarlyKeys } from './early-keys.ts'
import { EarlyPalette } from './palette/early-palette.tsx'

const Confirmation = loadedAhead(async () => (await import('./confirmation.tsx')).Confirmation)
const ShortcutList = loadedAhead(async () => (await import('./shortcut-list.tsx')).ShortcutList)
const StartDialog = loadedAhead(async () => (await import('../features/executions/start/start-dialog.tsx')).StartDialog)
const SendEventDialog = loadedAhead(
  async () => (await import('../features/executions/send-event/send-event-dialog.tsx')).SendEventDialog,
)
const CancelDialog = loadedAhead(
  async () => (await import('../features/executions/cancel/cancel-dialog.tsx')).CancelDialog,
)
const DeleteDialog = loadedAhead(
  async () => (await import('../features/executions/cancel/cancel-dialog.tsx')).DeleteDialog,
)
const NewProjectDialog = loadedAhead(
  async () => (await import('../features/projects/new-project-dialog.tsx')).NewProjectDialog,
)
const DeploymentsDialog = loadedAhead(
  async () => (await import('../features/programs/deployments-dialog.tsx')).DeploymentsDialog,
)
const ConnectDialog = loadedAhead(
  async () => (await import('../features/settings/connections/connect-dialog.tsx')).ConnectDialog,
)
const EditDialog = loadedAhead(
  async () => (await import('../features/settings/connections/edit-dialog.tsx')).EditDialog,
)
const TokenDialog = loadedAhead(
  async () => (await import('../features/settings/connections/token-dialog.tsx')).TokenDialog,
)
const TriggerDialog = loadedAhead(async () => (await import('../features/triggers/trigger-dialog.tsx')).TriggerDialog)
const FireDialog = loadedAhead(async () => (await import('../features/triggers/fire-dialog.tsx')).FireDialog)

const NOT_OPENED = 'The dialog could not be opened'

export const Dialogs = () => {
  const open = useDialog((state) => state.open)
  const asked = useConfirmation((state) => state.asked)
  const keepsKeys = open !== null && open.kind !== 'palette'
  useEffect(() => (keepsKeys ? keepEarlyKeys(closeDialog) : undefined), [keepsKeys, open])
  return (
    <>
      {open !== null && (
        <PartGuard key={JSON.stringify(open, withoutInput)} title={NOT_OPENED} close={closeDialog}>
          <Suspense>
            <Opened open={open} />
          </Suspense>
        </PartGuard>
      )}
      {asked !== null && (
        <PartGuard key={asked.title} title={NOT_OPENED} close={() => asked.answer(false)}>
          <Suspense>
            <Confirmation asked={asked} />
          </Suspense>
        </PartGuard>
      )}
    </>
  )
}

/** Leaves out the input, which may be long and does not tell two dialogs apart. */
const withoutInput = (name: string, value: unknown): unknown => (name === 'input' ? undefined : value)

/**
 * Closes the dialog that calls it. Returns false if the user has closed it already: its request may end later, when
 * another dialog is open.
 */
const useCloseOwn = (): (() => boolean) => {
  const isShown = useIsShown()
  return () => {
    if (!isShown()) return false
    closeDialog()
    return true
  }
}

const Opened = ({ open }: { readonly open: OpenDialog }) => {
  const close = useCloseOwn()
  switch (open.kind) {
    case 'start':
      return <StartDialog {...open} onClose={close} />
    case 'send-event':
      return <SendEventDialog executionId={open.executionId} name={open.name} onClose={close} />
    case 'cancel':
      return <CancelDialog executionId={open.executionId} onClose={close} />
    case 'delete':
      return <DeleteDialog executionId={open.executionId} onClose={close} />
    case 'trigger':
      return <TriggerDialog id={open.id} type={open.type} onClose={close} />
    case 'fire-trigger':
      return <FireDialog id={open.id} onClose={close} />
    case 'new-project':
      return <NewProjectDialog onClose={close} />
    case 'connect':
      return <ConnectDialog name={open.name} onClose={close} />
    case 'edit-connection':
      return <EditDialog id={open.id} onClose={close} />
    case 'replace-token':
      return <TokenDialog id={open.id} onClose={close} />
    case 'deployments':
      return <DeploymentsDialog deployments={open.deployments} onClose={close} />
    case 'shortcuts':
      return <ShortcutList onClose={close} />
    case 'palette':
      return <EarlyPalette onClose={close} />
  }
}
