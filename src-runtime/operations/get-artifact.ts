import type { Artifact } from '../contract/models.ts'
import { toWire, withMember, type WireJson } from '../contract/wire-json.ts'
import { findVersion, unknownVersion, type WhichVersion } from './find-version.ts'
import type { OperationPorts } from './operation-ports.ts'

/** What a version was deployed as, but for `sdk` and `description`, which are no part of its code. */
export const getArtifact = (ports: Pick<OperationPorts, 'store'>, which: WhichVersion): WireJson<Artifact> => {
  const version = findVersion(ports, which)
  const artifact = ports.store.programs.artifact(version.id)
  if (artifact === undefined) throw unknownVersion(version.programId, which.number)
  const { code, sourceMap, effects } = artifact
  const bare = toWire({ format: 'wes.program/1', id: version.programId, program: { code, sourceMap } })
  const whole = withMember(bare, 'manifest', version.manifest)
  return (effects === undefined ? whole : withMember(whole, 'effects', effects)) as string as WireJson<Artifact>
}
