// Checks that the server on a port is the runtime that owns a data directory, before anything else is sent to it: it
// must prove that it knows the secret in that directory.

import { randomBytes } from 'node:crypto'
import { askPort } from './ask-port.ts'
import { isSameSecret } from './is-same-secret.ts'
import { identityProof } from './identity-proof.ts'

export type Owner = { readonly port: number; readonly secret: string }

const PROOF_LIMIT_MS = 1_500

export const provesToOwn = async (owner: Owner, limitMs = PROOF_LIMIT_MS): Promise<boolean> => {
  const challenge = randomBytes(32).toString('base64url')
  const answer = await askPort(owner.port, `/healthz?challenge=${challenge}`, limitMs)
  return answer !== undefined && isProof(answer, challenge, owner)
}

export const isProof = (answer: unknown, challenge: string, { port, secret }: Owner): boolean => {
  if (typeof answer !== 'object' || answer === null) return false
  const { service, instanceId, port: claimed, proof } = answer as Readonly<Record<string, unknown>>
  if (service !== 'workflow-execution-service' || claimed !== port) return false
  if (typeof instanceId !== 'string' || typeof proof !== 'string') return false
  return isSameSecret(proof, identityProof(secret, { challenge, instanceId, port }))
}
