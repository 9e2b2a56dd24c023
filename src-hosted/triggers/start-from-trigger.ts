// Starts the Execution of a Trigger, on the newest version that can run.

import { startExecution } from '../../src-runtime/operations/start-execution.ts'
import type { OperationPorts } from '../../src-runtime/ports/operation-ports.ts'
import type { TriggerRecord } from '../store/tenancy.ts'

export type StartPorts = Pick<
  OperationPorts,
  'store' | 'worker' | 'ids' | 'now' | 'schemas' | 'defaultProjectId' | 'runsUploadedEffects'
>

/**
 * The same Trigger and `once` start one Execution within 24 h, whatever the input is. An input that is not given is
 * absent. Rejects as a start does.
 */
export const startFromTrigger = async (
  ports: StartPorts,
  { id, type, projectId, programId }: TriggerRecord,
  start: { readonly input?: unknown; readonly once?: string; readonly triggerUpdatedAt?: number },
): Promise<{ readonly executionId: string; readonly isRepeated: boolean }> => {
  const { head, kind } = await startExecution(ports, {
    projectId,
    idempotencyKey: undefined,
    body: { programId, ...(Object.hasOwn(start, 'input') && { input: start.input }) },
    trigger: { id, type },
    ...(start.triggerUpdatedAt !== undefined && { triggerUpdatedAt: start.triggerUpdatedAt }),
    ...(start.once !== undefined && { once: `${id}:${start.once}` }),
  })
  return { executionId: head.id, isRepeated: kind === 'repeated' }
}
