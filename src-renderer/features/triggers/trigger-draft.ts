// What the dialog of a Trigger holds while it is edited, and the item that it becomes. Pure.

import type { JsonValue, NewTrigger, Trigger } from '#sdk/index.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { readDraft } from '../../parts/json/draft.ts'
import { cadenceFault, DEFAULT_TIMEZONE } from './cadence.ts'

export type TriggerDraft = {
  readonly type: Trigger['type']
  /** Empty: not chosen yet. */
  readonly programId: string
  readonly name: string
  readonly enabled: boolean
  /** Of a new webhook: whether calls must be signed. */
  readonly signed: boolean
  /** Of a webhook: the signing secret that the sender made. Empty: a new one is generated, and that of an edited one stays. */
  readonly secret: string
  readonly cron: string
  readonly timezone: string
  /** JSON; empty for no input, undefined for the input that is made from the Program's schema. */
  readonly input: string | undefined
}

export type DraftField = 'programId' | 'name' | 'secret' | 'cron' | 'timezone' | 'input'
export type DraftFaults = Readonly<Partial<Record<DraftField, string>>>

export const LONGEST_NAME = 80

export const newDraft = (type: Trigger['type'], programId: string): TriggerDraft => ({
  type,
  programId,
  name: '',
  enabled: true,
  signed: false,
  secret: '',
  cron: '',
  timezone: DEFAULT_TIMEZONE,
  input: undefined,
})

export const draftOf = (trigger: Trigger): TriggerDraft => ({
  type: trigger.type,
  programId: trigger.programId,
  name: trigger.name ?? '',
  enabled: trigger.enabled,
  signed: false,
  secret: '',
  cron: trigger.cron ?? '',
  timezone: trigger.timezone ?? DEFAULT_TIMEZONE,
  input: stringifyExactJson(trigger.input, 2),
})

/** Faults at the fields; those of the input are the editor's own. `now` in ms since the epoch. */
export const faultsOf = (draft: TriggerDraft, now: number): DraftFaults => {
  const cron = draft.type === 'schedule' ? cadenceFault(draft, now) : undefined
  const secret = draft.type === 'webhook' ? draft.secret.trim() : ''
  return {
    ...(draft.programId === '' && { programId: 'Choose a Program' }),
    ...(draft.name.trim().length > LONGEST_NAME && { name: `At most ${LONGEST_NAME} characters` }),
    ...(secret !== '' && !secret.startsWith('whsec_') && { secret: 'It begins with whsec_' }),
    ...(cron !== undefined && { cron }),
  }
}

/** `input` is the text of the editor, which parses. `id`: of the Trigger that is edited. */
export const itemOf = (draft: TriggerDraft, input: string, id?: string): NewTrigger => {
  const name = draft.name.trim()
  const common = {
    ...(id !== undefined && { id }),
    programId: draft.programId,
    enabled: draft.enabled,
    ...(name !== '' && { name }),
  }
  if (draft.type === 'webhook') {
    const secret = draft.secret.trim()
    const isSigned = id === undefined ? draft.signed : secret !== ''
    return { ...common, type: 'webhook', ...(isSigned && { secret: secret === '' ? 'generate' : secret }) }
  }
  const read = readDraft(input)
  return {
    ...common,
    type: 'schedule',
    cron: draft.cron.trim(),
    timezone: draft.timezone,
    ...(read.kind === 'value' && { input: read.value as JsonValue }),
  }
}
