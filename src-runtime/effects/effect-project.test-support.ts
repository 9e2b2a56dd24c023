// Small real projects in temporary folders, and their effect hosts.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { createEffectHosts, type EffectHosts } from './create-effect-hosts.ts'
import type { EffectBundle, LoadEffects } from './effect-bundle.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import type { EffectCall, EffectLog, EffectOutcome } from './effect-performer.ts'
import type { SpawnEffectHost } from './spawn-effect-host.ts'

export type LogLine = {
  readonly level: number
  readonly msg: string
  readonly folder?: string
  readonly stack?: string
}

export type EffectRig = EffectCalls & {
  readonly folder: string
  readonly hosts: EffectHosts
  /** Lines of the runtime's log. */
  readonly lines: readonly LogLine[]
  write(path: string, text: string): void
  /** Makes a version of these modules' exports. */
  deploy(versionId: string, code: string, more?: Partial<EffectBundle>): void
}

export type EffectCalls = {
  call(name: string, input?: unknown, more?: Partial<EffectCall>): Call
  perform(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<EffectOutcome>
  /** What the effect returned; throws when the attempt failed. */
  result(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<unknown>
  /** How the attempt failed; throws when it completed. */
  failure(name: string, input?: unknown, more?: Partial<EffectCall>): Promise<Failed>
}

export type Failed = Extract<EffectOutcome, { kind: 'failed' }>

type Call = {
  readonly outcome: Promise<EffectOutcome>
  readonly logs: readonly EffectLog[]
  readonly cancel: () => void
}

export const createEffectRig = (
  options: {
    readonly limits?: Partial<EffectHostLimits>
    readonly environment?: Readonly<Record<string, string | undefined>>
    readonly spawnEffectHost?: SpawnEffectHost
    readonly loadEffects?: LoadEffects
    readonly isTrusted?: (folder: string) => boolean
    readonly now?: () => number
  } = {},
): EffectRig => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wes-effects-')))
  const versions = new Map<string, EffectBundle>()
  const lines: LogLine[] = []
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line) as LogLine) })
  const hosts = createEffectHosts({
    loadEffects: (versionId) => versions.get(versionId),
    runtimeUrl: () => 'http://localhost:4711',
    log,
    ...options,
  })
  onTestFinished(async () => {
    await hosts.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  return {
    ...createCalls(hosts),
    folder,
    hosts,
    lines,
    write: (path, text) => {
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    },
    deploy: (versionId, code, more = {}) => {
      versions.set(versionId, { code, folder, effects: effectsIn(code), ...more })
    },
  }
}

/** With one version. */
export const deployed = (code: string, limits: Partial<EffectHostLimits> = {}): EffectRig => {
  const rig = createEffectRig({ limits })
  rig.deploy('ver_1', code)
  return rig
}

/** The exports of a module, as a manifest lists them. */
export const effectsIn = (code: string): readonly { readonly name: string; readonly options: object }[] =>
  [...code.matchAll(/export (?:async )?(?:function\*?|const) (\w+)/g)].map(([, name = '']) => ({ name, options: {} }))

/** Each call is of an Execution of its own. */
export const createCalls = (performer: { perform(call: EffectCall): Promise<EffectOutcome> }): EffectCalls => {
  let calls = 0

  const call: EffectCalls['call'] = (name, input, more = {}) => {
    calls += 1
    const controller = new AbortController()
    const logs: EffectLog[] = []
    const outcome = performer.perform({
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
  const perform: EffectCalls['perform'] = (...given) => call(...given).outcome
  return {
    call,
    perform,
    result: async (...given) => {
      const outcome = await perform(...given)
      if (outcome.kind === 'failed') throw new Error(JSON.stringify(outcome.error))
      return (JSON.parse(outcome.data) as { readonly result?: unknown }).result
    },
    failure: async (...given) => {
      const outcome = await perform(...given)
      if (outcome.kind === 'completed') throw new Error(`completed with ${outcome.data}`)
      return outcome
    },
  }
}

/** Waits for a condition; the test's timeout is the deadline. */
export const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10))
}
