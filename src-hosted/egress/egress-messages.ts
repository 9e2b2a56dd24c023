// Messages between a worker and its egress process. Both are the service's own.

import type { Authority } from './authority.ts'

export type EgressSettings = {
  /** Ranges that effects may connect to whatever they are, such as `10.1.0.0/16, fd00::/8`. */
  readonly allow: string
  /** Host names and addresses of the service, which effects may not connect to. */
  readonly ownHosts: readonly string[]
  /** Becomes this user once it runs. */
  readonly uid?: number
}

/** Whose effects use a way out. */
export type WayOutOwner = {
  readonly workspaceId: string
  /** Stands in the log. */
  readonly name: string
}

export type ToEgress =
  | { readonly kind: 'begin'; readonly settings: EgressSettings }
  /** Ports of the service that no effect may connect to, also where their addresses are allowed. */
  | { readonly kind: 'keep-closed'; readonly services: readonly Authority[] }
  | ({ readonly kind: 'open'; readonly path: string } & WayOutOwner)
  | { readonly kind: 'close'; readonly path: string }
  /** Asks whether it still runs. */
  | { readonly kind: 'ask' }

export type FromEgress =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer' }
  | { readonly kind: 'opened'; readonly path: string }
  | { readonly kind: 'failed'; readonly path: string; readonly message: string }
  | { readonly kind: 'closed'; readonly path: string }
  | { readonly kind: 'refused'; readonly name: string; readonly message: string }
