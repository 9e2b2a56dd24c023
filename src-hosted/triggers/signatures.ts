// Signatures of webhooks as https://www.standardwebhooks.com has them, and the secrets that make them.

import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from '../../src-runtime/identity/is-same-secret.ts'
import { randomBase62 } from '../shared/base62.ts'

const SECRET_BYTES = 32
const SECRET_PREFIX = 'whsec_'
/** What Standard Webhooks allows. */
const FEWEST_BYTES = 24
const MOST_BYTES = 64
/** 190 bits: nobody finds an address by trying. */
const PUBLIC_ID_LENGTH = 32

export const newSigningSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** Why a text is no signing secret of Standard Webhooks; undefined when it is one. */
export const signingSecretFault = (text: string): string | undefined => {
  const coded = text.slice(SECRET_PREFIX.length)
  const key = Buffer.from(coded, 'base64')
  const isBase64 = key.toString('base64').replace(/=+$/, '') === coded.replace(/=+$/, '')
  return text.startsWith(SECRET_PREFIX) && isBase64 && key.length >= FEWEST_BYTES && key.length <= MOST_BYTES
    ? undefined
    : `must be "whsec_" and ${FEWEST_BYTES} to ${MOST_BYTES} bytes in base64, as the sender shows it`
}

export const newPublicId = (): string => randomBase62(PUBLIC_ID_LENGTH)

/** Whether any Trigger could have it. */
export const isPublicId = (text: string): boolean => /^[0-9A-Za-z]{32}$/.test(text)

const TOLERANCE_SECONDS = 5 * 60
/** Seconds since the epoch. */
const TIMESTAMP = /^\d{1,12}$/
const SCHEME = 'v1,'
const NO_MATCH = 'No matching signature found'

/** Spaces separate them; Node joins several headers of the name by a comma and a space. */
const signaturesIn = (header: string): readonly string[] => header.split(/,? /)

type Headers = Readonly<Record<string, string | undefined>>

/** Svix, which many senders use, sends what Standard Webhooks says under names of its own. */
export const underStandardNames = <Given extends Headers>(headers: Given): Given =>
  headers['webhook-id'] !== undefined || headers['svix-id'] === undefined
    ? headers
    : {
        ...headers,
        'webhook-id': headers['svix-id'],
        'webhook-timestamp': headers['svix-timestamp'],
        'webhook-signature': headers['svix-signature'],
      }

/** Why a call cannot be signed, whatever its body and the secret are; undefined when it may be. `now`: ms since the epoch. */
export const signatureHeadersFault = (headers: Headers, now: number): string | undefined => {
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    if (headers[name] === undefined) return `The header ${name} is missing`
  }
  const { 'webhook-timestamp': at = '', 'webhook-signature': signatures = '' } = headers
  if (!TIMESTAMP.test(at)) return 'The header webhook-timestamp must be seconds since 1970'
  const ageSeconds = Math.floor(now / 1_000) - Number(at)
  if (ageSeconds > TOLERANCE_SECONDS) return 'Message timestamp too old'
  if (ageSeconds < -TOLERANCE_SECONDS) return 'Message timestamp too new'
  return signaturesIn(signatures).some((one) => one.startsWith(SCHEME)) ? undefined : NO_MATCH
}

/** Why a call is not taken as signed with the secret; undefined when it is. */
export const signatureFault = (secret: string, headers: Headers, body: Buffer, now: number): string | undefined => {
  const fault = signatureHeadersFault(headers, now)
  if (fault !== undefined) return fault
  const { 'webhook-id': id = '', 'webhook-timestamp': at = '', 'webhook-signature': signatures = '' } = headers
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  // Node reads each byte of a header as a character.
  const signed = createHmac('sha256', key).update(`${id}.${at}.`, 'latin1').update(body).digest('base64')
  const isSigned = signaturesIn(signatures).some((one) => isSameSecret(one, SCHEME + signed))
  return isSigned ? undefined : NO_MATCH
}
