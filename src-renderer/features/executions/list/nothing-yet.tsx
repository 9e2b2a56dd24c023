// The list of a project without Executions. Loaded when it is first shown.

import { useQuery } from '@tanstack/react-query'
import { ListTree, Play } from 'lucide-react'
import type { ReactNode } from 'react'
import { programsQuery } from '../../../api/queries.ts'
import { stringifyExactJson } from '../../../exact-json.ts'
import { useScope } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { EmptyList } from '../../../parts/empty-list.tsx'
import { exampleValue } from '../../../parts/json/example-value.ts'
import { isWindows, powerShellSnippet } from '../../../parts/snippets/power-shell.ts'
import type { SnippetTarget } from '../../../parts/snippets/request.ts'
import { cliSnippet, curlSnippet } from '../../../parts/snippets/shell.ts'
import { optionsOf, textLiteral } from '../../../parts/snippets/typescript.ts'
import { useSnippetTarget } from '../../../parts/use-snippet-target.ts'
import { useHold } from '../../../parts/use-hold.ts'
import { useIsLocalCliAsked, useLocalCli } from '../../../parts/use-started-by.ts'
import { useShownSource } from '../../../parts/use-source.ts'
import { NoPrograms } from '../../../parts/no-programs.tsx'
import { QueryContent } from '../../../parts/query-content.tsx'
import { useCannot } from '../../../parts/use-cannot.ts'
import { openDialog } from '../../../stores/dialogs.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { isolated, stringsIn } from '../../../ui/isolated.tsx'

/** For a project, or for one of its Programs. */
export const NoExecutions = ({ programId }: { readonly programId?: string }) => {
  const { data: programs } = useQuery(programsQuery(useScope()))
  const runnable = programs?.find(({ id, runnable: can }) => can && (programId === undefined || id === programId))
  const localCli = useLocalCli()
  // Its snippet has a command only where there is one, and what stands above would move.
  const isHeld = useHold(useIsLocalCliAsked())
  const cannot = useCannot('write')
  const target = useSnippetTarget()
  const hasCli = target.needsToken || localCli !== undefined
  const start = {
    kind: 'start',
    programId: runnable?.id ?? 'PROGRAM',
    input: exampleValue(runnable?.latestVersion.manifest.inputSchema) ?? {},
  } as const
  if (isHeld) return null
  return (
    <EmptyList
      icon={<ListTree size={28} />}
      title={programId === undefined ? 'No Executions yet' : `No Executions of ${programId} yet`}
      actions={
        <Button
          kind="primary"
          icon={<Play size={14} />}
          shortcut="S"
          disabledReason={cannot}
          onClick={() => openDialog({ kind: 'start', ...(programId !== undefined && { programId }) })}
        >
          Start the first one
        </Button>
      }
    >
      <p>
        {target.needsToken
          ? 'Start one here, or from anywhere, with SERVICE_API_BASE_URL and SERVICE_TOKEN in the environment:'
          : 'Start one here, or from anywhere:'}
      </p>
      <div className="mt-3 flex flex-col gap-2 text-left">
        {isWindows ? (
          <Snippet label="PowerShell">{powerShellSnippet(start, target)}</Snippet>
        ) : hasCli ? (
          <Snippet label="Command line">{cliSnippet(start, target)}</Snippet>
        ) : (
          <Snippet label="curl">{curlSnippet(start, target)}</Snippet>
        )}
        <Snippet label="TypeScript">{startLine(start, target)}</Snippet>
      </div>
    </EmptyList>
  )
}

const startLine = (
  { programId, input }: { readonly programId: string; readonly input: unknown },
  target: SnippetTarget,
) => `await createClient(${optionsOf(target)}).start(${textLiteral(programId)}, ${stringifyExactJson(input)})`

const Snippet = ({ label, children }: { readonly label: string; readonly children: string }) => (
  <div className="flex items-center gap-2 rounded-md border border-line bg-sunken py-0.5 pr-1 pl-2.5">
    <code className="min-w-0 flex-1 py-1 font-mono text-xs break-all whitespace-pre-wrap text-ink">
      {isolated(stringsIn(children))}
    </code>
    <CopyButton label={`Copy for ${label}`} text={children} />
  </div>
)

/** For a whole project, without a filter. */
export const NothingYet = (): ReactNode => {
  const scope = useScope()
  const query = useQueryKeepingError(programsQuery(scope))
  const source = useShownSource()
  return (
    <QueryContent what="the Programs" query={query}>
      {(programs) => (programs.length === 0 ? <NoPrograms source={source} /> : <NoExecutions />)}
    </QueryContent>
  )
}
