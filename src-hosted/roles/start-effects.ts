// Where a worker performs effects: isolated processes, which get the environment of their project.

import { manifestOptions } from '../../src-runtime/operations/manifest-options.ts'
import type { EffectRunner, LoadVersion, VersionEffects } from '../effects/effect-runner.ts'
import { prepareEffectRunner, type PreparedEffectRunner } from '../effects/prepare-effect-runner.ts'
import { readEffectEnvironment } from '../environment/effect-environments.ts'
import type { HostedOptions } from '../shared/hosted-options.ts'
import type { EngineStore } from '../store/store.ts'
import type { Base } from './base.ts'

/** Begins what needs no database. If that fails, the answer rejects. */
export const prepareEffects = (
  { effects, log }: Pick<HostedOptions, 'effects' | 'log'>,
  ownHosts: readonly string[],
  onStop: Base['onStop'],
): Promise<PreparedEffectRunner> => {
  const { allowEgress, unsafe } = effects
  const prepared = prepareEffectRunner({ allowEgress, ownHosts, unsafe, log })
  onStop(() =>
    prepared.then(
      ({ stop }) => stop(),
      () => {},
    ),
  )
  prepared.catch(() => {}) // until somebody waits for it
  return prepared
}

export const startEffects = (
  { store, secrets, limits, onStop }: Base,
  prepared: PreparedEffectRunner,
  ownServices: readonly string[],
): EffectRunner => {
  const runner = prepared.create({
    loadVersion: loadVersionOf(store.engine),
    environmentOf: ({ workspaceId, projectId }) =>
      readEffectEnvironment(store.forWorkspace(workspaceId).tenant.environment, secrets, projectId),
    effectsAtOnce: (workspaceId) => limits(workspaceId).effectsAtOnce,
    ownServices,
  })
  onStop(runner.drain)
  return runner
}

const loadVersionOf =
  (store: Pick<EngineStore, 'artifact'>): LoadVersion =>
  async (versionId) => {
    const artifact = await store.artifact(versionId)
    if (artifact?.effects === undefined) return undefined
    const { workspaceId, version } = artifact
    // It was checked when the version was deployed.
    const { code, sourceMap } = JSON.parse(artifact.effects) as { code: string; sourceMap?: string }
    return {
      workspaceId,
      projectId: version.projectId,
      name: `${version.programId} version ${version.number}`,
      code,
      ...(sourceMap !== undefined && { sourceMap }),
      effects: listedEffects(version.manifest),
    }
  }

const listedEffects = (manifest: string): VersionEffects['effects'] => {
  const { effects } = JSON.parse(manifest) as { readonly effects?: unknown }
  return effects === undefined
    ? undefined
    : [...manifestOptions(manifest)].map(([name, options]) => ({ name, options }))
}
