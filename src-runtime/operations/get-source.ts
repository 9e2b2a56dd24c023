import type { SourceFault, SourceStatus } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { LocalPorts } from '../ports/local-ports.ts'
import { projectNamed } from './choose-project.ts'

export const getSource = async ({
  inspect,
  store,
}: Pick<LocalPorts, 'inspect' | 'store'>): Promise<WireJson<SourceStatus>> => {
  const { folder, watching, isMissing, isReading, project, programs, errors, warnings } = inspect.source()
  const projectId = projectNamed(await store.projects.list(), project)
  return toWire({
    folder,
    watching,
    ...(isMissing && { missing: true }),
    ...(isReading && { reading: true }),
    ...(projectId !== undefined && { projectId }),
    programs: programs.map(({ id, path }) => ({ id, path })),
    errors: errors.map(faultOf),
    ...(warnings.length > 0 && { warnings: warnings.map(faultOf) }),
  })
}

const faultOf = ({ path, line, column, message, frame }: SourceFault): SourceFault => ({
  path,
  line,
  column,
  message,
  frame,
})
