import type { ProgramRecord } from '../ports/programs.ts'
import type { Written } from './shared-transaction.ts'

/** Publishes a Program after the commit, as it is after the write. */
export const touchedProgram = (program: ProgramRecord | undefined): Pick<Written<unknown>, 'touched'> => {
  if (program === undefined) return {}
  const { id, projectId, latestVersion } = program
  return { touched: { kind: 'program', programId: id, projectId, versionNumber: latestVersion.number } }
}
