// The store's ports for what belongs to workspaces besides Programs and Executions: tokens, sessions, Triggers, the
// environment of effects, and usage. Times are ms since the epoch, of PostgreSQL's clock.

import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { Page } from '../../src-runtime/ports/page.ts'
import type { Day } from '../usage/days.ts'
import type { Dimension, UsageRow } from '../usage/summarize-usage.ts'
import type { WorkspaceRecord } from './store.ts'

/** What belongs to one workspace. */
export type TenantStore = {
  workspace(): Promise<WorkspaceRecord>
  rename(name: string): Promise<WorkspaceRecord>
  readonly tokens: TokenStore
  readonly triggers: TriggerStore
  readonly environment: EnvironmentStore
  readonly usage: UsageReads
}

export type KnownToken = {
  readonly workspaceId: string
  readonly defaultProjectId: string
  readonly tokenId: string
  readonly role: Role
  /** From when on it is refused; of a session, the earlier one of its own and its token's. */
  readonly expiresAt?: number
}

/** Of all workspaces: what is asked before the workspace is known. */
export type AccessStore = {
  /** By the SHA-256 of its secret. Undefined when there is none, or when it has expired. */
  findToken(digest: Buffer): Promise<KnownToken | undefined>
  /** The first token of all, until it is used or its workspace has another one. */
  findUnused(): Promise<UnusedToken | undefined>
  /** By the SHA-256 of its key. Undefined when it, or its token, has ended. */
  findSession(digest: Buffer): Promise<KnownToken | undefined>
  startSession(session: { readonly digest: Buffer; readonly tokenId: string; readonly lifeMs: number }): Promise<void>
  endSession(digest: Buffer): Promise<void>
  /** Of these, by digest, which are of tokens and sessions that are still valid. */
  valid(digests: readonly Buffer[]): Promise<readonly Buffer[]>
  /** That the token was used now, to the minute. */
  noteUse(tokenId: string): Promise<void>
  /** Removes sessions that have ended. */
  removeEnded(): Promise<void>
}

export type UnusedToken = { readonly id: string; readonly sealed: string }

export type TokenRecord = {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly createdAt: number
  readonly expiresAt?: number
  readonly lastUsedAt?: number
}

export type TokenStore = {
  get(id: string): Promise<TokenRecord | undefined>
  /** Newest first, with ids below `beforeId`. */
  list(query: { readonly beforeId?: string; readonly limit: number }): Promise<Page<TokenRecord>>
  create(token: {
    readonly id: string
    readonly name: string
    readonly role: Role
    readonly digest: Buffer
    readonly expiresAt?: number
  }): Promise<TokenRecord>
  /** False when there is no such token. */
  revoke(id: string): Promise<boolean>
}

type TriggerMembers = {
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly name?: string
  readonly enabled: boolean
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastFiredAt?: number
  readonly lastExecutionId?: string
  readonly lastError?: string
}

export type WebhookTrigger = TriggerMembers & {
  readonly type: 'webhook'
  readonly publicId: string
  /** Sealed; calls must be signed when it is there. */
  readonly secret?: string
}

export type ScheduleTrigger = TriggerMembers & {
  readonly type: 'schedule'
  readonly cron: string
  readonly timezone: string
  readonly input?: JsonText
  /** Present while it is enabled. */
  readonly nextFireAt?: number
}

export type TriggerRecord = WebhookTrigger | ScheduleTrigger

export type TriggerList = {
  /** Grows each time the list is replaced. */
  readonly revision: number
  /** In the order of the list. */
  readonly items: readonly TriggerRecord[]
}

export type TriggerStore = {
  list(projectId: string): Promise<TriggerList>
  get(projectId: string, id: string): Promise<TriggerRecord | undefined>
  /** Of these Programs, those that the project does not have. */
  missingPrograms(projectId: string, programIds: readonly string[]): Promise<readonly string[]>
  /**
   * Replaces the list by what `decide` returns, in one transaction. `decide` may be called again, when somebody else
   * replaced the list meanwhile. When it throws, nothing changes.
   */
  replace(
    projectId: string,
    decide: (current: TriggerList, now: number) => readonly TriggerRecord[],
  ): Promise<TriggerList>
  /** What an Execution that it started is; `error` when it could not start one. Changes nothing of one that is gone. */
  noteFired(id: string, fired: Fired): Promise<void>
}

export type Fired = { readonly executionId: string } | { readonly error: string }

/** A Trigger, and whose it is. */
export type OwnedTrigger<Record extends TriggerRecord = TriggerRecord> = {
  readonly workspaceId: string
  readonly defaultProjectId: string
  readonly trigger: Record
}

export type ScheduleStore = {
  findWebhook(publicId: string): Promise<OwnedTrigger<WebhookTrigger> | undefined>
  findSchedule(id: string): Promise<(OwnedTrigger<ScheduleTrigger> & { readonly now: number }) | undefined>
  /** What came of its time `at`, and its next time; nothing changes unless `at` is still the next one. */
  advance(id: string, at: number, next: number | undefined, fired: Fired | undefined): Promise<void>
  /** Enabled ones whose time passed `graceMs` ago or earlier, the longest ago first. */
  overdue(query: { readonly graceMs: number; readonly limit: number }): Promise<readonly NextFiring[]>
}

export type NextFiring = { readonly triggerId: string; readonly at: number }

export type EnvironmentRecord = { readonly name: string; readonly createdAt: number; readonly updatedAt: number }

export type SealedVariable = { readonly name: string; readonly sealed: string }

export type EnvironmentStore = {
  /** By name. */
  list(projectId: string): Promise<readonly EnvironmentRecord[]>
  /** All or nothing; `too_many`: more than `most` would be set. */
  change(
    projectId: string,
    change: { readonly set: readonly SealedVariable[]; readonly remove: readonly string[]; readonly most: number },
  ): Promise<readonly EnvironmentRecord[] | 'too_many'>
  values(projectId: string): Promise<readonly SealedVariable[]>
}

/** What is sealed, wherever it is kept, so that it can be sealed anew. */
export type SecretStore = {
  /** Some of those that another key sealed; none when there are none. */
  sealedByOthers(keyId: string, limit: number): Promise<readonly SealedRow[]>
  /** Unless it was changed since it was read. */
  replaceSealed(row: SealedRow, sealed: string): Promise<void>
}

export type SealedRow = { readonly sealed: string } & (
  | { readonly kind: 'variable'; readonly workspaceId: string; readonly projectId: string; readonly name: string }
  | { readonly kind: 'trigger' | 'token'; readonly workspaceId: string; readonly id: string }
)

export type UsageReads = {
  /**
   * What was counted up to and including the day `to`, day by day, for each project and Program where they are asked
   * for. Holds what was committed a moment ago.
   */
  rows(query: { readonly to: Day; readonly groupBy: readonly Dimension[] }): Promise<readonly UsageRow[]>
}

export type UsageFolding = {
  /** Adds a part of what was counted to the days. Answers whether more is left. Each minute, by whichever process. */
  fold(): Promise<boolean>
  /** What a workspace stores, as it was folded last. */
  storedBytes(workspaceId: string): Promise<number>
}
