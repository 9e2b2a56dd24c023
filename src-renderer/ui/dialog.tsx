import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { IconButton } from './button.tsx'
import { classNames } from './class-names.ts'
import { focusScreenIfLost } from './focus-screen.ts'
import { swallowSecondClick } from './second-click.ts'
import { visible } from './visible.tsx'

const SIZES = {
  small: 'w-110',
  medium: 'w-160',
  large: 'w-240',
  steady: 'w-240 h-[min(84vh,40rem)] short:h-auto',
} as const

export type DialogProps = {
  readonly onClose: () => void
  /** Its accessible name. */
  readonly title: string
  readonly description?: ReactNode
  /** `steady`: as large as `large`, and of one height, so that nothing moves while its content loads or changes. */
  readonly size?: keyof typeof SIZES
  readonly children: ReactNode
  /** Buttons, in reading order. */
  readonly footer?: ReactNode
  /** Only its buttons close it: for a secret that is shown once. */
  readonly closesByButtonOnly?: boolean
}

/** What a dialog without a `description` asks or says: screen readers read it when the dialog opens. */
export const DialogText = (attributes: ComponentProps<'p'>) => <Base.Description {...attributes} />

const FIRST_FIELD = 'input, textarea, [contenteditable="true"], [data-autofocus]'

/** Where the focus goes when the dialog opens. Fields that load take it from the dialog: `takeFocus`. */
const firstIn = (popup: HTMLElement | null): HTMLElement | null => {
  if (popup?.querySelector('[data-takes-focus]')) {
    const { activeElement } = document
    return activeElement instanceof HTMLElement && popup.contains(activeElement) ? activeElement : popup
  }
  return (
    popup?.querySelector<HTMLElement>('[data-focused-first]') ?? popup?.querySelector<HTMLElement>(FIRST_FIELD) ?? popup
  )
}

/** What opened the dialog may be gone when it closes, such as the button of a list that was empty. */
const useFocusAfter = () => {
  const [wasFocused] = useState(() => document.activeElement !== document.body)
  useEffect(
    () => () => {
      if (!wasFocused) return
      // The library has given it back by then.
      requestAnimationFrame(focusScreenIfLost)
    },
    [wasFocused],
  )
}

/**
 * The focus moves to the first field, stays inside, and returns when the dialog closes, or goes to the screen if
 * its place is gone. Escape and a click outside close the dialog until the user types something; from then on only buttons
 * close it.
 */
export const Dialog = ({
  onClose,
  title,
  description,
  size = 'medium',
  children,
  footer,
  closesByButtonOnly = false,
}: DialogProps) => {
  const popup = useRef<HTMLDivElement>(null)
  const [isTypedIn, setTypedIn] = useState(false)
  const stays = isTypedIn || closesByButtonOnly
  useFocusAfter()
  useEffect(() => swallowSecondClick, [])
  return (
    <Base.Root
      open
      disablePointerDismissal={stays}
      onOpenChange={(next, { reason }) => {
        if (!next && !(stays && reason === 'escape-key')) onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-backdrop" />
        <Base.Popup
          ref={popup}
          onInput={() => setTypedIn(true)}
          // The JSON editor inserts what is pasted itself, without an input event.
          onPaste={() => setTypedIn(true)}
          initialFocus={() => firstIn(popup.current)}
          className={classNames(
            'fixed top-[8vh] left-1/2 z-40 flex max-h-[min(84vh,calc(92vh-var(--toasts,0px)))] max-w-[94vw] -translate-x-1/2 flex-col break-words rounded-lg border border-line bg-page shadow-float max-sm:max-w-full short:top-0 short:max-h-[calc(100%-var(--toasts,0px))] short:overflow-y-auto',
            SIZES[size],
          )}
        >
          <header className="flex items-start gap-4 border-b border-line px-4 py-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-base font-semibold">{visible(title)}</Base.Title>
              {description !== undefined && (
                <Base.Description render={<div />} className="mt-0.5 text-soft">
                  {visible(description)}
                </Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <IconButton label="Close">
                  <X size={16} />
                </IconButton>
              }
            />
          </header>
          <div className="min-h-0 flex-1 overflow-auto px-4 py-3 short:flex-none short:overflow-visible">
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
