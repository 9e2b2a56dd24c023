import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { bulkQuery } from '../../api/executions-query.ts'
import { failureOf } from '../../api/failures.ts'
import { useScope } from '../../api/scope.ts'
import { serviceNow } from '../../api/service-clock.ts'
import { count, DAY_MS, plural } from '../../parts/format.ts'
import { ProgressBar } from '../../parts/progress-bar.tsx'
import { notifyBulkFailure, notifyFailure, STOP_AGAIN } from '../../parts/notify-failure.ts'
import { useConfirm } from '../../parts/use-confirm.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Row } from '../../parts/section.tsx'
import { useCannot } from '../../parts/use-cannot.ts'

const AGES = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
] as const
type Age = (typeof AGES)[number]['value']

const ENDED = ['completed', 'failed', 'cancelled'] as const

const KEPT = {
  local: 'Executions of this project are kept until you delete them.',
  hosted:
    'Ended Executions of this project are deleted after the workspace’s retention. You can delete them earlier here.',
} as const

/** Deletes old Executions: counts them first, and asks. */
export const Retention = () => {
  const scope = useScope()
  const [bulkId, setBulkId] = useState<string>()
  const [days, setDays] = useState<Age>('30')
  const confirm = useConfirm()
  const cannot = useCannot('write')
  const remove = async (): Promise<void> => {
    const filter = {
      status: [...ENDED],
      finishedBefore: new Date(serviceNow(scope.connection) - Number(days) * DAY_MS),
    }
    let isSent = false
    try {
      const { counts } = await scope.client.countExecutions(filter)
      const matched = counts.completed + counts.failed + counts.cancelled
      if (matched === 0) return notify('No Execution ended that long ago', { place: scope.connection })
      const agreed = await confirm({
        title: 'Delete old Executions',
        text: `${plural(matched, 'Execution')} of this project ended more than ${days === '1' ? 'a day' : `${days} days`} ago. They and their histories are deleted. This cannot be undone.`,
        action: `Delete ${plural(matched, 'Execution')}`,
        danger: true,
      })
      if (!agreed) return
      isSent = true
      setBulkId((await scope.client.startBulk({ action: 'delete', filter })).id)
    } catch (error) {
      notifyBulkFailure(failureOf(error), 'Nothing was deleted', isSent, scope.connection)
    }
  }
  const clean = useMutation({ mutationFn: remove })
  return (
    <>
      <Row label="Retention" note={`${KEPT[scope.connection.kind]} You will see the count first.`}>
        <Select label="Ended more than" value={days} options={AGES} onChange={setDays} className="w-28" />
        <Button busy={clean.isPending} disabledReason={cannot} onClick={() => clean.mutate()}>
          Delete…
        </Button>
      </Row>
      {bulkId !== undefined && <Deleting key={bulkId} id={bulkId} />}
    </>
  )
}

/** The progress of the deletion, which continues when the user leaves this screen. */
const Deleting = ({ id }: { readonly id: string }) => {
  const scope = useScope()
  const { data: bulk, error } = useQuery(bulkQuery(scope, id))
  const stop = useMutation({
    mutationFn: () => scope.anyProject.stopBulk(id),
    onError: (failure) =>
      notifyFailure(failureOf(failure), 'The deletion was not stopped', STOP_AGAIN, scope.connection),
  })
  if (bulk === undefined) {
    if (error === null) return null
    return <p role="status">The progress could not be loaded: {failureOf(error).message}</p>
  }
  const { status, matched, done, failed } = bulk
  const isRunning = status === 'running'
  return (
    <div className="flex flex-wrap items-center gap-3">
      {isRunning && <ProgressBar label="Deleting" value={done + failed} max={matched} />}
      <p role="status" aria-busy={isRunning} className="tabular text-soft">
        {isRunning ? `Deleting: ${count(done + failed)} of ${count(matched)}` : `Deleted ${plural(done, 'Execution')}`}
        {status === 'stopped' && done < matched && `, stopped before the other ${count(matched - done)}`}
      </p>
      {isRunning && (
        <Button busy={stop.isPending} onClick={() => stop.mutate()}>
          Stop
        </Button>
      )}
    </div>
  )
}
