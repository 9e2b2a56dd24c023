import { features } from '../contract/features.ts'
import type { Health } from '../contract/models.ts'
import type { Home } from '../contract/operation-spec.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { identityProof } from '../identity/identity-proof.ts'
import { iso } from './show-execution.ts'

/** What `/healthz` says about the process that answers. */
export type Service = {
  readonly home: Home
  readonly version: string
  /** ms since the epoch */
  readonly startedAt: number
}

/** Which local runtime this is. */
export type Identity = Service & {
  readonly home: 'local'
  readonly instanceId: string
  /** Callers who know it can check that this is the runtime they expect. */
  readonly secret: string
  /** A function, because the port is not known before the runtime listens. */
  readonly port: () => number
}

export const getHealth = (
  { home, version, startedAt }: Service,
  proof?: Pick<Health, 'instanceId' | 'port' | 'proof'>,
): WireJson<Health> =>
  toWire({
    service: 'workflow-execution-service',
    mode: home,
    version,
    startedAt: iso(startedAt),
    features: [...features],
    ...proof,
  })

/** Only the runtime that owns a data directory can make it. */
export const proveIdentity = ({ instanceId, secret, port: portOf }: Identity, challenge: string) => {
  const port = portOf()
  return { instanceId, port, proof: identityProof(secret, { challenge, instanceId, port }) }
}
