import type { SourceStatus } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { LocalPorts } from '../ports/local-ports.ts'

export const getSource = ({ inspect }: Pick<LocalPorts, 'inspect'>): WireJson<SourceStatus> => {
  const { folder, watching, programs, errors } = inspect.source()
  return toWire({
    folder,
    watching,
    programs: programs.map(({ id, path }) => ({ id, path })),
    errors: errors.map(({ path, line, column, message, frame }) => ({ path, line, column, message, frame })),
  })
}
