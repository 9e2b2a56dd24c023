import { ApiError } from '../contract/errors.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import type { ProgramRecord } from '../ports/programs.ts'
import { beginningOf } from '../shared/beginning-of.ts'

export const unknownProgram = (projectId: string, programId: string): ApiError =>
  new ApiError(
    'program_not_found',
    `There is no Program ${JSON.stringify(beginningOf(programId, 128))} in project ${JSON.stringify(projectId)}.`,
  )

export const findProgram = async (
  { store, sourceRead }: Pick<OperationPorts, 'store' | 'sourceRead'>,
  projectId: string,
  programId: string,
): Promise<ProgramRecord> => {
  const find = () => store.programs.get(projectId, programId)
  const program = (await find()) ?? ((await sourceRead?.()) === true ? await find() : undefined)
  if (program === undefined) throw unknownProgram(projectId, programId)
  return program
}
