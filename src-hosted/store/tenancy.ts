// The store's ports for what belongs to workspaces besides Programs and Executions: tokens, sessions, Triggers, the
// environment of effects, and usage. Times are ms since the epoch, of PostgreSQL's clock.

import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import type { Grouping } from '../../src-runtime/contract/usage-models.ts'
import type { JsonText } from '../../src-runtime/engine/journal.ts'
import type { Page } from '../../src-runtime/ports/page.ts'
import type { Day } from '../usage/days.ts'
import type { UsageRow } from '../usage/summarize-usage.ts'
import type { ClaimDue, Due, WorkspaceRecord } from './store.ts'

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
  /** When it expires. For a session: its own time or its token's, whichever is earlier. */
  readonly expiresAt?: number
}

/** Tokens and sessions of all workspaces, for requests whose workspace is not known yet. */
export type AccessStore = {
  /** By the SHA-256 of its secret. Undefined when there is none, or when it has expired. */
  findToken(digest: Buffer): Promise<KnownToken | undefined>
  /** The first token of all, until it is used or its workspace has another one. */
  findUnused(): Promise<UnusedToken | undefined>
  /** By the SHA-256 of its key. Undefined when it, or its token, has ended. */
  findSession(digest: Buffer): Promise<KnownToken | undefined>
  startSession(session: { readonly digest: Buffer; readonly tokenId: string; readonly lifeMs: number }): Promise<void>
  endSession(digest: Buffer): Promise<void>
  /** Which of these digests are of valid tokens or sessions. */
  valid(digests: readonly Buffer[]): Promise<readonly Buffer[]>
  /** Notes that the token was used now, to the minute. */
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
  /** Undefined when the workspace has as many as it may. */
  create(token: {
    readonly id: string
    readonly name: string
    readonly role: Role
    readonly digest: Buffer
    readonly expiresAt?: number
  }): Promise<TokenRecord | undefined>
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
  /** Sealed. If present, calls must be signed. */
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
  /** Those of the given Programs that the project does not have. */
  missingPrograms(projectId: string, programIds: readonly string[]): Promise<readonly string[]>
  /**
   * Replaces the list by what `decide` returns, in one transaction. `decide` is called again when another
   * request replaced the list meanwhile. When it throws, nothing changes.
   */
  replace(
    projectId: string,
    decide: (current: TriggerList, now: number) => readonly TriggerRecord[],
  ): Promise<TriggerList>
  /** Notes the Execution that the Trigger started, or `error`. Does nothing if the Trigger was removed. */
  noteFired(id: string, fired: Fired): Promise<void>
}

export type Fired = { readonly executionId: string } | { readonly error: string }

/** A Trigger with its workspace. */
export type OwnedTrigger<Record extends TriggerRecord = TriggerRecord> = {
  readonly workspaceId: string
  readonly defaultProjectId: string
  readonly trigger: Record
}

export type ScheduleStore = {
  findWebhook(publicId: string): Promise<OwnedTrigger<WebhookTrigger> | undefined>
  findSchedule(id: string): Promise<(OwnedTrigger<ScheduleTrigger> & { readonly now: number }) | undefined>
  /**
   * Notes the outcome of the firing at `at`, and the next time. Does nothing unless `at` is still the next one. False: the schedule was
   * removed, or `fired` is a failure and the schedule was changed since it was seen, so that it may start something, or PostgreSQL's clock
   * was set back since it said `now`, by which the next time was found.
   */
  advance(
    seen: Pick<ScheduleTrigger, 'id' | 'updatedAt'>,
    due: { readonly at: number; readonly now: number },
    next: number | undefined,
    fired: Fired,
  ): Promise<boolean>
  /** Ends claims that were made when PostgreSQL's clock was further. */
  endLongClaims(): Promise<void>
  /** Schedules whose next times were found when PostgreSQL's clock was further, in order of their ids, which come after `after`. */
  foundLater(after: string, limit: number): Promise<{ readonly now: number; readonly items: readonly NextTime[] }>
  /** Does nothing unless `at` is still the next time. */
  bringForward(id: string, at: number, next: number): Promise<void>
  /** For 5 s from their times, or from now. Another time of the same schedule may be claimed meanwhile. */
  readonly claimDue: ClaimDue<DueSchedule>
  /** The earliest `nextFireAt`; `undefined`: there is none. For metrics. */
  nextFireAt(): Promise<number | undefined>
}

export type NextTime = Pick<ScheduleTrigger, 'id' | 'cron' | 'timezone'> & { readonly nextFireAt: number }

export type DueSchedule = Due & { readonly triggerId: string }

/** Fires the time of a schedule that has come, and some of the next ones that have come, too. */
export type FireDue = (due: DueSchedule) => Promise<void>

export type EnvironmentRecord = { readonly name: string; readonly createdAt: number; readonly updatedAt: number }

export type SealedVariable = { readonly name: string; readonly sealed: string }

export type EnvironmentStore = {
  /** By name. */
  list(projectId: string): Promise<readonly EnvironmentRecord[]>
  /** All or nothing; `too_many`: more than `most` would be set; `too_large`: values of more than `mostBytes` together. */
  change(
    projectId: string,
    change: {
      readonly set: readonly SealedVariable[]
      readonly remove: readonly string[]
      readonly most: number
      readonly mostBytes: number
    },
  ): Promise<readonly EnvironmentRecord[] | 'too_many' | 'too_large'>
  values(projectId: string): Promise<readonly SealedVariable[]>
}

/** All sealed values, so that they can be sealed again with another key. */
export type SecretStore = {
  /** Values of a kind that another key sealed, in the order of their rows: the first ones, or those behind a row. */
  sealedByOthers(
    kind: SealedRow['kind'],
    keyId: string,
    limit: number,
    after?: SealedRow,
  ): Promise<readonly SealedRow[]>
  /** Replaces the value, unless it was changed since it was read. */
  replaceSealed(row: SealedRow, sealed: string): Promise<void>
}

export type SealedRow = { readonly sealed: string } & (
  | { readonly kind: 'variable'; readonly workspaceId: string; readonly projectId: string; readonly name: string }
  | { readonly kind: 'trigger' | 'token'; readonly workspaceId: string; readonly id: string }
)

export type UsageReads = {
  /**
   * Usage up to and including the day `to`, by day, and by project and Program on request. What was stored before `from` is in rows of the
   * day before it. By project or Program and not by day, there is one row for each: of the last day that has begun, which counts what all
   * days counted, and stores the sum of what was stored at their ends. Includes what was committed just before. Not all rows, where they are more than twice
   * as many as an answer may have items.
   */
  rows(query: {
    readonly from: Day
    readonly to: Day
    /** The last day that has begun. */
    readonly today: Day
    readonly groupBy: readonly Grouping[]
  }): Promise<readonly UsageRow[]>
  /** How many groups of Programs there were at this time. Each has stored something since its first deploy, so it has usage. */
  programs(asked: { readonly before: number; readonly groupBy: readonly Grouping[] }): Promise<number>
}

export type UsageFolding = {
  /** Adds some of the counted usage to the days. Answers whether more is left. Any process calls it, four times a minute. */
  fold(): Promise<boolean>
  /** What a workspace stores, as of the last folding. */
  storedBytes(workspaceId: string): Promise<number>
}
