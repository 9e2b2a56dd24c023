import type { Artifact, Program } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import { canonicalDigest } from './canonical-json.ts'
import { refuseBadIntervals, refuseBrokenUnicode, refuseUnusable } from './check-artifact.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import type { NewVersion } from '../ports/programs.ts'
import { showProgram } from './show-program.ts'

export type DeployOutcome = { readonly kind: 'created' | 'unchanged'; readonly program: WireJson<Program> }

/** SHA-256 of the artifact's RFC 8785 form without `sdk`, in hex. */
export const artifactDigest = ({ sdk: _, ...content }: Artifact): string => canonicalDigest(content)

/** What is stored of an artifact, wherever it came from. */
export const newVersionOf = (
  { ids, now }: Pick<OperationPorts, 'ids' | 'now'>,
  { id, description, program, effects }: Artifact,
  rest: Pick<NewVersion, 'projectId' | 'digest' | 'manifest' | 'origin' | 'source' | 'runnable'>,
): NewVersion => ({
  id: ids('ver'),
  programId: id,
  ...(description !== undefined && { description }),
  code: program.code,
  ...(program.sourceMap !== undefined && { sourceMap: program.sourceMap }),
  ...(effects !== undefined && { effects: JSON.stringify({ code: effects.code, sourceMap: effects.sourceMap }) }),
  createdAt: now(),
  ...rest,
})

export const deployProgram = async (
  ports: ProjectPorts &
    Pick<OperationPorts, 'hosts' | 'schemas' | 'checkEffects' | 'ids' | 'now' | 'runsUploadedEffects'>,
  request: { readonly projectId: string | undefined; readonly artifact: Artifact },
): Promise<DeployOutcome> => {
  const { artifact } = request
  const projectId = await chooseProject(ports, request.projectId)
  refuseBrokenUnicode(artifact)
  refuseBadIntervals(artifact)
  const digest = artifactDigest(artifact)
  const known = await ports.store.programs.get(projectId, artifact.id)
  if (known?.latestVersion.digest === digest) return { kind: 'unchanged', program: showProgram(known) }

  const manifest = JSON.stringify(artifact.manifest ?? {})
  await refuseUnusable(ports, artifact, manifest)
  const runnable = artifact.effects === undefined || ports.runsUploadedEffects
  const version = newVersionOf(ports, artifact, { projectId, digest, manifest, origin: 'upload', runnable })
  const outcome = await ports.store.programs.deploy(version)
  return { kind: outcome.kind, program: showProgram(outcome.program) }
}
