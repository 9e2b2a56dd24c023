// Checks the bodies that a client would send, with the service's codes and messages.

import { NAME_LIMIT } from '../../src-runtime/shared/event-names.ts'
import { holdsInfinity } from '../../src-runtime/shared/holds-infinity.ts'
import { ServiceRuntimeError } from '../service-runtime-error.ts'
import {
  DEEPEST,
  faultOf,
  isDeeperThan,
  jsonObject,
  LARGEST_BYTES,
  travel,
  utf8Length,
  wellFormed,
} from './json-data.ts'

export const refused = (status: number, code: string, message: string): ServiceRuntimeError =>
  new ServiceRuntimeError({ status, code, message })

/** The JSON text of an Execution's input. */
export const startInputText = (programId: string, given: unknown): string | undefined => {
  const input = jsonText(given, 'The input')
  checkBody(jsonObject({ programId: JSON.stringify(programId), input }))
  return input
}

/** The JSON text of an event's payload. */
export const payloadText = (name: string, given: unknown): string | undefined => {
  const payload = jsonText(given, `The payload of event ${JSON.stringify(name)}`)
  checkBody(jsonObject({ name: JSON.stringify(name), payload }))
  checkName(name)
  return payload
}

const jsonText = (given: unknown, what: string): string | undefined => {
  const travelled = travel(given)
  if (travelled.kind === 'value') return travelled.text
  if (travelled.kind === 'too_deep') throw tooDeep()
  if (travelled.kind === 'too_large') throw tooLarge()
  throw notSent(`${what} ${faultOf(travelled)}`)
}

/** Limits of the whole body, so of a little more than the value in it. */
const checkBody = (body: string): void => {
  if (utf8Length(body) > LARGEST_BYTES) throw tooLarge()
  const value: unknown = JSON.parse(body)
  if (isDeeperThan(value, DEEPEST)) throw tooDeep()
  if (holdsInfinity(body, value)) throw invalid('body holds a number that is too large')
}

const checkName = (name: string): void => {
  const reasons = [
    ...(name === '' ? ['body/name must not be empty'] : []),
    ...([...name].length <= NAME_LIMIT ? [] : [`body/name must not have more than ${NAME_LIMIT} characters`]),
    ...(name.includes('\0') ? ['body/name must not have U+0000 in it'] : []),
  ]
  if (reasons.length > 0) throw invalid(reasons.join('; '))
  if (wellFormed(name) !== name) throw invalid('body/name must be well-formed Unicode')
}

/** A client cannot send it. */
const notSent = (message: string): ServiceRuntimeError => refused(0, 'invalid_request', message)
const invalid = (message: string): ServiceRuntimeError => refused(400, 'invalid_request', message)
const tooDeep = (): ServiceRuntimeError => invalid(`body is nested deeper than ${DEEPEST} levels`)
const tooLarge = (): ServiceRuntimeError =>
  refused(413, 'payload_too_large', `The body is larger than ${LARGEST_BYTES / 2 ** 20} MiB.`)
