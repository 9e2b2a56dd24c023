// `wes dev`: runs the local runtime until it is told to stop.

import { randomBytes } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createRuntime } from '#runtime/create-runtime.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import type { Runtime } from '#runtime/shared/runtime.ts'
import type { SourceEvent } from '#runtime/source/source.ts'
import { UsageError } from '../failures.ts'
import type { Terminal } from '../terminal.ts'
import { createLog, type LogLevel } from './log.ts'
import { startCommand } from './start-command.ts'
import { npmIsGone, stopRequest } from './stop-request.ts'

export type DevFlags = {
  readonly port: number
  readonly dataDir?: string
  readonly project: string
  /** Whether to deploy again what is saved. */
  readonly watch: boolean
  /** Whether to run effects. */
  readonly effects: boolean
  /** Whether callers need a token. */
  readonly token?: true
  readonly verbose?: true
  readonly logLevel?: LogLevel
}

const EFFECTS_GRACE_MS = 5_000
/** Everything else that a stop does. */
const STOP_LIMIT_MS = 5_000
/** What a finished runtime may take to let go of its last handles. */
const EXIT_LIMIT_MS = 250

export const dev = async (flags: DevFlags, terminal: Terminal): Promise<number> => {
  const projectFolder = folderAt(flags.project)
  if (flags.dataDir === '') throw new UsageError('--data-dir: a folder is expected')
  const dataDir = resolve(flags.dataDir ?? defaultDataDirectory(process.env))
  const level = flags.logLevel ?? (flags.verbose === true ? 'info' : 'warn')
  const log = createLog(level, process.stderr)
  const stopAsked = Promise.race([stopRequest(process), npmIsGone(process)])
  let asked = false
  void stopAsked.then(() => (asked = true))

  const token = flags.token === true ? takeToken(process.env) : undefined
  let runtime: Runtime
  try {
    runtime = await createRuntime({
      dataDir,
      port: flags.port,
      projectFolder,
      watch: flags.watch,
      ...(token !== undefined && { token: token.text }),
      startedBy: startCommand({
        script: process.argv[1] ?? 'wes',
        port: flags.port,
        dataDir: flags.dataDir === undefined ? undefined : dataDir,
        project: projectFolder,
        asksForToken: token !== undefined,
      }),
      log,
      runEffects: flags.effects,
      effectsGrace: { ms: EFFECTS_GRACE_MS, onWaiting: (effects) => tellWaiting(effects, terminal) },
      onSourceEvent: (event) => void tellSourceEvent(event, terminal),
    })
  } catch (error) {
    const { explainFailedStart } = await import('./explain-failed-start.ts')
    await terminal.out(
      await explainFailedStart(error, { port: flags.port, dataDir, projectFolder, asksForToken: token !== undefined }),
    )
    return 0
  }
  if (!asked) await terminal.out(`ready ${runtime.url}\n`)
  if (!flags.effects) terminal.err('effects are not run (--no-effects): Executions that call one wait\n')
  if (token?.isNew === true) terminal.err(`token ${token.text}\n`)
  if (token !== undefined)
    terminal.err(`dashboard ${runtime.link()} (one use, within 10 minutes; \`wes link\` prints another)\n`)
  if (terminal.hints) terminal.err(`data in ${dataDir}, project ${projectFolder}; Ctrl-C stops\n`)
  await stopAsked
  return stopInTime(runtime)
}

const tellWaiting = (effects: number, terminal: Terminal): void => {
  const which = effects === 1 ? 'an effect that is' : `${effects} effects that are`
  terminal.err(`waiting up to ${EFFECTS_GRACE_MS / 1000} s for ${which} running; Ctrl-C again ends at once\n`)
}

/** To stderr: stdout is for `ready …` alone. */
const tellSourceEvent = async (event: SourceEvent, terminal: Terminal): Promise<void> => {
  const { coloured, describeEvent, plain } = await import('#runtime/source/describe-event.ts')
  terminal.err(describeEvent(event, terminal.errColour ? coloured : plain))
}

type Token = { readonly text: string; readonly isNew: boolean }

/** Never from an argument, which every user of the machine can read; and out of reach of effects. */
const takeToken = (env: NodeJS.ProcessEnv): Token => {
  const given = env['WES_DEV_TOKEN'] ?? ''
  delete env['WES_DEV_TOKEN']
  if (given === '') return { text: `wes_dev_${randomBytes(32).toString('base64url')}`, isNew: true }
  if (/^[\x21-\x7e]{1,512}$/.test(given)) return { text: given, isNew: false }
  throw new UsageError('WES_DEV_TOKEN: 1 to 512 visible ASCII characters are expected')
}

const folderAt = (given: string): string => {
  try {
    const folder = realpathSync(resolve(given))
    if (statSync(folder).isDirectory()) return folder
  } catch {
    // It is not there, which is told below.
  }
  throw new UsageError(`--project: there is no folder ${given}`)
}

const stopInTime = async (runtime: Runtime): Promise<number> => {
  // Only running effects take up their grace; without any, a stop is as short as ever.
  const limitMs = EFFECTS_GRACE_MS + STOP_LIMIT_MS
  const late = setTimeout(() => {
    process.stderr.write(
      `wes: the runtime did not stop within ${limitMs / 1000} s and was ended; nothing acknowledged is lost\n`,
    )
    process.exit(1)
  }, limitMs - EXIT_LIMIT_MS)
  await runtime.stop()
  clearTimeout(late)
  setTimeout(() => process.exit(), EXIT_LIMIT_MS).unref()
  return 0
}
