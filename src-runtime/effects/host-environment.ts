// What a project's effects see of the machine, and whether it is still the same: the runtime's environment without the
// runtime's own secrets, the folder's `.env` below it, as `node --env-file` has it, and the runtime's address below both.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { pathsUp, stampOf, statOf } from '../shared/stat-of.ts'
import type { HostPlace } from './host-place.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** They are the runtime's, or Node's own wiring. A project that wants one of them puts it into its `.env`. */
const WITHHELD = [
  'SERVICE_TOKEN',
  'SERVICE_RUNTIME_URL',
  'WES_DEV_TOKEN',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'ELECTRON_RUN_AS_NODE',
]

/**
 * Clients that effects create call the runtime of their own Execution, at `runtimeUrl`, whichever its port is. Throws when
 * there is an `.env` that cannot be read: effects that run without their settings do the wrong thing.
 */
export const hostEnvironment = (
  folder: string,
  own: Environment,
  runtimeUrl: string,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> => {
  // Windows takes `SERVICE_TOKEN` and `service_token` for one variable.
  const keyOf = (name: string): string => (platform === 'win32' ? name.toUpperCase() : name)
  const entries = new Map<string, readonly [name: string, value: string]>()
  const inherited = Object.entries(own).filter(([name]) => !WITHHELD.includes(keyOf(name)))
  const ofProject = Object.entries({ SERVICE_RUNTIME_URL: runtimeUrl, ...readEnvFile(join(folder, '.env')) })
  for (const [name, value] of [...ofProject, ...inherited]) {
    if (value !== undefined) entries.set(keyOf(name), [name, value])
  }
  return Object.fromEntries(entries.values())
}

const readEnvFile = (path: string): NodeJS.Dict<string> => {
  // The whole runtime would wait until something writes to it.
  if (statOf(path)?.isFIFO() === true) {
    throw new Error(`${path} is a named pipe, not a file: start the runtime with its variables instead`)
  }
  try {
    return parseEnv(readFileSync(path, 'utf8'))
  } catch (error) {
    // A folder of that name is usually a Python environment.
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'EISDIR')) return {}
    throw error
  }
}

export const folderPlace = (folder: string, own: Environment, runtimeUrl: () => string): HostPlace => ({
  name: folder,
  folder,
  memoryAdvice: "; NODE_OPTIONS=--max-old-space-size=… in the project's .env changes that",
  fingerprint: () => folderFingerprint(folder),
  stampOf,
  environment: () => hostEnvironment(folder, own, runtimeUrl()),
})

/** What `NODE_OPTIONS` say about the JavaScript heap, which a project may set in its `.env`. */
export const heapMbIn = (environment: Environment): number | undefined => {
  const size = /--max[-_]old[-_]space[-_]size[= ](\d+)/.exec(environment['NODE_OPTIONS'] ?? '')?.[1]
  return size === undefined ? undefined : Number(size)
}

/** What a host has read once and for all. */
const READ_AT_START = ['.env', 'package.json']

/** What package managers rewrite on every install: npm, pnpm, and Yarn. */
const INSTALLED = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity']

/** Changes when a host of the folder should be replaced. `undefined`: there is no such folder. */
export const folderFingerprint = (folder: string): string | undefined => {
  if (statOf(folder)?.isDirectory() !== true) return undefined
  // The packages of a workspace are installed in a folder above it.
  const installed = pathsUp(folder).flatMap((at) => INSTALLED.map((name) => join(at, 'node_modules', name)))
  return [...READ_AT_START.map((name) => join(folder, name)), ...installed].map(stampOf).join()
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
