import type { Artifact } from '../contract/models.ts'
import { toWire, withMember, type WireJson } from '../contract/wire-json.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findVersion, unknownVersion, type WhichVersion } from './find-version.ts'

/** What a version was deployed as, but for `sdk` and `description`, which are no part of its code. */
export const getArtifact = async (ports: ProjectPorts, which: WhichVersion): Promise<WireJson<Artifact>> => {
  const version = await findVersion(ports, which)
  const artifact = await ports.store.programs.artifact(version.id)
  if (artifact === undefined) throw unknownVersion(version.programId, which.number)
  const { code, sourceMap, effects } = artifact
  const bare = toWire({ format: 'wes.program/1', id: version.programId, program: { code, sourceMap } })
  const whole = withMember(bare, 'manifest', version.manifest)
  return (effects === undefined ? whole : withMember(whole, 'effects', effects)) as string as WireJson<Artifact>
}
