// Replaces the list of Triggers, unless somebody else did so since it was read.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { NewTrigger, Trigger, TriggerList } from '#sdk/index.ts'
import { failureOf } from '../../api/failures.ts'
import { projectOf, useScope } from '../../api/scope.ts'
import { triggersQuery } from '../../api/trigger-queries.ts'
import { notifyFailure } from '../../parts/notify-failure.ts'
import { notifyFault } from '../../ui/toasts.tsx'
import { withoutSecrets } from './trigger-list.ts'

export type Replacement = {
  readonly triggers: readonly NewTrigger[]
  /** Of the list that they are made from. */
  readonly etag: string | undefined
}

/** Only the result has signing secrets; no cache keeps them. */
export const useReplace = () => {
  const scope = useScope()
  const queries = useQueryClient()
  const { queryKey, queryFn } = triggersQuery(scope)
  const replacing = useMutation({
    // The answer may have a secret.
    gcTime: 0,
    mutationFn: ({ triggers, etag }: Replacement) =>
      scope.client.replaceTriggers(projectOf(scope), triggers, { ifMatch: etag }),
    onSuccess: async (list) => {
      await queries.cancelQueries({ queryKey })
      queries.setQueryData<TriggerList>(queryKey, { ...list, items: withoutSecrets(list.items) })
    },
  })
  return {
    replace: replacing.mutateAsync,
    isReplacing: replacing.isPending,
    /** Forgets the answer. */
    forget: replacing.reset,
    /** Reads the list as it is now. */
    readAgain: (): Promise<TriggerList> => queries.query({ queryKey, queryFn, staleTime: 0 }),
  }
}

/** Changes the list without a dialog: toasts say what went wrong. Answers the new list, if there is one. */
export const useQuickChange = () => {
  const { connection } = useScope()
  const { replace, isReplacing, forget, readAgain } = useReplace()
  const change = async (
    failed: string,
    list: TriggerList,
    make: (triggers: readonly Trigger[]) => readonly NewTrigger[],
  ): Promise<TriggerList | undefined> => {
    try {
      return await replace({ triggers: make(list.items), etag: list.etag })
    } catch (error) {
      const failure = failureOf(error)
      if (failure.code !== 'precondition_failed') {
        notifyFailure(failure, failed, 'It may have been done all the same. You can try again.', connection)
        return undefined
      }
      const detail = 'Somebody else changed the Triggers in the meantime. Look at what is there now, and try again.'
      // Before the list is read: the connection may get another access meanwhile.
      notifyFault(failed, { detail, place: connection })
      await readAgain().catch(() => undefined)
      return undefined
    } finally {
      forget()
    }
  }
  return { change, isChanging: isReplacing }
}
