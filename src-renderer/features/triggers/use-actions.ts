// What can be done to a Trigger at once, without its dialog.

import type { NewTrigger, Trigger, TriggerList } from '#sdk/index.ts'
import { useConfirm } from '../../parts/use-confirm.ts'
import { notify } from '../../ui/toasts.tsx'
import { keptItem, listWith, listWithout, titleOf } from './trigger-list.ts'
import { useQuickChange } from './use-replace.ts'

export type Actions = ReturnType<typeof useActions>

/** One change at a time: each replaces the whole list. */
export const useActions = (list: TriggerList) => {
  const confirm = useConfirm()
  const { change, isChanging } = useQuickChange()
  const replaceBy = (failed: string, item: NewTrigger) => change(failed, list, (triggers) => listWith(triggers, item))

  return {
    isChanging,
    setEnabled: (trigger: Trigger, enabled: boolean): void => {
      const failed = `${titleOf(trigger)} was not ${enabled ? 'enabled' : 'disabled'}`
      void replaceBy(failed, { ...keptItem(trigger), enabled })
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
      if (after !== undefined) notify(`${title} removed`)
      return after !== undefined
    },
    /** Of a webhook. Resolves with the new secret. */
    generateSecret: async (trigger: Trigger): Promise<string | undefined> => {
      const agreed =
        trigger.signed !== true ||
        (await confirm({
          title: 'Generate a new secret',
          text: `Calls of ${titleOf(trigger)} that are signed with the present secret are refused from now on, until the caller has the new one.`,
          action: 'Generate a new secret',
          danger: true,
        }))
      const kept = keptItem(trigger)
      if (!agreed || kept.type !== 'webhook') return undefined
      const after = await replaceBy('No secret was generated', { ...kept, secret: 'generate' })
      return after?.items.find(({ id }) => id === trigger.id)?.secret
    },
    /** Of a webhook. */
    removeSecret: async (trigger: Trigger): Promise<void> => {
      const agreed = await confirm({
        title: 'Remove secret',
        text: `Calls of ${titleOf(trigger)} need no signature any more: whoever knows its address can start Executions.`,
        action: 'Remove secret',
        danger: true,
      })
      const kept = keptItem(trigger)
      if (!agreed || kept.type !== 'webhook') return
      await replaceBy('The secret was not removed', { ...kept, secret: null })
    },
  } as const
}
