import { Link } from '@tanstack/react-router'
import type { Execution } from '#sdk/index.ts'
import { Fact } from '../../../../parts/fact.tsx'
import { ProgramLink } from '../../../../parts/links.tsx'
import { backsOff, StatusBadge } from '../../../../parts/status-badge.tsx'
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
      {cancelRequestedAt !== undefined && (
        <Fact term="Cancel requested">
          <Ago at={cancelRequestedAt} />
        </Fact>
      )}
    </dl>
  )
}
