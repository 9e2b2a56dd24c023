// The one dialog that is open, if any. Screens, shortcuts, the palette and the desktop's menu all open it here.

import { create } from 'zustand'
import type { Deployment } from '../parts/use-deploy-files.ts'

export type OpenDialog =
  | {
      readonly kind: 'start'
      readonly programId?: string
      readonly version?: number
      /** Run again: everything of this Execution copied, and editable. */
      readonly copyOf?: string
      readonly input?: unknown
      /** Of a file that was opened: tells it from another one that begins with the same Program. */
      readonly offer?: number
    }
  | { readonly kind: 'send-event'; readonly executionId: string; readonly name?: string }
  | { readonly kind: 'cancel'; readonly executionId: string }
  | { readonly kind: 'delete'; readonly executionId: string }
  | { readonly kind: 'new-project' }
  | {
      readonly kind: 'deployments'
      readonly deployments: readonly Deployment[]
      /** Tells these files from those before. */
      readonly opened: number
    }
  | { readonly kind: 'palette' }
  | { readonly kind: 'shortcuts' }

export const useDialog = create<{ readonly open: OpenDialog | null }>()(() => ({ open: null }))

export const openDialog = (open: OpenDialog): void => useDialog.setState({ open })
export const closeDialog = (): void => useDialog.setState({ open: null })
