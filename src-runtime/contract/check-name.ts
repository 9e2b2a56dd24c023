import { ApiError } from './errors.ts'

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const VISIBLE = /[^\p{C}\p{Z}]/u

/** Refuses a name that nobody could read. `at` says where it stands. */
export const checkName = (name: string, at = 'body/name'): void => {
  const fault = textFault(name) ?? (VISIBLE.test(name) ? undefined : 'must not be blank')
  if (fault !== undefined) throw new ApiError('invalid_request', `${at} ${fault}`)
}

/** What is wrong with a name that may be blank. */
export const textFault = (name: string): string | undefined => {
  if (!name.isWellFormed()) return 'must be well-formed Unicode'
  return CONTROL.test(name) ? 'must not have control characters in it' : undefined
}
