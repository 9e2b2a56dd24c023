import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'

/** Node joins the values of a header that comes several times, and of some headers silently keeps the first. */
export const isRepeated = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): boolean => {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!
    if (given.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count > 1
}

/** Of a header whose values Node joins. */
export const refuseRepeated = (message: IncomingMessage, name: string): void => {
  const value = message.headers[name]
  if (typeof value !== 'string' || !value.includes(', ')) return
  if (isRepeated(message, name)) throw repeatedHeader(name)
}

export const repeatedHeader = (name: string): ApiError =>
  new ApiError('invalid_request', `headers/${name} must come once`)
