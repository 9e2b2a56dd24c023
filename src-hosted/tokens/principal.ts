import type { Principal } from '../../src-runtime/ports/principal.ts'

/** Who sends a request, and where it works when it names no project. */
export type HostedPrincipal = Principal & {
  readonly defaultProjectId: string
  /** SHA-256 of the token or of the session's key, in base64: what ends when it is revoked. */
  readonly credential: string
}
