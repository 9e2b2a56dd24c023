// The open dialog, if any. Screens, shortcuts, the palette and the desktop's menu open dialogs here.

import { create } from 'zustand'
import type { Deployment } from '../parts/use-deploy-files.ts'

export type OpenDialog =
  | {
      readonly kind: 'start'
      readonly programId?: string
      readonly version?: number
      /** Run again: the id of the Execution to copy. */
      readonly copyOf?: string
      readonly input?: unknown
      /** Tells an opened file from another that begins with the same Program. */
      readonly offer?: number
    }
  | { readonly kind: 'send-event'; readonly executionId: string; readonly name?: string }
  | { readonly kind: 'cancel'; readonly executionId: string }
  | { readonly kind: 'delete'; readonly executionId: string }
  | {
      readonly kind: 'trigger'
      /** The Trigger to edit; without it, a new one is added. */
      readonly id?: string
      readonly type?: 'webhook' | 'schedule'
    }
  | { readonly kind: 'fire-trigger'; readonly id: string }
  | { readonly kind: 'new-project' }
  | {
      readonly kind: 'deployments'
      readonly deployments: readonly Deployment[]
      /** Tells these files from earlier ones. */
      readonly opened: number
    }
  | {
      readonly kind: 'connect'
      /** The first name in the dialog. */
      readonly name?: string
    }
  | { readonly kind: 'edit-connection'; readonly id: string }
  | { readonly kind: 'replace-token'; readonly id: string }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }

type State = {
  readonly open: OpenDialog | null
  /** Whether the user has changed anything in a start that a file offers. */
  readonly isChanged: boolean
}

export const useDialog = create<State>()(() => ({ open: null, isChanged: false }))

export const openDialog = (open: OpenDialog): void => useDialog.setState({ open, isChanged: false })
export const closeDialog = (): void => useDialog.setState({ open: null, isChanged: false })
export const noteChange = (): void => useDialog.setState({ isChanged: true })
