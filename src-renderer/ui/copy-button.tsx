import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './button.tsx'
import { writeToClipboard } from './write-to-clipboard.ts'

const SHOWN_MS = 1_500

/** Copies a text, and shows whether that succeeded. */
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
  const [outcome, setOutcome] = useState<'idle' | 'copied' | 'refused'>('idle')
  useEffect(() => {
    if (outcome === 'idle') return
    const timer = setTimeout(() => setOutcome('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    writeToClipboard(typeof text === 'string' ? text : text()).then(
      () => setOutcome('copied'),
      () => setOutcome('refused'),
    )
  }
  return (
    <>
      <IconButton
        label={outcome === 'refused' ? 'The browser refused to copy' : label}
        onClick={copy}
        small
        {...(isFirst && { autoFocus: true, 'data-focused-first': true })}
      >
        {outcome === 'copied' ? <Check size={14} className="text-completed" /> : <Copy size={14} />}
      </IconButton>
      {/* Not in the button, whose content screen readers read as its name only. */}
      <span role="status" className="sr-only">
        {outcome === 'copied' && 'Copied'}
      </span>
    </>
  )
}
