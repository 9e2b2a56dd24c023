// An effect runner with versions of a test's own, in as many workspaces as it wants.

import { pino } from 'pino'
import type { EffectCall, EffectLog, EffectOutcome } from '../../src-runtime/effects/effect-performer.ts'
import type { EffectRunnerOptions } from './create-effect-runner.ts'
import type { EffectRunner, VersionEffects } from './effect-runner.ts'
import { prepareEffectRunner, type EffectRunnerSettings } from './prepare-effect-runner.ts'

export type RunnerRig = {
  readonly runner: EffectRunner
  readonly lines: readonly { readonly level: number; readonly msg: string; readonly stack?: string }[]
  /** Changes the environment of `prj_1`. */
  readonly environment: Record<string, string>
  deploy(versionId: string, code: string, more?: Partial<VersionEffects>): void
  call(name: string, input?: unknown, more?: Partial<EffectCall>): Call
  perform(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<EffectOutcome>
  /** What the effect returned; throws when the attempt failed. */
  result(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<unknown>
  /** How the attempt failed; throws when it completed. */
  failure(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<Failed>
}

type Failed = Extract<EffectOutcome, { kind: 'failed' }>
type Call = {
  readonly outcome: Promise<EffectOutcome>
  readonly logs: readonly EffectLog[]
  readonly cancel: () => void
}

export type RigSettings = Partial<EffectRunnerSettings & Omit<EffectRunnerOptions, 'isolation' | 'egress'>>

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
  let calls = 0

  const call: RunnerRig['call'] = (name, input, more = {}) => {
    calls += 1
    const controller = new AbortController()
    const logs: EffectLog[] = []
    const outcome = runner.perform({
      executionId: `exe_${calls}`,
      programId: 'order',
      versionId: 'ver_1',
      name,
      attempt: 1,
      idempotencyKey: `exe_${calls}/1`,
      data: JSON.stringify({ input }),
      timeoutMs: 20_000,
      signal: controller.signal,
      onLog: (entry) => logs.push(entry),
      ...more,
    })
    return { outcome, logs, cancel: () => controller.abort() }
  }

  return {
    runner,
    lines,
    environment,
    deploy: (versionId, code, more = {}) => {
      const names = [...code.matchAll(/export (?:async )?(?:function\*?|const) (\w+)/g)].map(([, name = '']) => name)
      const effects = names.map((name) => ({ name, options: {} }))
      versions.set(versionId, {
        workspaceId: 'wsp_1',
        projectId: 'prj_1',
        name: 'order version 1',
        code,
        effects,
        ...more,
      })
    },
    call,
    perform: (...given) => call(...given).outcome,
    result: async (...given) => {
      const outcome = await call(...given).outcome
      if (outcome.kind === 'failed') throw new Error(JSON.stringify(outcome.error))
      return (JSON.parse(outcome.data) as { readonly result?: unknown }).result
    },
    failure: async (...given) => {
      const outcome = await call(...given).outcome
      if (outcome.kind === 'completed') throw new Error(`completed with ${outcome.data}`)
      return outcome
    },
  }
}
