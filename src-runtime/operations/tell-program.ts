import type { ProgramRecord } from '../store/store.ts'
import type { OperationPorts } from './operation-ports.ts'

/** Call it after the commit: readers of the changes stream then read the Program again. */
export const tellProgram = (
  { changes, now }: Pick<OperationPorts, 'changes' | 'now'>,
  { id, projectId, latestVersion }: ProgramRecord,
): void =>
  changes.publish([{ kind: 'program', programId: id, projectId, versionNumber: latestVersion.number, at: now() }])
