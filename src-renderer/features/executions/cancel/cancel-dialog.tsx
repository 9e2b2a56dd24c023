// The dialogs "Cancel execution" and "Delete execution". Each says what will happen, and asks first.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Ban, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Execution } from '#sdk/index.ts'
import { executionCannot, GONE, type Refusal } from '../../../api/capabilities.ts'
import { useConnection } from '../../../api/connection.ts'
import { failureOf, titleOf, wordsOf } from '../../../api/failures.ts'
import { executionQuery } from '../../../api/queries.ts'
import { deletionKey, executionKey } from '../../../api/query-keys.ts'
import { useScope } from '../../../api/scope.ts'
import { useQueryKeepingError } from '../../../api/use-query-keeping-error.ts'
import { QueryContent } from '../../../parts/query-content.tsx'
import { SHORTCUTS, useSubmitShortcut } from '../../../parts/shortcuts.ts'
import { StatusBadge } from '../../../parts/status-badge.tsx'
import { notTyped, TypeToConfirm } from '../../../parts/type-to-confirm.tsx'
import { useCannot } from '../../../parts/use-cannot.ts'
import { questionOn } from '../../../parts/use-confirm.ts'
import { useLeave } from '../../../parts/use-leave.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogText } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { useBackToList } from '../list/back-link.tsx'
import { describeCancel } from './describe-cancel.ts'

type DialogProps = { readonly executionId: string; readonly onClose: () => void }

export const CancelDialog = ({ executionId, onClose }: DialogProps) => {
  const scope = useScope()
  const queries = useQueryClient()
  const cancel = useMutation({
    mutationFn: () => scope.anyProject.cancelExecution(executionId),
    onSuccess: ({ status }) => {
      const done = status === 'cancelled' ? 'The Execution is cancelled' : 'The Execution is being cancelled'
      notify(done, { place: scope.connection })
      void queries.invalidateQueries({ queryKey: executionQuery(scope, executionId).queryKey })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      executionId={executionId}
      onClose={onClose}
      title="Cancel execution"
      action="Cancel execution"
      icon={<Ban size={14} />}
      keep="Keep it running"
      cannot={executionCannot.beCancelled}
      describe={describeCancel}
      mutation={cancel}
      refused="The Execution was not cancelled"
    />
  )
}

export const DeleteDialog = ({ executionId, onClose }: DialogProps) => {
  const scope = useScope()
  const leave = useLeave()
  const { all, inProgram } = useBackToList()
  const queries = useQueryClient()
  const reads = [executionKey(scope, 'execution', executionId), executionKey(scope, 'history', executionId)]
  const remove = useMutation({
    mutationKey: deletionKey(executionId),
    // A read that is under way could come too late.
    onMutate: () => Promise.all(reads.map((queryKey) => queries.cancelQueries({ queryKey }))),
    mutationFn: () => scope.anyProject.deleteExecution(executionId),
    onError: () => {
      for (const queryKey of reads) void queries.invalidateQueries({ queryKey })
    },
    onSuccess: () => {
      // As a new visit: the row that the last one would give the focus is gone.
      leave(`/executions/${executionId}`, { ...(inProgram ?? all), state: {} })
      notify('The Execution is deleted', { place: scope.connection })
      onClose()
    },
  })
  return (
    <ConfirmDialog
      executionId={executionId}
      onClose={onClose}
      title="Delete execution"
      action="Delete execution"
      icon={<Trash2 size={14} />}
      keep="Keep it"
      cannot={executionCannot.beDeleted}
      describe={() => 'Deletes the Execution and its history. This cannot be undone.'}
      mutation={remove}
      refused="The Execution was not deleted"
    />
  )
}

/** Asks before a mutation that cannot be undone. */
const ConfirmDialog = ({
  executionId,
  onClose,
  title,
  action,
  icon,
  keep,
  cannot,
  describe,
  mutation,
  refused,
}: DialogProps & {
  readonly title: string
  readonly action: string
  readonly icon: ReactNode
  readonly keep: string
  readonly cannot: (execution: Execution) => Refusal
  readonly describe: (execution: Execution) => string
  readonly mutation: { readonly mutate: () => void; readonly isPending: boolean; readonly error: unknown }
  readonly refused: string
}) => {
  const scope = useScope()
  // Do not read it again while the request is under way: it may be deleted by then.
  const query = useQueryKeepingError({ ...executionQuery(scope, executionId), enabled: !mutation.isPending })
  const execution = query.data
  const connection = useConnection()
  const always = useCannot('write')
  const [typed, setTyped] = useState('')
  const isDeleted = failureOf(query.error).kind === 'missing'
  const refusal = execution === undefined ? undefined : (always ?? (isDeleted ? GONE : cannot(execution)))
  const question = questionOn({ title, action, text: execution === undefined ? '' : describe(execution) }, connection)
  const off = refusal ?? notTyped(question.typed, typed)
  const act = () => {
    if (execution !== undefined && off === undefined && !mutation.isPending) mutation.mutate()
  }
  useSubmitShortcut(act)
  return (
    <Dialog
      onClose={onClose}
      title={title}
      size="small"
      footer={
        <>
          <Button {...(question.typed === undefined && { 'data-autofocus': true })} onClick={onClose}>
            {refusal === undefined ? keep : 'Close'}
          </Button>
          <Button
            kind="danger"
            icon={icon}
            shortcut={SHORTCUTS.submit.shown}
            busy={mutation.isPending}
            disabledReason={off}
            onClick={act}
          >
            {action}
          </Button>
        </>
      }
    >
      <QueryContent what="the Execution" query={query}>
        {(shown) => (
          <div className="flex flex-col gap-3">
            {mutation.error !== null && mutation.error !== undefined && (
              <Refused title={refused} error={mutation.error} />
            )}
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{shown.programId}</span>
              <StatusBadge status={shown.status} />
              <span className="font-mono text-xs break-all text-soft">{shown.id}</span>
            </p>
            <DialogText role="status">{refusal === undefined ? question.text : `${refusal}.`}</DialogText>
            {refusal === undefined && question.typed !== undefined && (
              <TypeToConfirm expected={question.typed} typed={typed} onType={setTyped} />
            )}
          </div>
        )}
      </QueryContent>
    </Dialog>
  )
}

const Refused = ({ title, error }: { readonly title: string; readonly error: unknown }) => {
  const failure = failureOf(error)
  const words = wordsOf(failure, 'It may have been done all the same. You can try again.')
  return <Fault className="mb-5" title={titleOf(failure, title)} message={words} code={failure.code} />
}
