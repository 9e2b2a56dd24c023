import { messageOf } from '../src-runtime/shared/message-of.ts'
/** A refused request. Its code and message reach the page. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** `what` and `where`: as in "The settings" and their file. */
export const notStored = (what: string, where: string, error: unknown): RefusedError =>
  new RefusedError('not_stored', `${what} cannot be stored in ${where}: ${messageOf(error)}`)
