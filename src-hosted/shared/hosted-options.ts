// What `wes serve` is told.

import type { Logger } from 'pino'
import type { LimitsOf } from '../limits/limits.ts'
import type { TracingOptions } from '../tracing/tracing-options.ts'

/** Which parts of the service a process runs. */
export type HostedRole = 'all' | 'api' | 'ingress' | 'worker'

export type HostedOptions = {
  readonly role: HostedRole
  /** Absent: the service starts a PostgreSQL and a Restate of its own, which keep their data in `dataDir`. */
  readonly services?: NamedServices
  /** With `services`, nothing is kept there. */
  readonly dataDir: string
  readonly api: {
    readonly host: string
    /** 0: the system chooses. */
    readonly port: number
    /** Where browsers find the dashboard; `http://localhost:PORT` unless given. */
    readonly publicUrl?: string
    /** Origins whose pages may call `/v1` with a token. */
    readonly allowOrigins: readonly string[]
    /** Whether the last address of `X-Forwarded-For` is who sends a request. */
    readonly trustProxy: boolean
  }
  readonly hooks: {
    readonly host: string
    readonly port: number
    /** Where webhooks are called; `http://localhost:PORT` unless given. */
    readonly publicUrl?: string
  }
  readonly worker: {
    readonly host: string
    /** Where Restate reaches this worker, or several of the same release; absent: `http://127.0.0.1:PORT`. */
    readonly url?: string
    readonly port: number
    /** Public keys of Restate: with some, requests that none of them signed are refused. */
    readonly identityKeys: readonly string[]
  }
  readonly effects: {
    /** Ranges of addresses that effects may connect to although they are not public. */
    readonly allowEgress: string
    /** Where effects cannot be isolated, they run as ordinary processes. */
    readonly unsafe: boolean
    /** How long a stop waits for effects that are under way, in ms. */
    readonly graceMs: number
  }
  /** Where `/metrics` and `/ready` are; absent: nowhere. */
  readonly metrics?: { readonly host: string; readonly port: number }
  /** Absent: nothing is traced. */
  readonly tracing?: TracingOptions
  readonly limits: LimitsOf
  /** Ids of workspaces that have limits of their own. */
  readonly limitedWorkspaces?: readonly string[]
  /** `id:base64` of 32 bytes, comma-separated; absent: a file in `dataDir`, which is made where there is none. */
  readonly secretKeys?: string
  readonly log: Logger
  /** How long a cancelled Execution may clean up, in ms; 30 s unless given. */
  readonly cancelGraceMs?: number
}

/** Of a PostgreSQL and a Restate that somebody else runs. */
export type NamedServices = {
  /** A user who can become `wes_app` and `wes_worker`; see `wes migrate`. */
  readonly databaseUrl: string
  /** The ingress of each node. */
  readonly restateUrls: readonly string[]
  /** Of each node, or of some; workers need them. */
  readonly restateAdminUrls: readonly string[]
}
