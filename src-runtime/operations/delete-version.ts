import { ApiError } from '../contract/errors.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findVersion, unknownVersion, type WhichVersion } from './find-version.ts'

export const deleteVersion = async (ports: ProjectPorts, which: WhichVersion): Promise<void> => {
  const { projectId, programId, number } = await findVersion(ports, which)
  const outcome = await ports.store.programs.remove(projectId, programId, number)
  if (outcome === undefined) throw unknownVersion(programId, which.number)
  if (outcome !== 'removed') {
    throw new ApiError('version_in_use', `Version ${number} of Program ${programId} ${REASONS[outcome]}.`)
  }
}

const REASONS = {
  used: 'cannot be removed: there are Executions of it. Delete them first',
  newest: 'cannot be removed: it is the newest',
  newest_runnable: 'cannot be removed: it is the newest that can run here',
} as const
