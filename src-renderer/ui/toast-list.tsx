// The toasts on screen. Loaded separately, before the first toast.

import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { showNotices } from './toasts.tsx'
import { visible } from './visible.tsx'

const Notices = () => {
  const { toasts, add } = Toast.useToastManager()
  useEffect(() => showNotices(add), [add])
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // Otherwise the library gives a toast the role of a dialog, and no shortcut works while one is shown.
      role="group"
      aria-modal={undefined}
      className={classNames(
        'flex items-start gap-2 rounded-md border bg-raised px-3 py-2 shadow-float',
        toast.type === 'fault' ? 'border-failed' : 'border-line',
      )}
    >
      <Toast.Content className="min-w-0 flex-1">
        <Toast.Title className="font-medium">{visible(toast.title)}</Toast.Title>
        <Toast.Description className="break-words text-soft">{visible(toast.description)}</Toast.Description>
      </Toast.Content>
      <Toast.Close
        // Toasts never overlap here, so each can be dismissed at any time.
        aria-hidden={false}
        render={
          <IconButton label="Dismiss" small>
            <X size={14} aria-hidden="true" />
          </IconButton>
        }
      />
    </Toast.Root>
  ))
}

/** Render once, at the root. */
export const ToastList = () => (
  <Toast.Provider limit={4}>
    <Toast.Portal>
      <Toast.Viewport className="fixed right-4 bottom-4 z-50 flex w-90 max-w-[90vw] flex-col gap-2">
        <Notices />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)
