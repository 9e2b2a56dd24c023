// A button that fires a timer, times out a wait or retries an effect now instead of when it is due.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { FastForward } from 'lucide-react'
import { failureOf } from '../../../api/failures.ts'
import { executionQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { notifyFailure } from '../../../parts/notify-failure.ts'
import { useCannot } from '../../../parts/use-cannot.ts'
import { useConfirmOnHosted } from '../../../parts/use-confirm.ts'
import { Button } from '../../../ui/button.tsx'
import { notify } from '../../../ui/toasts.tsx'
import type { Command } from './journal/commands.ts'

/** `text`: what cannot be undone. A retry is due anyway. */
const WORDS = {
  fire: {
    label: 'Fire now',
    done: 'Fired',
    title: 'Fire the timer now?',
    text: 'The Program goes on as if the time had come. This cannot be undone.',
  },
  'time-out': {
    label: 'Time out now',
    done: 'Timed out',
    title: 'Time out the wait now?',
    text: 'The Program goes on as if the event had not arrived in time. This cannot be undone.',
  },
  retry: { label: 'Retry now', done: 'Retry started', title: undefined, text: undefined },
} as const

type ActEarlyProps = {
  readonly verb: keyof typeof WORDS
  readonly executionId: string
  /** Undefined until the history is loaded. */
  readonly command: Command | undefined
}

export const ActEarly = ({ verb, executionId, command }: ActEarlyProps) => {
  const scope = useScope()
  const queries = useQueryClient()
  const cannot = useCannot('write')
  const confirm = useConfirmOnHosted()
  const { label, done, title, text } = WORDS[verb]
  const act = useMutation({
    mutationFn: (number: number) =>
      verb === 'retry'
        ? scope.anyProject.retryCommand(executionId, number)
        : scope.anyProject.fireCommand(executionId, number),
    onSuccess: () => notify(done, { place: scope.connection }),
    onError: (error) => {
      const failure = failureOf(error)
      if (failure.code === 'command_not_open') {
        notify('Too late: the Execution no longer waits for this', { place: scope.connection })
      } else notifyFailure(failure, `${label} failed`, 'It may have been done all the same.', scope.connection)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: executionQuery(scope, executionId).queryKey }),
  })
  const ask = async () => {
    if (command === undefined) return
    if (title === undefined || (await confirm({ title, text, action: label }))) act.mutate(command.number)
  }
  return (
    <Button
      icon={<FastForward size={13} />}
      small
      busy={act.isPending}
      disabledReason={cannot ?? (command === undefined ? 'The history is still loading' : undefined)}
      onClick={() => void ask()}
    >
      {label}
    </Button>
  )
}
