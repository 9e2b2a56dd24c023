// Signatures of webhooks as https://www.standardwebhooks.com has them, and the secrets that make them.

import { randomBytes } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { randomBase62 } from '../shared/base62.ts'

const SECRET_BYTES = 32
/** 190 bits: nobody finds an address by trying. */
const PUBLIC_ID_LENGTH = 32

export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

export const newPublicId = (): string => randomBase62(PUBLIC_ID_LENGTH)

/** Whether any Trigger could have it. */
export const isPublicId = (text: string): boolean => /^[0-9A-Za-z]{32}$/.test(text)

/** Why a call is not taken as signed with the secret; undefined when it is. */
export const signatureFault = (
  secret: string,
  headers: Readonly<Record<string, string | undefined>>,
  body: Buffer,
): string | undefined => {
  const sent: Record<string, string> = {}
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    const value = headers[name]
    if (value === undefined) return `The header ${name} is missing`
    sent[name] = value
  }
  try {
    new Webhook(secret).verify(body, sent, { jsonParse: false })
    return undefined
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.message
    throw error
  }
}
