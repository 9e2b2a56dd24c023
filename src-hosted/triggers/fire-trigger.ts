import type { Firing, FiringReceipt } from '../../src-runtime/contract/trigger-models.ts'
import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import { projectOfPath } from '../shared/project-of-path.ts'
import type { TriggerRecord } from '../store/tenancy.ts'
import { unknownTrigger } from './replace-plan.ts'
import { startFromTrigger, type StartPorts } from './start-from-trigger.ts'

/** Starts what the Trigger starts, by hand. */
export const fireTrigger = async (
  ports: StartPorts & Pick<HostedPorts, 'tenant'>,
  request: {
    readonly path: string
    readonly header: string | undefined
    readonly triggerId: string
    readonly body: Firing
  },
): Promise<WireJson<FiringReceipt>> => {
  const { triggers } = ports.tenant
  const projectId = await projectOfPath(ports, request)
  const trigger = await triggers.get(projectId, request.triggerId)
  if (trigger === undefined) throw unknownTrigger(request.triggerId)
  const input = 'input' in request.body ? request.body : ownInput(trigger)
  const { executionId } = await startFromTrigger(ports, trigger, input)
  // The Execution has started: an error would make the caller fire the Trigger again.
  await triggers.noteFired(trigger.id, { executionId }).catch(() => undefined)
  return toWire({ executionId })
}

/** What a Trigger starts with when nobody gives it anything. */
export const ownInput = (trigger: TriggerRecord): { readonly input?: unknown } =>
  trigger.type === 'schedule' && trigger.input !== undefined ? { input: JSON.parse(trigger.input) as unknown } : {}
