// The toasts on screen. Loaded separately, before the first toast.

import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { type Place, showNotices, usePlaceOnScreen } from './toasts.tsx'
import { visible } from './visible.tsx'

type Data = { readonly times: number; readonly place: Place | undefined }

const Notices = () => {
  const { toasts, add, close } = Toast.useToastManager<Data>()
  const placeOnScreen = usePlaceOnScreen()
  const times = useRef(new Map<string, number>())
  useEffect(
    () =>
      // One that says the same takes the place of the one before, and stays as long again.
      showNotices({
        add: ({ place, ...notice }) => {
          const id = JSON.stringify([place?.id, notice.type, notice.title, notice.description])
          const now = (times.current.get(id) ?? 0) + 1
          times.current.set(id, now)
          add({ ...notice, id, data: { times: now, place }, onClose: () => void times.current.delete(id) })
        },
        closeOf: (placeId) => {
          for (const id of times.current.keys()) if ((JSON.parse(id) as readonly unknown[])[0] === placeId) close(id)
        },
      }),
    [add, close],
  )
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      // Otherwise the library gives a toast the role of a dialog, and no shortcut works while one is shown.
      role="group"
      aria-modal={undefined}
      className={classNames(
        // The library only marks those beyond its limit.
        'flex items-start gap-2 rounded-md border bg-raised px-3 py-2 shadow-float data-limited:hidden max-sm:not-first:hidden short:not-first:hidden',
        toast.type === 'fault' ? 'border-failed' : 'border-line',
      )}
    >
      <Toast.Content className="min-w-0 flex-1">
        <p className="flex items-baseline gap-2">
          <Toast.Title render={<span />} className="min-w-0 font-medium break-words">
            {visible(toast.title)}
          </Toast.Title>
          {toast.data !== undefined && toast.data.times > 1 && (
            <span className="tabular shrink-0 text-xs text-faint">{toast.data.times} times</span>
          )}
        </p>
        <Toast.Description className="line-clamp-6 break-words text-soft">
          {visible(toast.description)}
        </Toast.Description>
        {toast.data?.place !== undefined && toast.data.place.id !== placeOnScreen && (
          <p className="text-xs break-words text-soft">Connection: {visible(toast.data.place.name)}</p>
        )}
      </Toast.Content>
      <Toast.Close
        // Toasts never overlap here, so each can be dismissed at any time.
        aria-hidden={false}
        render={
          <IconButton label="Dismiss" small>
            <X size={14} />
          </IconButton>
        }
      />
    </Toast.Root>
  ))
}

/** Tells dialogs how much room toasts take at the bottom of the screen, so that no button is below them. */
const useRoomForDialogs = () => {
  const viewport = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      const height = entry?.contentRect.height ?? 0
      document.documentElement.style.setProperty('--toasts', `${height === 0 ? 0 : height + 2 * EDGE_PX}px`)
    })
    observer.observe(viewport.current!)
    return () => observer.disconnect()
  }, [])
  return viewport
}

/** Between toasts and the edge of the screen, as its classes say. */
const EDGE_PX = 16

const List = () => (
  <Toast.Viewport
    ref={useRoomForDialogs()}
    className="fixed right-4 bottom-4 z-50 flex w-90 max-w-[calc(100vw-2rem)] flex-col gap-2"
  >
    <Notices />
  </Toast.Viewport>
)

/** Render once, at the root. */
export const ToastList = () => (
  <Toast.Provider limit={3}>
    <Toast.Portal>
      <List />
    </Toast.Portal>
  </Toast.Provider>
)
