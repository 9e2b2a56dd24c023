// Decides where to show why the service refused an event: at the payload, at the name, or above both. Pure.

import { type Failure, failureOf, maySendAgain, titleOf, wordsOf } from '../../../api/failures.ts'
import { ownMember } from '../../../own-member.ts'
import { faultsOfRefusal, TOO_LARGE } from '../../../parts/json/draft.ts'
import type { SchemaFault } from '../../../parts/json/schema-check.ts'

export type EventRefusal = {
  readonly payload: readonly SchemaFault[]
  readonly whole: { readonly title: string; readonly message: string; readonly code: string } | undefined
}

export const eventRefusal = (error: unknown): EventRefusal => {
  if (error === null || error === undefined) return { payload: [], whole: undefined }
  const failure = failureOf(error)
  const { code, message } = failure
  if (code === 'invalid_input') return { payload: faultsOfRefusal('payload', message), whole: undefined }
  if (code === 'payload_too_large') return { payload: [{ path: '', message: TOO_LARGE }], whole: undefined }
  return {
    payload: [],
    whole: {
      title: titleOf(failure, 'The event was not sent'),
      message: ownMember(WORDS, code) ?? told(failure),
      code,
    },
  }
}

const WORDS: Readonly<Record<string, string>> = {
  execution_finished: 'The Execution has ended and accepts no more events.',
  execution_not_found: 'The Execution was deleted.',
}

const told = (failure: Failure): string => {
  const words = wordsOf(failure, 'The event may have arrived all the same.')
  return maySendAgain(failure) ? `${words} You can send it again: it is stored only once.` : words
}
