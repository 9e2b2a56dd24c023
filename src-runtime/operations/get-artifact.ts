import { ApiError } from '../contract/errors.ts'
import type { Artifact } from '../contract/models.ts'
import { toWire, withMember, type WireJson } from '../contract/wire-json.ts'
import { chooseProject } from './choose-project.ts'
import { findProgram } from './find-program.ts'
import type { OperationPorts } from './operation-ports.ts'

/** What a version was deployed as, but for `sdk` and `description`, which are no part of its code. */
export const getArtifact = (
  { store }: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly number: string; readonly projectId: string | undefined },
): WireJson<Artifact> => {
  const program = findProgram(store, chooseProject({ store }, request.projectId), request.id)
  const number = /^[1-9]\d{0,9}$/.test(request.number) ? Number(request.number) : 0
  const version = store.programs.version(program.projectId, program.id, number)
  const artifact = version && store.programs.artifact(version.id)
  if (version === undefined || artifact === undefined) {
    throw new ApiError(
      'version_not_found',
      `Program ${JSON.stringify(program.id)} has no version ${JSON.stringify(request.number.slice(0, 20))}.`,
    )
  }
  const { code, sourceMap, effects } = artifact
  const bare = toWire({ format: 'wes.program/1', id: program.id, program: { code, sourceMap } })
  const whole = withMember(bare, 'manifest', version.manifest)
  return (effects === undefined ? whole : withMember(whole, 'effects', effects)) as string as WireJson<Artifact>
}
