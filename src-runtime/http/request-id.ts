// What a request is called in the log: as its caller calls it, or by a number of its own.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

const ofThisProcess = randomBytes(4).toString('hex')
let count = 0

export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string => {
  const given = headers['x-request-id']
  if (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given)) return given
  return `${ofThisProcess}-${(count += 1)}`
}
