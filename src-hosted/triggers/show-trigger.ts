import type { Trigger } from '../../src-runtime/contract/trigger-models.ts'
import { toWire, wireList, withMember, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import type { TriggerRecord } from '../store/tenancy.ts'

export type ShownTriggers = WireJson<{ items: Trigger[]; nextCursor: string | null }>

type ShowPorts = Pick<HostedPorts, 'hooksUrl' | 'principal'>

/** `secrets` were generated a moment ago, by id of the Trigger. */
export const showTriggers = (
  items: readonly TriggerRecord[],
  { hooksUrl, principal }: ShowPorts,
  secrets: ReadonlyMap<string, string> = new Map(),
): ShownTriggers => {
  // Whoever knows the address of a webhook can start Executions, and `read` must not.
  const addressOf = (publicId: string): Pick<Trigger, 'publicId' | 'url'> =>
    principal.role === 'read' ? {} : { publicId, url: `${hooksUrl}/${publicId}` }
  return wireList(
    items.map((trigger) => showTrigger(trigger, addressOf, secrets.get(trigger.id))),
    null,
  )
}

const showTrigger = (
  trigger: TriggerRecord,
  addressOf: (publicId: string) => Pick<Trigger, 'publicId' | 'url'>,
  secret: string | undefined,
): WireJson<Trigger> => {
  const { id, programId, projectId, type, name, enabled, lastExecutionId, lastError } = trigger
  const shown = toWire({
    id,
    programId,
    projectId,
    type,
    name,
    enabled,
    ...(trigger.type === 'webhook'
      ? { ...addressOf(trigger.publicId), signed: trigger.secret !== undefined, secret }
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
