// `wes dev`: runs the local runtime until a signal stops it.

import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createRuntime, type HostAhead } from '#runtime/create-runtime.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import { realPath } from '#runtime/shared/real-path.ts'
import type { Failure } from '#runtime/shared/failure.ts'
import type { Runtime, RuntimeOptions } from '#runtime/shared/runtime.ts'
import type { SourceEvent } from '#runtime/source/source.ts'
import { UsageError } from '../failures.ts'
import type { Terminal } from '../terminal.ts'
import { printable } from '../text.ts'
import { createFailureLines } from './failure-lines.ts'
import { createLog, type LogLevel } from './log.ts'
import { startCommand } from './start-command.ts'
import { stopInTime } from './stop-in-time.ts'
import { npmIsGone, stopRequest } from './stop-request.ts'

export type DevFlags = {
  readonly port: number
  readonly dataDir?: string
  readonly project: string
  /** Whether to deploy Programs again when they are saved. */
  readonly watch: boolean
  /** Whether to run effects. */
  readonly effects: boolean
  /** Whether callers need a token. */
  readonly token?: true
  readonly verbose?: true
  readonly logLevel?: LogLevel
}

const EFFECTS_GRACE_MS = 3_000
/** Of a whole stop. */
const STOP_LIMIT_MS = 5_000

export const dev = async (flags: DevFlags, terminal: Terminal, firstHost?: HostAhead): Promise<number> => {
  const projectFolder = folderAt(flags.project)
  if (flags.dataDir === '') throw new UsageError('--data-dir needs a folder')
  const dataDir = resolve(flags.dataDir ?? defaultDataDirectory(process.env))
  const level = flags.logLevel ?? (flags.verbose === true ? 'info' : 'warn')
  const log = createLog(level, process.stderr)
  const stopRequested = Promise.race([stopRequest(process), npmIsGone(process)])
  const stopping = new AbortController()
  void stopRequested.then(() => stopping.abort())

  const token = flags.token === true ? takeToken(process.env) : undefined
  if (token === undefined && process.env['WES_DEV_TOKEN']) {
    terminal.err('WES_DEV_TOKEN has no effect without --token; callers need no token\n')
  }
  let runtime: Runtime
  try {
    const options: RuntimeOptions = {
      dataDir,
      port: flags.port,
      projectFolder,
      watch: flags.watch,
      ...(token !== undefined && { token: token.text }),
      startedBy: startCommand({
        script: process.argv[1] ?? 'wes',
        port: flags.port,
        dataDir: dataDir === platformDataDirectory() ? undefined : dataDir,
        project: projectFolder,
        asksForToken: token !== undefined,
        watch: flags.watch,
        effects: flags.effects,
      }),
      onLogFault: (fault) => terminal.err(`wes: ${printable(fault)}. The runtime goes on with what is left.\n`),
      log,
      signal: stopping.signal,
      offersConnections: true,
      runEffects: flags.effects,
      effectsGrace: { ms: EFFECTS_GRACE_MS, onWaiting: (effects) => printWaiting(effects, terminal) },
      onSourceEvent: (event) => void printSourceEvent(event, terminal),
      onFailure: failurePrinter(terminal),
    }
    runtime = await createRuntime(options, firstHost)
  } catch (error) {
    if (error === stopping.signal.reason) return 0
    const { explainFailedStart } = await import('./explain-failed-start.ts')
    await terminal.out(
      await explainFailedStart(error, { port: flags.port, dataDir, projectFolder, asksForToken: token !== undefined }),
    )
    return 0
  }
  if (!stopping.signal.aborted) await terminal.out(`ready ${runtime.url}\n`)
  if (!flags.effects) terminal.err('effects are off (--no-effects); Executions that call one wait\n')
  if (token?.isNew === true) terminal.err(`token ${token.text}\n`)
  if (!stopping.signal.aborted) {
    terminal.err(`dashboard ${runtime.link()} (one use, within 10 minutes; \`wes link\` prints another)\n`)
  }
  if (terminal.hints) terminal.err(`data ${dataDir}, project ${projectFolder}; press Ctrl-C to stop\n`)
  const lost = await Promise.race([stopRequested.then(() => undefined), runtime.dataLost])
  if (lost !== undefined) terminal.err(`wes: ${printable(lost)}\n`)
  const exitCode = await stopInTime('runtime', () => runtime.stop(), STOP_LIMIT_MS)
  return lost === undefined ? exitCode : 1
}

/** The data directory in a shell that sets none. */
const platformDataDirectory = (): string => resolve(defaultDataDirectory({ ...process.env, WES_DATA_DIR: undefined }))

const printWaiting = (effects: number, terminal: Terminal): void => {
  const which = effects === 1 ? '1 running effect' : `${effects} running effects`
  terminal.err(`waiting up to ${EFFECTS_GRACE_MS / 1000} s for ${which}; press Ctrl-C again to stop now\n`)
}

/** To stderr: stdout is for `ready …` alone. */
const printSourceEvent = async (event: SourceEvent, terminal: Terminal): Promise<void> => {
  const { coloured, describeEvent, plain } = await import('#runtime/source/describe-event.ts')
  terminal.err(describeEvent(event, terminal.errColour ? coloured : plain, terminal.errColumns))
}

const failurePrinter = (terminal: Terminal): ((failure: Failure) => void) => {
  const lineOf = createFailureLines(terminal.errColour)
  return (failure) => {
    const line = lineOf(failure)
    if (line !== '') terminal.err(line)
  }
}

type Token = { readonly text: string; readonly isNew: boolean }

/** From the environment, because every user of the machine can read arguments. Deleted there, so that effects cannot read it. */
const takeToken = (env: NodeJS.ProcessEnv): Token => {
  const given = env['WES_DEV_TOKEN'] ?? ''
  delete env['WES_DEV_TOKEN']
  if (given === '') return { text: `wes_dev_${randomBytes(32).toString('base64url')}`, isNew: true }
  if (/^[\x21-\x7e]{1,512}$/.test(given)) return { text: given, isNew: false }
  throw new UsageError('WES_DEV_TOKEN must be 1 to 512 visible ASCII characters')
}

const folderAt = (given: string): string => {
  try {
    const folder = realPath(resolve(given))
    if (statSync(folder).isDirectory()) return folder
  } catch {
    // It does not exist; the error below says so.
  }
  throw new UsageError(`--project: ${given} is not a folder`)
}
