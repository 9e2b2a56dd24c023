// The state of the dialog of a Trigger: what is edited, the list that it becomes part of, and the save.

import { useState } from 'react'
import type { Trigger, TriggerList } from '#sdk/index.ts'
import { failureOf, untitledWordsOf } from '../../api/failures.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { maySend } from '../../parts/json/draft.ts'
import { startingValue } from '../../parts/json/form/form-data.ts'
import { mayHaveBeenSaved, type SaveRefusal, saveRefusal } from './save-refusal.ts'
import { draftOf, type DraftFaults, faultsOf, itemOf, newDraft, type TriggerDraft } from './trigger-draft.ts'
import { changesBetween, type ListChange, listWith, titleOf } from './trigger-list.ts'
import { useProgramSchema } from './use-program-schema.ts'
import { useReplace } from './use-replace.ts'

export type TriggerForm = ReturnType<typeof useTriggerForm>

/** The list was replaced while this one was edited: by somebody else, or by a save whose answer was lost. */
export type Conflict = {
  readonly changes: readonly ListChange[]
  readonly isRemoved: boolean
  readonly mayBeOwn: boolean
}

export type FormOptions = {
  /** As it was when the dialog opened. */
  readonly list: TriggerList
  /** The one to edit; undefined for a new one. */
  readonly trigger: Trigger | undefined
  readonly initial: { readonly type: Trigger['type']; readonly programId: string }
  /** The Trigger as it was saved, with a secret that was generated. */
  readonly onSaved: (saved: Trigger) => void
}

export const useTriggerForm = ({ list, trigger, initial, onSaved }: FormOptions) => {
  const { replace, isReplacing, forget, readAgain } = useReplace()
  const [base, setBase] = useState(list)
  const [draft, setDraft] = useState<TriggerDraft>(() =>
    trigger === undefined ? newDraft(initial.type, initial.programId) : draftOf(trigger),
  )
  const [attempts, setAttempts] = useState(0)
  const [refusal, setRefusal] = useState<SaveRefusal>()
  const [conflict, setConflict] = useState<Conflict>()
  const [isAnswerLost, setAnswerLost] = useState(false)
  const { schema, state: schemaState } = useProgramSchema(draft.programId)
  const input = draft.input ?? stringifyExactJson(startingValue(schema), 2)
  // Not the clock, which would render the editor again each second.
  const [now] = useState(Date.now)
  const faults: DraftFaults = attempts > 0 ? faultsOf(draft, now) : {}
  // Until its Program's schema is loaded, the input of a schedule cannot be checked, and a new one has no fields.
  const unready =
    draft.type === 'schedule' && draft.programId !== '' && schemaState === 'loading'
      ? 'The Program’s input is not loaded yet'
      : undefined

  const change = (part: Partial<TriggerDraft>) => {
    setRefusal(undefined)
    setDraft((before) => ({ ...before, ...part }))
  }

  const refused = async (error: unknown, titles: readonly string[], edited: number) => {
    if (mayHaveBeenSaved(error)) setAnswerLost(true)
    const found = saveRefusal(error, titles, edited)
    if (!found.isConflict) return setRefusal(found)
    try {
      const now = await readAgain()
      setConflict({
        changes: changesBetween(base.items, now.items),
        isRemoved: trigger !== undefined && !now.items.some(({ id }) => id === trigger.id),
        mayBeOwn: isAnswerLost,
      })
      setBase(now)
    } catch (reading) {
      const message = untitledWordsOf(failureOf(reading), 'Try again.')
      setRefusal({ ...found, message: `The Triggers were changed in the meantime. ${message}` })
    }
  }

  /** `anyway`: see maySend. */
  const save = async (anyway = false): Promise<void> => {
    if (isReplacing || unready !== undefined) return
    setAttempts((before) => before + 1)
    setConflict(undefined)
    setRefusal(undefined)
    if (Object.keys(faultsOf(draft, now)).length > 0) return
    if (draft.type === 'schedule' && !maySend(input, schema, anyway)) return
    const triggers = listWith(base.items, itemOf(draft, input, trigger?.id), trigger)
    const place = base.items.findIndex(({ id }) => id === trigger?.id)
    const edited = place === -1 ? triggers.length - 1 : place
    try {
      const saved = (await replace({ triggers, etag: base.etag })).items[edited]
      if (saved !== undefined) onSaved(saved)
    } catch (error) {
      await refused(error, base.items.map(titleOf), edited)
    } finally {
      forget()
    }
  }

  return {
    draft,
    change,
    input,
    schema,
    /** Whether the Program's versions could not be read, so that the input is not checked here. */
    isSchemaUnread: schemaState === 'unread',
    faults: refusal?.field === undefined ? faults : { ...faults, [refusal.field]: refusal.message },
    attempts,
    /** What belongs to no field. */
    refusal: refusal?.field === undefined ? refusal : undefined,
    conflict,
    isSaving: isReplacing,
    /** Why it cannot be saved yet. */
    unready,
    save,
  } as const
}
