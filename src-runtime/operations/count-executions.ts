import type { BulkFilter, ExecutionCounts } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { readFilter } from './read-filter.ts'

export const countExecutions = async (
  ports: ProjectPorts & Pick<OperationPorts, 'reuse'>,
  request: { readonly projectId: string | undefined; readonly filter: BulkFilter },
): Promise<WireJson<ExecutionCounts>> => {
  const filter = readFilter('query', await chooseProject(ports, request.projectId), request.filter)
  const { overview } = ports.store
  const counts = await ports.reuse(['counts', filter], async () => overview.counts(filter))
  const awaiting = await ports.reuse(['attention', filter], async () => overview.awaitingAttention(filter))
  return toWire({ counts: { ...counts }, needsAttention: counts.failed + awaiting })
}
