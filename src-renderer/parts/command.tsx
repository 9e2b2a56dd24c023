import { CopyButton } from '../ui/copy-button.tsx'
import { visible } from '../ui/visible.tsx'

/** A terminal command with a copy button. */
export const Command = ({ text }: { readonly text: string }) => (
  <span className="inline-flex max-w-full items-center gap-1 rounded bg-sunken px-1.5 text-left font-mono text-xs text-ink">
    <span className="min-w-0 wrap-anywhere">{visible(text)}</span>
    <CopyButton label={`Copy ${text}`} text={text} />
  </span>
)
