// Rows of Triggers.

import { fromStored } from './stored-text.ts'
import type { ScheduleTrigger, TriggerRecord, WebhookTrigger } from './tenancy.ts'

export type TriggerRow = {
  readonly id: string
  readonly project_id: string
  readonly program_id: string
  readonly created_at: number
  readonly updated_at: number
  readonly last_fired_at: number | null
  readonly next_fire_at: number | null
  readonly enabled: boolean
  readonly type: 'webhook' | 'schedule'
  readonly name: string | null
  readonly public_id: string | null
  readonly secret: string | null
  readonly cron: string | null
  readonly timezone: string | null
  readonly input: string | null
  readonly last_execution: string | null
  readonly last_error: string | null
}

/** Of a Trigger `t`, its Program `p` and project `j`. */
export const TRIGGER_COLUMNS = `t.id, j.id AS project_id, p.id AS program_id, t.created_at, t.updated_at, t.last_fired_at,
  t.next_fire_at, t.enabled, t.type, t.name, t.public_id, t.secret, t.cron, t.timezone, t.input, t.last_execution,
  t.last_error`

export const toTrigger = (row: TriggerRow): TriggerRecord => (row.type === 'webhook' ? toWebhook(row) : toSchedule(row))

export const toWebhook = (row: TriggerRow): WebhookTrigger => ({
  ...membersOf(row),
  type: 'webhook',
  publicId: row.public_id ?? '',
  ...(row.secret !== null && { secret: row.secret }),
})

export const toSchedule = (row: TriggerRow): ScheduleTrigger => ({
  ...membersOf(row),
  type: 'schedule',
  cron: row.cron ?? '',
  timezone: row.timezone ?? '',
  ...(row.input !== null && { input: row.input }),
  ...(row.next_fire_at !== null && { nextFireAt: row.next_fire_at }),
})

const membersOf = (row: TriggerRow) => ({
  id: row.id,
  projectId: row.project_id,
  programId: row.program_id,
  ...(row.name !== null && { name: row.name }),
  enabled: row.enabled,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  ...(row.last_fired_at !== null && { lastFiredAt: row.last_fired_at }),
  ...(row.last_execution !== null && { lastExecutionId: row.last_execution }),
  ...(row.last_error !== null && { lastError: fromStored(row.last_error) }),
})

export const rowOf = (trigger: TriggerRecord, before: TriggerRecord | undefined) => ({
  id: trigger.id,
  program: trigger.programId,
  created_at: trigger.createdAt,
  updated_at: trigger.updatedAt,
  enabled: trigger.enabled,
  type: trigger.type,
  name: trigger.name,
  ...(trigger.type === 'webhook'
    ? {
        public_id: trigger.publicId,
        secret: trigger.secret,
        keeps_secret: before?.type === 'webhook' && before.secret === trigger.secret,
      }
    : {
        cron: trigger.cron,
        timezone: trigger.timezone,
        input: trigger.input,
        next_fire_at: trigger.nextFireAt,
        seen_next: before?.type === 'schedule' ? before.nextFireAt : undefined,
      }),
})
