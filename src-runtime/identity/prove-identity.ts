// Checks that the server on a port is the runtime that owns a data directory, before anything else is sent to it: it
// must prove that it knows the secret in that directory.

import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { isSameSecret } from './is-same-secret.ts'
import { identityProof } from './identity-proof.ts'

export type Owner = { readonly port: number; readonly secret: string }

const PROOF_LIMIT_MS = 1_500
const ANSWER_LIMIT_BYTES = 16_384

export const provesToOwn = async (owner: Owner, limitMs = PROOF_LIMIT_MS): Promise<boolean> => {
  const challenge = randomBytes(32).toString('base64url')
  const answer = await readHealth(owner.port, challenge, limitMs)
  return answer !== undefined && isProof(answer, challenge, owner)
}

export const isProof = (answer: unknown, challenge: string, { port, secret }: Owner): boolean => {
  if (typeof answer !== 'object' || answer === null) return false
  const { service, instanceId, port: claimed, proof } = answer as Readonly<Record<string, unknown>>
  if (service !== 'workflow-execution-service' || claimed !== port) return false
  if (typeof instanceId !== 'string' || typeof proof !== 'string') return false
  return isSameSecret(proof, identityProof(secret, { challenge, instanceId, port }))
}

/** Undefined if no JSON arrives in time. */
const readHealth = (port: number, challenge: string, limitMs: number): Promise<unknown> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(limitMs)
    const settle = (text: string | undefined): void => resolve(text === undefined ? undefined : parseJson(text))
    const request = get(
      { host: '127.0.0.1', port, path: `/healthz?challenge=${challenge}`, agent: false, signal },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (part: string) => {
          text += part
          if (text.length > ANSWER_LIMIT_BYTES) request.destroy(new Error('the answer is too long'))
        })
        response.on('end', () => settle(text))
        response.on('error', () => settle(undefined))
      },
    )
    request.on('error', () => settle(undefined))
  })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
