import { ApiError } from '../../src-runtime/contract/errors.ts'

const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u
const VISIBLE = /[^\p{C}\p{Z}]/u

/** Refuses a name that nobody could read. `at` says where it stands. */
export const checkName = (name: string, at = 'body/name'): void => {
  if (!name.isWellFormed()) throw new ApiError('invalid_request', `${at} must be well-formed Unicode`)
  if (CONTROL.test(name)) throw new ApiError('invalid_request', `${at} must not have control characters in it`)
  if (!VISIBLE.test(name)) throw new ApiError('invalid_request', `${at} must not be blank`)
}
