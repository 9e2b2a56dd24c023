// `--smoke-test`: checks that this package works, without a window: starts a runtime on a free port with its own data
// and runs a Program in its own host. Prints one line of JSON, for those who build packages.

import { app } from 'electron'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { createClient } from '../../src-sdk/create-client.ts'
import { findChildProcesses } from '../hosts/child-processes.ts'
import { createAttempt } from '../runtime-switch/own-runtime.ts'

const PROGRAM = {
  format: 'wes.program/1',
  id: 'smoke-test',
  program: { code: '({ run: async (ctx) => { await ctx.sleep(1); return "it runs" } })' },
} as const

/** Ends the app, with 0 on success. */
export const runSmokeTest = async (): Promise<void> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wes-smoke-'))
  const report = await tryOut(dataDir).catch((error: unknown) => ({ ok: false, problem: String(error) }))
  await rm(dataDir, { recursive: true, force: true }).catch(() => undefined)
  const { electron, node } = process.versions
  process.stdout.write(`${JSON.stringify({ version: app.getVersion(), electron, node, ...report })}\n`, () =>
    app.exit(report.ok ? 0 : 1),
  )
}

const tryOut = async (dataDir: string): Promise<{ readonly ok: boolean; readonly [fact: string]: unknown }> => {
  const children = findChildProcesses()
  const attempt = createAttempt({
    dataDir,
    port: () => 0,
    projectFolder: () => null,
    children,
    log: pino({ level: 'silent' }),
  })
  const outcome = await attempt()
  if (outcome.kind !== 'held' || !outcome.held.owned) return { ok: false, outcome: outcome.kind }
  const { runtime } = outcome.held
  try {
    const client = createClient({ url: runtime.url })
    await client.deployProgram(PROGRAM)
    const result = await (await client.start(PROGRAM.id)).result({ timeout: 20_000 })
    return { ok: result === 'it runs', result, effectsRunOn: (await children).effectsRunOn }
  } finally {
    await runtime.stop()
  }
}
