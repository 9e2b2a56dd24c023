// Copies what a dialog or screen does as a line for the terminal, or as code.

import { ClipboardCopy } from 'lucide-react'
import { useScope } from '../api/scope.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { notify, notifyFault } from '../ui/toasts.tsx'
import { useDesktopRuntime } from './desktop-runtime.ts'
import { DEFAULT_URL, type SnippetRequest, type SnippetTarget } from './snippets/request.ts'
import { rustSnippet } from './snippets/rust.ts'
import { cliSnippet, curlSnippet } from './snippets/shell.ts'
import { typeScriptSnippet } from './snippets/typescript.ts'

const LANGUAGES = [
  { label: 'curl', write: curlSnippet },
  { label: 'TypeScript', write: typeScriptSnippet },
  { label: 'Rust', write: rustSnippet },
  { label: 'CLI', write: cliSnippet },
] as const

/** More does not fit into one argument of a command. */
const LARGEST_SNIPPET = 100_000

/** One of several things to copy; `does` stands before each language. */
export type CopyChoice = { readonly does: string; readonly request: () => SnippetRequest }

export const CopyAs = ({
  request,
  projectId,
  disabledReason,
}: {
  /** Called when something is copied. */
  readonly request: (() => SnippetRequest) | readonly CopyChoice[]
  /** Without it, the project that the screen looks at. */
  readonly projectId?: string | undefined
  readonly disabledReason?: string | undefined
}) => {
  const target = useSnippetTarget(projectId)
  const copy = (asked: SnippetRequest, { label, write }: (typeof LANGUAGES)[number]) => {
    const text = write(asked, target)
    if (text.length > LARGEST_SNIPPET) {
      notifyFault(`Not copied as ${label}`, 'The value is too large for a snippet.')
      return
    }
    navigator.clipboard.writeText(text).then(
      () => notify(`Copied as ${label}`),
      () => notifyFault('The browser refused to copy'),
    )
  }
  const button = (
    <Button icon={<ClipboardCopy size={14} aria-hidden="true" />} disabledReason={disabledReason}>
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

/** Where a program outside of this page finds the service. */
const useSnippetTarget = (projectId: string | undefined): SnippetTarget => {
  const scope = useScope()
  const runtime = useDesktopRuntime()
  const chosen = projectId ?? scope.projectId ?? 'default'
  const isLocal = scope.connection.kind === 'local'
  return {
    url: isLocal ? localUrl(runtime?.kind === 'ready' ? runtime.url : undefined) : window.location.origin,
    projectId: chosen === 'default' ? undefined : chosen,
    needsToken: !isLocal,
  }
}

/** The desktop app's page has an origin of its own, which nobody else can reach. */
const localUrl = (runtimeUrl: string | undefined): string => {
  if (runtimeUrl !== undefined) return runtimeUrl
  return window.location.protocol.startsWith('http') ? window.location.origin : DEFAULT_URL
}
