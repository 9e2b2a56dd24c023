import { createHmac } from 'node:crypto'

export type IdentityClaim = {
  /** 32–128 base64url characters, chosen by the caller. */
  readonly challenge: string
  readonly instanceId: string
  readonly port: number
}

/**
 * Base64url HMAC-SHA256. It proves to a process of the same user, which can read the secret from a file, that this
 * process is the runtime and listens on that port.
 */
export const identityProof = (secret: string, claim: IdentityClaim): string => sign(secret, 'wes-healthz-1', claim)

/** The other way round: proves to the runtime that its caller is a process of the same user, which may have a link. */
export const linkProof = (secret: string, claim: IdentityClaim): string => sign(secret, 'wes-link-1', claim)

/** `purpose`: a proof counts for nothing else. */
const sign = (secret: string, purpose: string, { challenge, instanceId, port }: IdentityClaim): string =>
  createHmac('sha256', secret).update(`${purpose}\n${challenge}\n${instanceId}\n${port}`).digest('base64url')
