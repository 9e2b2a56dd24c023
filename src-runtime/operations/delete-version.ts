import { ApiError } from '../contract/errors.ts'
import { findVersion, unknownVersion, type WhichVersion } from './find-version.ts'
import type { OperationPorts } from './operation-ports.ts'
import { tellProgram } from './tell-program.ts'

type Ports = Pick<OperationPorts, 'store' | 'changes' | 'now'>

export const deleteVersion = async (ports: Ports, which: WhichVersion): Promise<void> => {
  const { projectId, programId, number } = findVersion(ports, which)
  const outcome = await ports.store.programs.remove(projectId, programId, number)
  if (outcome === undefined) throw unknownVersion(programId, which.number)
  if (outcome !== 'removed') {
    throw new ApiError('version_in_use', `Version ${number} of Program ${programId} ${REASONS[outcome]}.`)
  }
  tell(ports, projectId, programId)
}

/** After a deploy from source, behind the answer: each save of a file stores a version. */
export const removeUnusedVersions = async (ports: Ports, projectId: string, programId: string): Promise<void> => {
  const removed = await ports.store.programs.removeUnused(projectId, programId)
  if (removed > 0) tell(ports, projectId, programId)
}

const tell = (ports: Ports, projectId: string, programId: string): void => {
  const program = ports.store.programs.get(projectId, programId)
  if (program !== undefined) tellProgram(ports, program)
}

const REASONS = {
  used: 'cannot be removed: there are Executions of it. Delete them first',
  newest: 'cannot be removed: it is the newest',
  newest_runnable: 'cannot be removed: it is the newest that can run here',
} as const
