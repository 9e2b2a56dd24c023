// What can be done to a Trigger at once, without its dialog.

import type { NewTrigger, Trigger, TriggerList } from '#sdk/index.ts'
import type { Refusal } from '../../api/capabilities.ts'
import { useConnection } from '../../api/connection.ts'
import { useConfirm } from '../../parts/use-confirm.ts'
import { notify } from '../../ui/toasts.tsx'
import { keptItem, listWith, listWithout, titleOf } from './trigger-list.ts'
import { useQuickChange } from './use-replace.ts'

type Actions = ReturnType<typeof useActions>

/** Of what shows a Trigger with actions. */
export type Acted = {
  readonly trigger: Trigger
  readonly actions: Actions
  /** Why the user may not change Triggers. */
  readonly refusal: Refusal
}

/** One change at a time: each replaces the whole list. */
export const useActions = (list: TriggerList) => {
  const connection = useConnection()
  const confirm = useConfirm()
  const { change, isChanging } = useQuickChange()
  const replaceBy = (failed: string, item: NewTrigger) => change(failed, list, (triggers) => listWith(triggers, item))

  return {
    isChanging,
    setEnabled: async (trigger: Trigger, enabled: boolean): Promise<void> => {
      const title = titleOf(trigger)
      const agreed =
        enabled ||
        (await confirm({
          title: 'Disable Trigger',
          text:
            trigger.type === 'webhook'
              ? `Calls of ${title} get 404 until it is enabled again.`
              : `${title} does not fire until it is enabled again. Times that pass meanwhile are skipped.`,
          action: 'Disable Trigger',
          danger: true,
        }))
      if (agreed)
        await replaceBy(`${title} was not ${enabled ? 'enabled' : 'disabled'}`, { ...keptItem(trigger), enabled })
    },
    /** Resolves with whether it is gone. */
    remove: async (trigger: Trigger): Promise<boolean> => {
      const title = titleOf(trigger)
      const agreed = await confirm({
        title: 'Remove Trigger',
        text:
          trigger.type === 'webhook'
            ? `${title} is removed, and its address is never used again: whoever calls it gets 404. Executions that it started stay.`
            : `${title} is removed and starts nothing more. Executions that it started stay.`,
        action: 'Remove Trigger',
        danger: true,
      })
      if (!agreed) return false
      const after = await change(`${title} was not removed`, list, (triggers) => listWithout(triggers, trigger.id))
      if (after !== undefined) notify(`${title} removed`, { place: connection })
      return after !== undefined
    },
    /** Of a webhook. Resolves with the new secret. */
    generateSecret: async (trigger: Trigger): Promise<string | undefined> => {
      const agreed = await confirm(
        trigger.signed === true
          ? {
              title: 'Generate a new secret',
              text: `Calls of ${titleOf(trigger)} that are signed with the present secret are refused from now on, until the caller has the new one.`,
              action: 'Generate a new secret',
              danger: true,
            }
          : {
              title: 'Require a signature',
              text: `Calls of ${titleOf(trigger)} that are not signed get 401 from now on. The secret is shown once, after this.`,
              action: 'Require a signature',
              danger: true,
            },
      )
      const kept = keptItem(trigger)
      if (!agreed || kept.type !== 'webhook') return undefined
      const after = await replaceBy('No secret was generated', { ...kept, secret: 'generate' })
      return after?.items.find(({ id }) => id === trigger.id)?.secret
    },
    /** Of a webhook. */
    removeSecret: async (trigger: Trigger): Promise<void> => {
      const agreed = await confirm({
        title: 'Remove secret',
        text: `Calls of ${titleOf(trigger)} need no signature any more: anyone who knows the address can start Executions.`,
        action: 'Remove secret',
        danger: true,
      })
      const kept = keptItem(trigger)
      if (!agreed || kept.type !== 'webhook') return
      await replaceBy('The secret was not removed', { ...kept, secret: null })
    },
  } as const
}
