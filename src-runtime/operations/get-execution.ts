import { findExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { recordOf } from './record-of.ts'
import { showExecution } from './show-execution.ts'

export const getExecution = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly projectId: string | undefined },
) => showExecution(ports.store, recordOf(ports.store, findExecution(ports, request)))
