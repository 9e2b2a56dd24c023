import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { notifyFault } from './toasts.tsx'
import { writeToClipboard } from './write-to-clipboard.ts'

const SHOWN_MS = 1_500

/** Copies a text, and shows whether that succeeded: a toast says so if not, because a hint closes with a click. */
export const CopyButton = ({
  label,
  text,
  isFirst = false,
}: {
  readonly label: string
  readonly text: string | (() => string)
  /** Takes the focus when it appears, also in a dialog that opens. */
  readonly isFirst?: boolean
}) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    writeToClipboard(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => notifyFault('The browser refused to copy'),
    )
  }
  return (
    <>
      <IconButton label={label} onClick={copy} small {...(isFirst && { autoFocus: true, 'data-focused-first': true })}>
        {isCopied ? <Check size={14} className="text-completed" /> : <Copy size={14} />}
      </IconButton>
      {/* Not in the button, whose content screen readers read as its name only. */}
      <span role="status" className="sr-only">
        {isCopied && 'Copied'}
      </span>
    </>
  )
}
