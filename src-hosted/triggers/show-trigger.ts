import type { Trigger } from '../../src-runtime/contract/trigger-models.ts'
import { toWire, wireList, withMember, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { TriggerRecord } from '../store/tenancy.ts'

export type ShownTriggers = WireJson<{ items: Trigger[]; nextCursor: string | null }>

/** `secrets` were generated a moment ago, by id of the Trigger. */
export const showTriggers = (
  items: readonly TriggerRecord[],
  hooksUrl: string,
  secrets: ReadonlyMap<string, string> = new Map(),
): ShownTriggers =>
  wireList(
    items.map((trigger) => showTrigger(trigger, hooksUrl, secrets.get(trigger.id))),
    null,
  )

const showTrigger = (trigger: TriggerRecord, hooksUrl: string, secret: string | undefined): WireJson<Trigger> => {
  const { id, programId, projectId, type, name, enabled, lastExecutionId, lastError } = trigger
  const shown = toWire({
    id,
    programId,
    projectId,
    type,
    name,
    enabled,
    ...(trigger.type === 'webhook'
      ? {
          publicId: trigger.publicId,
          url: `${hooksUrl}/${trigger.publicId}`,
          signed: trigger.secret !== undefined,
          secret,
        }
      : { cron: trigger.cron, timezone: trigger.timezone, nextFireAt: maybeIso(trigger.nextFireAt) }),
    lastFiredAt: maybeIso(trigger.lastFiredAt),
    lastExecutionId,
    lastError,
    createdAt: iso(trigger.createdAt),
    updatedAt: iso(trigger.updatedAt),
  }) as string as WireJson<Trigger>
  return trigger.type === 'schedule' && trigger.input !== undefined ? withMember(shown, 'input', trigger.input) : shown
}

const maybeIso = (at: number | undefined): string | undefined => (at === undefined ? undefined : iso(at))
