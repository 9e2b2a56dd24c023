// An effect runner with versions of a test's own, in as many workspaces as it wants.

import { pino } from 'pino'
import { createCalls, type EffectCalls, effectsIn } from '../../src-runtime/effects/effect-project.test-support.ts'
import type { EffectRunner, VersionEffects } from './effect-runner.ts'
import { prepareEffectRunner, type EffectRunnerSettings, type PreparedRunnerOptions } from './prepare-effect-runner.ts'

export type RunnerRig = EffectCalls & {
  readonly runner: EffectRunner
  readonly lines: readonly { readonly level: number; readonly msg: string; readonly stack?: string }[]
  /** Changes the environment of `prj_1`. */
  readonly environment: Record<string, string>
  deploy(versionId: string, code: string, more?: Partial<VersionEffects>): void
}

export type RigSettings = Partial<EffectRunnerSettings & PreparedRunnerOptions>

export const startRunnerRig = async (settings: RigSettings = {}): Promise<RunnerRig> => {
  const versions = new Map<string, VersionEffects>()
  const lines: RunnerRig['lines'][number][] = []
  const environment: Record<string, string> = {}
  const prepared = await prepareEffectRunner({
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[number]) }),
    ...settings,
  })
  const created = prepared.create({
    loadVersion: (versionId) => Promise.resolve(versions.get(versionId)),
    environmentOf: ({ projectId }) => Promise.resolve(projectId === 'prj_1' ? { ...environment } : {}),
    ...settings,
  })
  const runner = { ...created, drain: () => created.drain().then(prepared.stop) }
  return {
    ...createCalls(runner),
    runner,
    lines,
    environment,
    deploy: (versionId, code, more = {}) => {
      versions.set(versionId, {
        workspaceId: 'wsp_1',
        projectId: 'prj_1',
        name: 'order version 1',
        code,
        effects: effectsIn(code),
        ...more,
      })
    },
  }
}
