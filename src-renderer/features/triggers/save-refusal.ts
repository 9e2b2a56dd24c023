// Decides where to show why the service refused a list of Triggers: at a field of the edited one, or above all. Pure.

import { failureOf, maySendAgain, titleOf, wordsOf } from '../../api/failures.ts'
import type { DraftField } from './trigger-draft.ts'

export type SaveRefusal = {
  readonly field: DraftField | undefined
  readonly title: string
  readonly message: string
  readonly code: string
  /** Somebody else replaced the list since it was read. */
  readonly isConflict: boolean
}

/** `titles` has what each item of the list is called, and `edited` is the place of the one in the dialog. */
export const saveRefusal = (error: unknown, titles: readonly string[], edited: number): SaveRefusal => {
  const failure = failureOf(error)
  const { code, message } = failure
  const title = titleOf(failure, 'The Triggers were not saved')
  const refusal = { field: undefined, title, message, code, isConflict: false }
  if (code === 'precondition_failed') return { ...refusal, isConflict: true }
  if (code === 'program_not_found') return { ...refusal, field: 'programId' }
  const named = /^body\/triggers\/(\d+)(?:\/(\w+))?\s*(.*)$/s.exec(message)
  if (named !== null) {
    const [, index, field = '', rest = ''] = named
    if (Number(index) === edited && isField(field)) return { ...refusal, field, message: sentence(field, rest) }
    const title = titles[Number(index)] ?? `item ${index}`
    return { ...refusal, message: `${title}: ${`${field} ${rest}`.trim()}` }
  }
  if (!maySendAgain(failure)) return refusal
  const words = wordsOf(failure, 'They may have been saved all the same.')
  return { ...refusal, message: `${words} Your entries are kept: try again.` }
}

/** Without an answer, or with one that is no decision, the list may have been saved. */
export const mayHaveBeenSaved = (error: unknown): boolean => {
  const { kind } = failureOf(error)
  return kind === 'offline' || kind === 'broken'
}

const FIELDS: readonly string[] = [
  'programId',
  'name',
  'secret',
  'cron',
  'timezone',
  'input',
] satisfies readonly DraftField[]
const isField = (text: string): text is DraftField => FIELDS.includes(text)

const LABELS: Readonly<Record<DraftField, string>> = {
  programId: 'The Program',
  name: 'The name',
  secret: 'The secret',
  cron: 'The expression',
  timezone: 'The time zone',
  input: 'The input',
}

const sentence = (field: DraftField, rest: string): string => `${LABELS[field]} ${rest}`
