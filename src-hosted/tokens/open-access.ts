// All that an API process needs to know who sends a request.

import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Authenticate } from '../../src-runtime/http/authenticate.ts'
import type { Clock } from '../../src-runtime/shared/clock.ts'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import type { LimitsOf } from '../limits/limits.ts'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import type { AccessStore } from '../store/tenancy.ts'
import { createAuthenticate } from './authenticate.ts'
import { createKnownCallers } from './known-callers.ts'
import { createNoteUse } from './note-use.ts'
import type { HostedPrincipal } from './principal.ts'
import { addSessionRoutes } from './session-routes.ts'
import { sessionRules } from './session-rules.ts'
import { watchCredentials } from './watch-credentials.ts'

export type HostedAccess = {
  readonly authenticate: Authenticate<HostedPrincipal>
  /** Calls back once when the caller's token or session is not valid any more. */
  whenRevoked(who: HostedPrincipal, listener: () => void): () => void
  /** Signing in to the dashboard, and out of it. */
  addRoutes(app: FastifyInstance): void
  /** The token was revoked by this process: it is refused from now on, not in a few seconds. */
  forgetToken(tokenId: string): void
  stop(): void
}

export const openAccess = (deps: {
  readonly access: AccessStore
  readonly limits: LimitsOf
  /** Where browsers find the dashboard. */
  readonly publicUrl: string
  readonly clock: Clock
  /** ms since the epoch, of the database's clock */
  readonly now: () => number
  readonly log: Logger
}): HostedAccess => {
  const { access, limits, clock, now, log } = deps
  const levelOf = createFaultLevels()
  const onError = (error: unknown): void =>
    log[levelOf(error, 'warn')]({ err: error }, 'callers could not be looked up')
  const callers = createKnownCallers(access, { now, monotonic: clock.monotonic })
  const buckets = createTokenBuckets(clock.monotonic)
  const rules = sessionRules(deps.publicUrl)
  const watch = watchCredentials(access, clock, onError)
  return {
    authenticate: createAuthenticate({
      callers,
      limits,
      buckets,
      sessions: rules,
      noteUse: createNoteUse(access, now, onError),
    }),
    whenRevoked: (who, listener) => watch.whenInvalid(who.credential, listener),
    addRoutes: (app) => addSessionRoutes(app, { rules, access, callers, buckets }),
    forgetToken: (tokenId) => callers.forget({ tokenId }),
    stop: () => watch.stop(),
  }
}
