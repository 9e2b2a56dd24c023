import { features } from '../contract/features.ts'
import type { Health } from '../contract/models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { identityProof } from '../identity/identity-proof.ts'
import { iso } from './show-execution.ts'

/** Which runtime this is. */
export type Identity = {
  readonly instanceId: string
  /** Callers who know it can check that this is the runtime they expect. */
  readonly secret: string
  readonly version: string
  /** ms since the epoch */
  readonly startedAt: number
  /** A function, because the port is not known before the runtime listens. */
  readonly port: () => number
}

export const getHealth = (identity: Identity, challenge: string | undefined): WireJson<Health> => {
  const { instanceId, secret, version } = identity
  const health = {
    service: 'workflow-execution-service' as const,
    mode: 'local' as const,
    version,
    startedAt: iso(identity.startedAt),
    features: [...features],
  }
  if (challenge === undefined) return toWire(health)
  const port = identity.port()
  return toWire({ ...health, instanceId, port, proof: identityProof(secret, { challenge, instanceId, port }) })
}
