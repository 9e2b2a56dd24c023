// `--smoke-test`: checks that this package works, without a window: starts a runtime on a free port with its own data and a
// project, upgrades the data in a process of its own, and runs a Program in its own host, with an effect in another. Prints one line
// of JSON, for those who build packages.

import { app } from 'electron'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { trustFolder } from '../../src-runtime/data-directory/trusted-folders.ts'
import { writeOldDatabase } from '../../src-runtime/data-directory/write-old-database.ts'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { findChildProcesses } from '../hosts/child-processes.ts'
import { createAttempt } from '../runtime-switch/own-runtime.ts'

/** Its effect reads a file, which Programs cannot. */
const PROJECT = {
  'fact.txt': 'it runs',
  'programs/smoke-test.effects.ts': `import { readFile } from 'node:fs/promises'
export const readFact = (): Promise<string> => readFile(new URL('../fact.txt', import.meta.url), 'utf8')
`,
  'programs/smoke-test.ts': `import { defineProgram } from 'workflow-execution-service'
import { readFact } from './smoke-test.effects.ts'
export default defineProgram({ id: 'smoke-test' }, async (ctx) => { await ctx.sleep(1); return readFact() })
`,
} as const

/** On machines that build packages, which may be slow. */
const LIMIT_MS = 60_000
const LOOK_INTERVAL_MS = 50

/** Ends the app, with 0 on success. */
export const runSmokeTest = async (): Promise<void> => {
  // Folders are trusted by their real paths.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'wes-smoke-')))
  const report = await tryOut(folder).catch((error: unknown) => ({ ok: false, problem: String(error) }))
  await rm(folder, { recursive: true, force: true }).catch(() => undefined)
  const { electron, node } = process.versions
  process.stdout.write(`${JSON.stringify({ version: app.getVersion(), electron, node, ...report })}\n`, () =>
    app.exit(report.ok ? 0 : 1),
  )
}

const tryOut = async (folder: string): Promise<{ readonly ok: boolean; readonly [fact: string]: unknown }> => {
  const dataDir = join(folder, 'data')
  const projectFolder = await writeProject(join(folder, 'project'))
  writeOldDatabase(dataDir)
  trustFolder(dataDir, projectFolder)
  const children = findChildProcesses()
  const attempt = createAttempt({
    dataDir,
    port: () => 0,
    projectFolder: () => projectFolder,
    children,
    onLogFault: () => undefined,
    log: pino({ level: 'silent' }),
  })
  // The runtime tells none if it has to upgrade the data itself.
  let isUpgradedApart = false
  const outcome = await attempt(new AbortController().signal, () => {
    isUpgradedApart = true
  })
  if (outcome.kind !== 'held' || !outcome.held.owned) return { ok: false, outcome: outcome.kind }
  const { runtime } = outcome.held
  try {
    const client = createClient({ url: runtime.url })
    await untilDeployed(client)
    const result = await (await client.start('smoke-test')).result({ timeout: LIMIT_MS })
    return {
      ok: result === 'it runs' && isUpgradedApart,
      result,
      isUpgradedApart,
      effectsRunOn: (await children).effectsRunOn,
    }
  } finally {
    await runtime.stop()
  }
}

const writeProject = async (folder: string): Promise<string> => {
  await mkdir(join(folder, 'programs'), { recursive: true })
  for (const [path, text] of Object.entries(PROJECT)) await writeFile(join(folder, path), text)
  return folder
}

/** The runtime deploys the project's Programs soon after it has started. */
const untilDeployed = async (client: ServiceClient): Promise<void> => {
  const end = performance.now() + LIMIT_MS
  while ((await client.listPrograms()).items.length === 0) {
    if (performance.now() > end) throw new Error(`the project was not deployed within ${LIMIT_MS / 1000} s`)
    await sleep(LOOK_INTERVAL_MS)
  }
}
