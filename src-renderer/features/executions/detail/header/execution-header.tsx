import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Execution } from '#sdk/index.ts'
import { runsAgainQuery } from '../../../../api/runs-again-query.ts'
import { useScope, useScopeIn } from '../../../../api/scope.ts'
import { Fact } from '../../../../parts/fact.tsx'
import { count } from '../../../../parts/format.ts'
import { ExecutionLink, ProgramLink } from '../../../../parts/links.tsx'
import { backsOff, StatusBadge, StatusIcon } from '../../../../parts/status-badge.tsx'
import { Ago, At, Elapsed } from '../../../../parts/time.tsx'
import { paths } from '../../../../paths.ts'
import { CopyButton } from '../../../../ui/copy-button.tsx'
import { PageHeader } from '../../../../ui/page-header.tsx'
import { BackLink } from '../../list/back-link.tsx'
import { ExecutionActions } from './execution-actions.tsx'
import { visible } from '../../../../ui/visible.tsx'

export const ExecutionHeader = ({
  execution,
  isDeleted,
}: {
  readonly execution: Execution
  readonly isDeleted: boolean
}) => (
  <>
    <PageHeader
      back={<BackLink />}
      title={
        <>
          <ProgramLink id={execution.programId} />
          <span className="sr-only">: Execution {execution.id}</span>
        </>
      }
      actions={<ExecutionActions execution={execution} isDeleted={isDeleted} />}
    >
      <Link
        {...paths.programVersion(execution.programId, execution.versionNumber)}
        className="tabular rounded-sm text-soft hover:underline"
      >
        version {execution.versionNumber}
      </Link>
      <StatusBadge status={execution.status} backingOff={backsOff(execution)} />
    </PageHeader>
    <Facts execution={execution} />
  </>
)

const Facts = ({ execution }: { readonly execution: Execution }) => {
  const { label, startedAt, finishedAt, createdAt, cancelRequestedAt, againOf, trigger } = execution
  return (
    <dl className="flex shrink-0 flex-wrap items-baseline gap-x-6 gap-y-1 border-b border-line bg-sunken px-5 py-1.5">
      <Fact term="Id">
        <span className="font-mono text-xs">{execution.id}</span>
        <CopyButton label="Copy the id" text={execution.id} />
      </Fact>
      {label !== undefined && (
        <Fact term="Label">
          <span className="min-w-0 break-words">{visible(label)}</span>
        </Fact>
      )}
      {startedAt === undefined ? (
        <Fact term="Accepted">
          <Ago at={createdAt} />
        </Fact>
      ) : (
        <Fact term="Started">
          <At at={startedAt} />
          {/* On a phone it has a line of its own; between, it would take one. */}
          <span className="text-faint sm:max-lg:hidden">
            (<Ago at={startedAt} />)
          </span>
        </Fact>
      )}
      {startedAt !== undefined && (
        <Fact term="Duration">
          <Elapsed from={startedAt} to={finishedAt} />
        </Fact>
      )}
      {trigger !== undefined && (
        <Fact term={`Started by ${trigger.type}`}>
          <Link {...paths.trigger(trigger.id)} className="rounded-sm font-mono text-xs text-accent hover:underline">
            {trigger.id}
          </Link>
        </Fact>
      )}
      {againOf !== undefined && (
        <Fact term="Run again of">
          <Link {...paths.execution(againOf)} className="rounded-sm font-mono text-xs text-accent hover:underline">
            {againOf}
          </Link>
        </Fact>
      )}
      <RunAgainAs execution={execution} />
      {cancelRequestedAt !== undefined && (
        <Fact term="Cancel requested">
          <Ago at={cancelRequestedAt} />
        </Fact>
      )}
    </dl>
  )
}

/** How many ids an address of the list may have. */
const MOST_IDS = 100

/** The newest run, also of another run of it: it tells whether somebody took care of a failure. */
const RunAgainAs = ({ execution: { id, projectId, programId } }: { readonly execution: Execution }) => {
  const scope = useScopeIn(projectId)
  const isOnScreen = useScope() === scope
  const runs = useQuery(runsAgainQuery(scope, [id], programId)).data?.[id] ?? []
  const [newest, ...others] = runs
  if (newest === undefined) return null
  const all = { againOf: [id, ...runs.map((run) => run.id)].slice(0, MOST_IDS) }
  const more = others.length === 0 ? '' : `and ${count(others.length)} before`
  return (
    <Fact term="Run again as">
      <ExecutionLink id={newest.id} className="text-accent" />
      <StatusIcon status={newest.status} />
      {newest.status}
      {isOnScreen && more !== '' ? (
        <Link {...paths.executions(all)} className="rounded-sm text-accent hover:underline">
          {more}
        </Link>
      ) : (
        more
      )}
    </Fact>
  )
}
