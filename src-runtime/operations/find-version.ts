import { ApiError } from '../contract/errors.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import { beginningOf } from '../shared/beginning-of.ts'

export type WhichVersion = { readonly id: string; readonly number: string; readonly projectId: string | undefined }

export const findVersion = async (ports: ProjectPorts, which: WhichVersion): Promise<VersionRecord> => {
  const program = await findProgram(ports, await chooseProject(ports, which.projectId), which.id)
  const number = /^[1-9]\d{0,9}$/.test(which.number) ? Number(which.number) : 0
  const version = await ports.store.programs.version(program.projectId, program.id, number)
  if (version === undefined) throw unknownVersion(program.id, which.number)
  return version
}

export const unknownVersion = (programId: string, number: string): ApiError =>
  new ApiError(
    'version_not_found',
    `Program ${JSON.stringify(programId)} has no version ${JSON.stringify(beginningOf(number, 20))}.`,
  )
