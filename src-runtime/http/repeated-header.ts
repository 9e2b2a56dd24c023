import type { IncomingMessage } from 'node:http'
import { ApiError } from '../contract/errors.ts'

/** Node joins the values of a header that comes several times. */
export const refuseRepeated = ({ headers, rawHeaders }: IncomingMessage, name: string): void => {
  const value = headers[name]
  if (typeof value !== 'string' || !value.includes(', ')) return
  const times = rawHeaders.filter((part, index) => index % 2 === 0 && part.toLowerCase() === name).length
  if (times > 1) throw new ApiError('invalid_request', `headers/${name} must come once`)
}
