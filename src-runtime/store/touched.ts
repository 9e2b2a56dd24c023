// What a write tells of an Execution or a Program after its commit: how each is after the write.

import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ProgramRecord } from '../ports/programs.ts'
import type { Written } from './shared-transaction.ts'

export const touchedExecution = ({ key, id, programId, projectId, status }: ExecutionHead) => ({
  key,
  executionId: id,
  programId,
  projectId,
  status,
})

export const touchedProgram = (program: ProgramRecord | undefined): Pick<Written<unknown>, 'touched'> => {
  if (program === undefined) return {}
  const { id, projectId, latestVersion } = program
  return { touched: { kind: 'program', programId: id, projectId, versionNumber: latestVersion.number } }
}
