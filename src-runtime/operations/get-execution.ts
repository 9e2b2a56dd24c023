import { findExecution, type WhichExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showExecution } from './show-execution.ts'

export const getExecution = (ports: Pick<OperationPorts, 'store'>, which: WhichExecution) =>
  showExecution(ports.store, findExecution(ports, which))
