// Whether a request comes from a program of the user who runs this runtime: only it can read the secret in runtime.json.

import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { linkProof } from '../identity/identity-proof.ts'
import type { Identity } from '../operations/get-health.ts'
import { forgetOldest } from '../shared/forget-oldest.ts'
import { isSameSecret } from '../identity/is-same-secret.ts'

const Proof = Type.Object({
  challenge: Type.String({ pattern: '^[A-Za-z0-9_-]{32,128}$' }),
  proof: Type.String({ minLength: 1, maxLength: 128 }),
})

/** The oldest are forgotten. */
const MOST_CHALLENGES = 1_000

/** Each proof counts once. */
export const createOwnerProof = ({
  instanceId,
  secret,
  port,
}: Pick<Identity, 'instanceId' | 'secret' | 'port'>): ((body: unknown) => boolean) => {
  const used = new Set<string>()
  return (body) => {
    if (!Check(Proof, body) || used.has(body.challenge)) return false
    const { challenge, proof } = body
    if (!isSameSecret(proof, linkProof(secret, { challenge, instanceId, port: port() }))) return false
    used.add(challenge)
    forgetOldest(used, MOST_CHALLENGES)
    return true
  }
}
