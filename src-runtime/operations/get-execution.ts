import type { ProjectPorts } from './choose-project.ts'
import { findHead, stillThere, type WhichExecution } from './find-execution.ts'
import { showExecution } from './show-execution.ts'

export const getExecution = async (ports: ProjectPorts, which: WhichExecution) => {
  const { key } = await findHead(ports, which)
  return showExecution(stillThere(await ports.store.executions.whole(key)))
}
