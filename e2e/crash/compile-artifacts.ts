import { compileProject } from '#runtime/source/build-project.ts'
import type { ProgramArtifact } from '#sdk/index.ts'

export const compileArtifacts = async (folder: string): Promise<readonly ProgramArtifact[]> => {
  const { programs, errors } = await compileProject({ folder })
  if (errors.length > 0) throw new Error(`the project does not compile: ${JSON.stringify(errors)}`)
  return programs.map(({ artifact }) => artifact)
}
