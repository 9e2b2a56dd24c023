// Copies a request as a terminal command or as code.

import { ClipboardCopy } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { notifyFault } from '../ui/toasts.tsx'
import { copyText } from './copy-text.ts'
import { isWindows, powerShellSnippet } from './snippets/power-shell.ts'
import type { SnippetRequest, SnippetTarget } from './snippets/request.ts'
import { rustSnippet } from './snippets/rust.ts'
import { cliSnippet, curlSnippet } from './snippets/shell.ts'
import { typeScriptSnippet } from './snippets/typescript.ts'
import { useSnippetTarget } from './use-snippet-target.ts'

type Language = {
  readonly label: string
  readonly write: (request: SnippetRequest, target: SnippetTarget) => string
}

/** Those for a POSIX shell come last on Windows, and say so. */
const LANGUAGES: readonly Language[] = isWindows
  ? [
      { label: 'PowerShell', write: powerShellSnippet },
      { label: 'TypeScript', write: typeScriptSnippet },
      { label: 'Rust', write: rustSnippet },
      { label: 'curl (bash)', write: curlSnippet },
      { label: 'CLI (bash)', write: cliSnippet },
    ]
  : [
      { label: 'curl', write: curlSnippet },
      { label: 'TypeScript', write: typeScriptSnippet },
      { label: 'Rust', write: rustSnippet },
      { label: 'CLI', write: cliSnippet },
    ]

/** Longer text does not fit into one argument of a command. */
const LARGEST_SNIPPET = 100_000

/** One of several requests; `does` precedes the name of each language. */
export type CopyChoice = { readonly does: string; readonly request: () => SnippetRequest }

export const CopyAs = ({
  request,
  projectId,
  disabledReason,
}: {
  /** Called after a copy. */
  readonly request: (() => SnippetRequest) | readonly CopyChoice[]
  /** The default is the screen's project. */
  readonly projectId?: string | undefined
  readonly disabledReason?: string | undefined
}) => {
  const target = useSnippetTarget(projectId)
  const copy = (asked: SnippetRequest, { label, write }: Language) => {
    const text = write(asked, target)
    if (text.length > LARGEST_SNIPPET) {
      notifyFault(`Not copied as ${label}`, { detail: 'The value is too large for a snippet.' })
      return
    }
    copyText(text, `Copied as ${label}`)
  }
  const button = (
    <Button icon={<ClipboardCopy size={14} />} disabledReason={disabledReason}>
      Copy as
    </Button>
  )
  if (disabledReason !== undefined) return button
  const choices = typeof request === 'function' ? [{ does: '', request }] : request
  return (
    <Menu
      label="Copy as"
      align="start"
      trigger={button}
      groups={choices.map((choice) =>
        LANGUAGES.map((language) => ({
          label: choice.does === '' ? language.label : `${choice.does}: ${language.label}`,
          onSelect: () => copy(choice.request(), language),
        })),
      )}
    />
  )
}
