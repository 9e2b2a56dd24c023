// The open dialog. Each dialog is loaded when it first opens.

import { useNavigate, useParams } from '@tanstack/react-router'
import { Component, type ReactNode, Suspense, use, useEffect, useRef } from 'react'
import { paths } from '../paths.ts'
import { type Asked, useConfirmation } from '../stores/confirmation.ts'
import { closeDialog, type OpenDialog, useDialog } from '../stores/dialogs.ts'
import { notifyFault } from '../ui/toasts.tsx'
import { keepEarlyKeys } from './early-keys.ts'
import { EarlyPalette } from './palette/early-palette.tsx'

/** Loads once. After a failure, the next call loads again. */
const loadedOnce = <Module,>(load: () => Promise<Module>): (() => Promise<Module>) => {
  let loading: Promise<Module> | undefined
  const start = async (): Promise<Module> => {
    try {
      const module = await load()
      // React's `use` reads these, and then renders at once rather than in a later task.
      if (loading !== undefined) void Object.assign(loading, { status: 'fulfilled', value: module })
      return module
    } catch (error) {
      loading = undefined
      throw error
    }
  }
  return () => (loading ??= start())
}

const confirmation = loadedOnce(() => import('./confirmation.tsx'))
const newProject = loadedOnce(() => import('../features/projects/new-project-dialog.tsx'))
const deploymentsDialog = loadedOnce(() => import('../features/programs/deployments-dialog.tsx'))
const shortcutList = loadedOnce(() => import('./shortcut-list.tsx'))
const palette = loadedOnce(() => import('./palette/palette.tsx'))
const start = loadedOnce(() => import('../features/executions/start/start-dialog.tsx'))
const sendEvent = loadedOnce(() => import('../features/executions/send-event/send-event-dialog.tsx'))
const trigger = loadedOnce(() => import('../features/triggers/trigger-dialog.tsx'))
const fireTrigger = loadedOnce(() => import('../features/triggers/fire-dialog.tsx'))
const connect = loadedOnce(() => import('../features/settings/connections/connect-dialog.tsx'))
const editConnection = loadedOnce(() => import('../features/settings/connections/edit-dialog.tsx'))
const replaceToken = loadedOnce(() => import('../features/settings/connections/token-dialog.tsx'))
const cancel = loadedOnce(() => import('../features/executions/cancel/cancel-dialog.tsx'))

/** Loads all dialogs, so that they open without a runtime too. Their editors and forms are loaded when needed. */
export const loadDialogs = async (): Promise<void> => {
  const all = [palette, confirmation, start, sendEvent, cancel, newProject, deploymentsDialog, shortcutList]
  for (const load of [...all, connect, editConnection, replaceToken, trigger, fireTrigger]) {
    await load()
  }
}

export const Dialogs = () => {
  const open = useDialog((state) => state.open)
  const asked = useConfirmation((state) => state.asked)
  const keepsKeys = open !== null && open.kind !== 'palette'
  useEffect(() => (keepsKeys ? keepEarlyKeys(closeDialog) : undefined), [keepsKeys, open])
  return (
    <>
      {open !== null && (
        <Guard key={JSON.stringify(open, withoutInput)} close={closeDialog}>
          <Suspense>
            <Opened open={open} />
          </Suspense>
        </Guard>
      )}
      {asked !== null && (
        <Guard key={asked.title} close={() => asked.answer(false)}>
          <Suspense>
            <Confirm asked={asked} />
          </Suspense>
        </Guard>
      )}
    </>
  )
}

const Confirm = (props: { readonly asked: Asked }) => {
  const { Confirmation } = use(confirmation())
  return <Confirmation {...props} />
}

/** Leaves out the input, which may be long and does not tell two dialogs apart. */
const withoutInput = (name: string, value: unknown): unknown => (name === 'input' ? undefined : value)

/**
 * Closes the dialog that calls it. Returns false if the user has closed it already: its request may end later, when
 * another dialog is open.
 */
const useCloseOwn = (): (() => boolean) => {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])
  return () => {
    if (!isShown.current) return false
    closeDialog()
    return true
  }
}

const Opened = ({ open }: { readonly open: OpenDialog }) => {
  const close = useCloseOwn()
  const navigate = useNavigate()
  const shown = useParams({ from: paths.execution('').to, shouldThrow: false })
  /** Leave the screen of the deleted Execution. */
  const leave = (id: string) => {
    if (shown?.id === id) void navigate(paths.executions())
  }
  switch (open.kind) {
    case 'start': {
      const { StartDialog } = use(start())
      return <StartDialog {...open} onClose={close} />
    }
    case 'send-event': {
      const { SendEventDialog } = use(sendEvent())
      return <SendEventDialog executionId={open.executionId} name={open.name} onClose={close} />
    }
    case 'cancel': {
      const { CancelDialog } = use(cancel())
      return <CancelDialog executionId={open.executionId} onClose={close} />
    }
    case 'delete': {
      const { DeleteDialog } = use(cancel())
      return <DeleteDialog executionId={open.executionId} onClose={close} onDelete={leave} />
    }
    case 'trigger': {
      const { TriggerDialog } = use(trigger())
      return <TriggerDialog id={open.id} type={open.type} onClose={close} />
    }
    case 'fire-trigger': {
      const { FireDialog } = use(fireTrigger())
      return <FireDialog id={open.id} onClose={close} />
    }
    case 'new-project': {
      const { NewProjectDialog } = use(newProject())
      return <NewProjectDialog onClose={close} />
    }
    case 'connect': {
      const { ConnectDialog } = use(connect())
      return <ConnectDialog name={open.name} onClose={close} />
    }
    case 'edit-connection': {
      const { EditDialog } = use(editConnection())
      return <EditDialog id={open.id} onClose={close} />
    }
    case 'replace-token': {
      const { TokenDialog } = use(replaceToken())
      return <TokenDialog id={open.id} onClose={close} />
    }
    case 'deployments': {
      const { DeploymentsDialog } = use(deploymentsDialog())
      return <DeploymentsDialog deployments={open.deployments} onClose={close} />
    }
    case 'shortcuts': {
      const { ShortcutList } = use(shortcutList())
      return <ShortcutList onClose={close} />
    }
    case 'palette':
      return <EarlyPalette load={palette} onClose={close} />
  }
}

/** When a dialog cannot be loaded (most often because the runtime does not answer), the screen stays as it was. */
class Guard extends Component<
  { readonly close: () => void; readonly children: ReactNode },
  { readonly failed: boolean }
> {
  override state = { failed: false }

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override componentDidCatch(error: unknown): void {
    notifyFault('The dialog could not be opened', error instanceof Error ? error.message : String(error))
    this.props.close()
  }

  override render(): ReactNode {
    return this.state.failed ? null : this.props.children
  }
}
