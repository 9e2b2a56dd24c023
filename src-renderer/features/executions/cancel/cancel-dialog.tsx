// "Cancel execution", and deleting one that has ended: what will happen, before it does.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Execution } from '#sdk/index.ts'
import { executionCannot, type Refusal } from '../../../api/capabilities.ts'
import { failureOf, wordsOf } from '../../../api/failures.ts'
import { executionQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { QueryFault } from '../../../parts/query-fault.tsx'
import { QueryLoading } from '../../../parts/query-loading.tsx'
import { SHORTCUTS, useShortcut } from '../../../parts/shortcuts.ts'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { whatCancelDoes } from './what-cancel-does.ts'

type DialogProps = { readonly executionId: string; readonly onClose: () => void }

export const CancelDialog = ({ executionId, onClose }: DialogProps) => {
  const scope = useScope()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => scope.anyProject.cancelExecution(executionId),
    onSuccess: ({ status }) => {
      notify(status === 'cancelled' ? 'The Execution is cancelled' : 'The Execution is being cancelled')
      void queries.invalidateQueries({ queryKey: executionQuery(scope, executionId).queryKey })
      onClose()
    },
  })
  return (
    <Deed
      executionId={executionId}
      onClose={onClose}
      title="Cancel execution"
      action="Cancel execution"
      icon={<Ban size={14} aria-hidden="true" />}
      keep="Keep it running"
      cannot={executionCannot.beCancelled}
      tell={whatCancelDoes}
      deed={cancel}
      refused="It was not cancelled"
    />
  )
}

export const DeleteDialog = ({
  executionId,
  onClose,
  onDelete,
}: DialogProps & {
  /** Called when it is gone, for screens that show it to show something else. */
  readonly onDelete: (id: string) => void
}) => {
  const scope = useScope()
  const remove = useMutation({
    mutationFn: () => scope.anyProject.deleteExecution(executionId),
    onSuccess: () => {
      onDelete(executionId)
      notify('The Execution is deleted')
      onClose()
    },
  })
  return (
    <Deed
      executionId={executionId}
      onClose={onClose}
      title="Delete execution"
      action="Delete execution"
      icon={<Trash2 size={14} aria-hidden="true" />}
      keep="Keep it"
      cannot={executionCannot.beDeleted}
      tell={() => 'Deletes the Execution and its history. This cannot be undone.'}
      deed={remove}
      refused="It was not deleted"
    />
  )
}

/** Something that cannot be taken back. */
const Deed = ({
  executionId,
  onClose,
  title,
  action,
  icon,
  keep,
  cannot,
  tell,
  deed,
  refused,
}: DialogProps & {
  readonly title: string
  readonly action: string
  readonly icon: ReactNode
  readonly keep: string
  readonly cannot: (execution: Execution) => Refusal
  readonly tell: (execution: Execution) => string
  readonly deed: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown }
  readonly refused: string
}) => {
  const scope = useScope()
  // Not read again while the request is under way: it may be deleted by then.
  const query = { ...executionQuery(scope, executionId), enabled: !deed.isPending }
  const { data: execution, error, refetch } = useQueryKeepingError(query)
  const refusal = execution === undefined ? undefined : cannot(execution)
  const act = () => {
    if (execution !== undefined && refusal === undefined && !deed.isPending) deed.mutate()
  }
  useShortcut('submit', act)
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      size="small"
      footer={
        <>
          <Button data-autofocus onClick={onClose}>
            {refusal === undefined ? keep : 'Close'}
          </Button>
          <Button
            kind="danger"
            icon={icon}
            shortcut={SHORTCUTS.submit.shown}
            busy={deed.isPending}
            disabledReason={refusal}
            onClick={act}
          >
            {action}
          </Button>
        </>
      }
    >
      {execution === undefined ? (
        error === null ? (
          <QueryLoading what="the Execution" queryKey={query.queryKey} />
        ) : (
          <QueryFault what={`Execution ${executionId}`} error={error} onRetry={() => void refetch()} />
        )
      ) : (
        <div className="flex flex-col gap-3">
          {deed.error !== null && deed.error !== undefined && <Refused title={refused} error={deed.error} />}
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{execution.programId}</span>
            <StatusBadge status={execution.status} />
            <span className="font-mono text-xs break-all text-soft">{execution.id}</span>
          </p>
          <p role="status">{refusal === undefined ? tell(execution) : `${refusal}.`}</p>
        </div>
      )}
    </Dialog>
  )
}

const Refused = ({ title, error }: { readonly title: string; readonly error: unknown }) => {
  const failure = failureOf(error)
  const words = wordsOf(failure, 'No answer came. Try again when the runtime answers.')
  return (
    <div className="-m-5 mb-0">
      <Fault title={title} message={words} code={failure.code} />
    </div>
  )
}
