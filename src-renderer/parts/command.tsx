import { CopyButton } from '../ui/copy-button.tsx'
import { visible } from '../ui/visible.tsx'
import { wordsOf } from './snippets/shell.ts'

/** A terminal command with a copy button. */
export const Command = ({ text }: { readonly text: string }) => (
  <span className="inline-flex max-w-full items-center gap-1 rounded bg-sunken px-1.5 text-left font-mono text-xs text-ink">
    <span className="min-w-0">
      {wordsOf(text).map((word, at) => (
        // A line ends between words, and not at the hyphens of a flag, while there is room for the whole word.
        <span key={at}>
          {at > 0 && ' '}
          <span className="inline-block max-w-full wrap-anywhere">{visible(word)}</span>
        </span>
      ))}
    </span>
    <CopyButton label={`Copy ${text}`} text={text} />
  </span>
)
