import { ApiError } from '../contract/errors.ts'
import type { ProgramRecord, Store } from '../store/store.ts'

export const unknownProgram = (projectId: string, programId: string): ApiError =>
  new ApiError(
    'program_not_found',
    `There is no Program ${JSON.stringify(programId.slice(0, 128))} in project ${JSON.stringify(projectId)}.`,
  )

export const findProgram = (store: Store, projectId: string, programId: string): ProgramRecord => {
  const program = store.programs.get(projectId, programId)
  if (program === undefined) throw unknownProgram(projectId, programId)
  return program
}
