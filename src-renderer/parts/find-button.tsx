import { type KeyboardEvent, type ReactNode, Suspense, useState } from 'react'
import { PartGuard } from './part-guard.tsx'

export type OpenedList = {
  readonly anchor: HTMLElement | null
  /** What is searched for. */
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
}

type FindButtonProps = {
  /** What it selects and what is selected: `Project: Default`. */
  readonly label: string
  readonly className: string
  readonly children: ReactNode
  /** A `FindList`, which is loaded when it is first shown. */
  readonly list: (opened: OpenedList) => ReactNode
}

/** Opens a list in which the user searches. */
export const FindButton = ({ label, className, children, list }: FindButtonProps) => {
  const [isOpen, setOpen] = useState(false)
  const [anchor, setAnchor] = useState<HTMLButtonElement | null>(null)
  const [text, setText] = useState('')
  const onClose = () => setOpen(false)
  const toggle = () => {
    setText('')
    setOpen(!isOpen)
  }
  // Until the list is loaded and takes the focus, the button gets what is typed for its search.
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || !isTyped(event) || (event.key === ' ' && text === '')) return
    event.preventDefault()
    event.stopPropagation()
    setText((before) => before + event.key)
  }
  return (
    <>
      <button
        ref={setAnchor}
        type="button"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={toggle}
        onKeyDown={onKeyDown}
        className={`flex min-w-0 items-center rounded-md border border-line-strong bg-raised text-left hover:bg-hover ${className}`}
      >
        {children}
      </button>
      {isOpen && (
        <PartGuard title="The list could not be shown" close={onClose}>
          <Suspense>{list({ anchor, text, onText: setText, onClose })}</Suspense>
        </PartGuard>
      )}
    </>
  )
}

const isTyped = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey
