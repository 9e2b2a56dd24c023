// Decides where to show why the service refused a start: at the input, at the key, or above both. Pure.

import { failureOf, maySendAgain, titleOf, wordsOf } from '../../../api/failures.ts'
import { faultsOfRefusal, TOO_LARGE } from '../../../parts/json/draft.ts'
import type { SchemaFault } from '../../../parts/json/schema-check.ts'

export type StartRefusal = {
  readonly input: readonly SchemaFault[]
  readonly key: string | undefined
  readonly whole: { readonly title: string; readonly message: string; readonly code: string } | undefined
}

const NOTHING: StartRefusal = { input: [], key: undefined, whole: undefined }

export const startRefusal = (error: unknown): StartRefusal => {
  if (error === null || error === undefined) return NOTHING
  const failure = failureOf(error)
  const { code, message } = failure
  if (code === 'invalid_input') return { ...NOTHING, input: faultsOfRefusal('input', message) }
  if (code === 'payload_too_large') return { ...NOTHING, input: [{ path: '', message: TOO_LARGE }] }
  if (code === 'idempotency_conflict') return { ...NOTHING, key: message }
  const said = wordsOf(failure, 'The Execution may have started all the same.')
  const hint = maySendAgain(failure) ? `${said} Your entries are kept: try again, and it starts only once.` : said
  return { ...NOTHING, whole: { title: titleOf(failure, 'The Execution was not started'), message: hint, code } }
}
