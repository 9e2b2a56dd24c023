// Stores the Programs found in a project folder as versions, and retires them when their module is removed.

import { projectNamed } from './choose-project.ts'
import type { Artifact } from '../contract/models.ts'
import type { SourceArtifact, SourceDeployment, SourcePlace, SourceVersions } from '../source/source.ts'
import type { Store } from '../store/store.ts'
import { artifactFault } from './check-artifact.ts'
import { artifactDigest, newVersionOf } from './deploy-program.ts'
import { DEFAULT_PROJECT_ID } from './local-ports.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'

type SourcePorts = Pick<OperationPorts, 'hosts' | 'schemas' | 'ids' | 'now'> & { readonly store: Store }

export const createSourceVersions = (ports: SourcePorts): SourceVersions => ({
  deploy: (artifact, place) => deploySource(ports, artifact, place),
  retire: (projectId, programId) => ports.store.programs.retire(projectId, programId),
  deployedFrom: (folder) => Promise.resolve(ports.store.programs.fromFolder(folder)),
})

const deploySource = async (
  ports: SourcePorts,
  compiled: SourceArtifact,
  place: SourcePlace,
): Promise<SourceDeployment> => {
  const { store } = ports
  const artifact = compiled as Artifact // the same, but for `readonly`
  const projectId = projectOf(store, place)
  if (projectId === undefined) return { kind: 'no_project' }
  const before = store.programs.get(projectId, artifact.id)?.latestVersion
  const digest = artifactDigest(artifact)
  const manifest = JSON.stringify(artifact.manifest)
  if (before?.digest !== digest) {
    const fault = await artifactFault(ports, artifact, manifest)
    if (fault !== undefined) return { kind: 'refused', message: fault }
  }
  const { folder, path } = place
  const source = { folder, path }
  const { kind, program } = await store.programs.deploy(
    newVersionOf(ports, artifact, { projectId, digest, manifest, origin: 'source', source, runnable: true }),
  )
  // What fails now is tried again after the next deploy.
  if (kind === 'created') store.programs.removeUnused(projectId, program.id).catch(() => undefined)
  const previousFolder = before?.source?.folder
  return {
    kind,
    versionNumber: program.latestVersion.number,
    projectId,
    ...(previousFolder !== undefined && { previousFolder }),
  }
}

const projectOf = (store: Store, { project }: SourcePlace): string | undefined =>
  project === undefined ? DEFAULT_PROJECT_ID : projectNamed(store.projects.list(), project)
