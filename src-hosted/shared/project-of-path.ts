import { ApiError } from '../../src-runtime/contract/errors.ts'
import { chooseProject, type ProjectPorts } from '../../src-runtime/operations/choose-project.ts'

/** The id of the project in a path; a header may not choose another one. */
export const projectOfPath = async (
  ports: ProjectPorts,
  { path, header }: { readonly path: string; readonly header: string | undefined },
): Promise<string> => {
  const projectId = await chooseProject(ports, path)
  if (header === undefined || (await chooseProject(ports, header)) === projectId) return projectId
  throw new ApiError('invalid_request', 'X-Service-Project-Id names another project than the path')
}
