// Explains why the runtime could not start: another process uses the data directory or the port. If that process is a
// runtime with the same settings, the start counts as successful.

import packageJson from '../../package.json' with { type: 'json' }
import { readRuntimeInfo, type RuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { provesToOwn } from '#runtime/identity/prove-identity.ts'
import { pause } from '#runtime/shared/pause.ts'
import { advisesAnotherDirectory, DataDirectoryInUseError, PortTakenError } from '#runtime/shared/runtime.ts'
import { CommandFailure } from '../failures.ts'
import { portTaken } from '../port-taken.ts'

export type Wanted = {
  readonly port: number
  readonly dataDir: string
  readonly projectFolder: string
  readonly asksForToken: boolean
}

/**
 * A runtime locks the directory, writes runtime.json once it listens, and answers once it has started. Until it has written, that file
 * is missing, or it is of a runtime that was killed.
 */
const STARTING_LIMIT_MS = 15_000
const LOOK_INTERVAL_MS = 50
const ANOTHER_PORT = '--port; clients then need SERVICE_RUNTIME_URL or --url'

/** The text to print if the wanted runtime is already running; throws otherwise. `limitMs`: how long one may take to start. */
export const explainFailedStart = async (
  error: unknown,
  wanted: Wanted,
  limitMs = STARTING_LIMIT_MS,
): Promise<string> => {
  if (error instanceof DataDirectoryInUseError) return explainOwnedDirectory(error, wanted, limitMs)
  if (error instanceof PortTakenError) throw await portTaken(error, ANOTHER_PORT)
  if (!(error instanceof Error)) throw error
  const how = advisesAnotherDirectory(error) ? ' with --data-dir' : ''
  throw new CommandFailure('start_failed', `the runtime could not start: ${error.message}${how}`)
}

const explainOwnedDirectory = async (
  error: DataDirectoryInUseError,
  wanted: Wanted,
  limitMs: number,
): Promise<string> => {
  const deadline = performance.now() + limitMs
  let owner: RuntimeInfo | undefined
  let answers = false
  do {
    owner = readRuntimeInfo(wanted.dataDir)
    answers = owner !== undefined && (await provesToOwn(owner))
    if (owner !== undefined && answers) {
      if (!isWanted(owner, wanted)) break
      return alreadyRunning(owner)
    }
    await pause(LOOK_INTERVAL_MS)
  } while (performance.now() < deadline)
  if (owner === undefined) throw directoryInUse(error.message)
  const { dataDir, pid, port, projectFolder } = owner
  const project = projectFolder === wanted.projectFolder ? '' : `, for the project ${projectFolder}`
  const token = wanted.asksForToken && owner.token === undefined ? ', without a token' : ''
  const used = `data directory ${dataDir} is in use by process ${pid} at http://localhost:${port}`
  if (answers) throw directoryInUse(`${used}${project}${token}`)
  throw directoryInUse(`${used}, which does not answer`, 'End that process if it does not come back')
}

/** Of another version too, because the contract wants it; but an update of `wes` has no effect until that one is stopped. */
const alreadyRunning = ({ port, pid, version }: RuntimeInfo): string => {
  const running = `already running at http://localhost:${port} (process ${pid}), with the same data directory and project\n`
  if (version === packageJson.version) return running
  return `${running}It is version ${version}, and this is ${packageJson.version}. To use this version, stop it and start this one again: the data stays.\n`
}

const directoryInUse = (message: string, advice = 'Use that runtime, stop it'): CommandFailure =>
  new CommandFailure('data_directory_in_use', message, {
    hint: `${advice}, or choose another directory with --data-dir.`,
  })

const isWanted = ({ port, projectFolder, token }: RuntimeInfo, wanted: Wanted): boolean =>
  port === wanted.port && projectFolder === wanted.projectFolder && (token !== undefined || !wanted.asksForToken)
