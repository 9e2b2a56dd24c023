import { createHmac } from 'node:crypto'

export type IdentityClaim = {
  /** 32–128 base64url characters, chosen by who asks. */
  readonly challenge: string
  readonly instanceId: string
  readonly port: number
}

/**
 * Proves to whoever can read the secret, which lies in a file of the same user, that this process is the runtime it
 * claims to be and listens on that port: base64url HMAC-SHA256.
 */
export const identityProof = (secret: string, { challenge, instanceId, port }: IdentityClaim): string =>
  createHmac('sha256', secret).update(`wes-healthz-1\n${challenge}\n${instanceId}\n${port}`).digest('base64url')
