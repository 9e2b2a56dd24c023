// One attempt to start: creates a runtime, or attaches to the one that has proven to own the data directory. Sends
// nothing to any other process on the port.

import { readRuntimeInfo, type RuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { provesToOwn } from '../../src-runtime/identity/prove-identity.ts'
import { generationOf } from '../../src-runtime/shared/generation.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import {
  advisesAnotherDirectory,
  DataDirectoryInUseError,
  DataDirectoryRefusedError,
  PortTakenError,
  type Runtime,
  type RuntimeOptions,
} from '../../src-runtime/shared/runtime.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

export type Held =
  | { readonly owned: true; readonly info: RuntimeInfo; readonly runtime: Runtime }
  | { readonly owned: false; readonly info: RuntimeInfo }

export type Attempt =
  | { readonly kind: 'held'; readonly held: Held }
  /** `isRefused`: by the system. */
  | { readonly kind: 'port_taken'; readonly port: number; readonly isRefused: boolean }
  /** `permanent`: another attempt would fail too. */
  | { readonly kind: 'failed'; readonly message: string; readonly permanent: boolean }

export type StartRuntime = (options: RuntimeOptions) => Promise<Attempt>

/** How long an owner that is starting or stopping may take to answer or to release the lock. */
const OWNER_LIMIT_MS = 4_000
const LOOK_INTERVAL_MS = 400
const PROOFS_OF_OWN = 4

export const startRuntimeWith =
  (deps: {
    readonly createRuntime: (options: RuntimeOptions) => Promise<Runtime>
    readonly version: string
  }): StartRuntime =>
  async (options) => {
    const deadline = performance.now() + OWNER_LIMIT_MS
    for (;;) {
      const owner = readRuntimeInfo(options.dataDir)
      if (owner !== undefined && (await provesToOwn(owner))) return attach(owner, deps.version)
      try {
        const runtime = await deps.createRuntime(options)
        return await own(runtime, options.dataDir)
      } catch (error) {
        if (error instanceof PortTakenError) return { kind: 'port_taken', port: error.port, isRefused: error.isRefused }
        if (!(error instanceof DataDirectoryInUseError)) return failed(error)
        if (performance.now() > deadline) return { kind: 'failed', message: silentOwner(error), permanent: false }
        await pause(LOOK_INTERVAL_MS)
      }
    }
  }

const own = async (runtime: Runtime, dataDir: string): Promise<Attempt> => {
  const info = readRuntimeInfo(dataDir)
  if (info?.instanceId === runtime.instanceId) {
    // Tries again, because the machine may be busy.
    for (let time = 1; time <= PROOFS_OF_OWN; time += 1) {
      if (await provesToOwn(info)) return { kind: 'held', held: { owned: true, info, runtime } }
    }
  }
  await runtime.stop()
  return { kind: 'failed', message: 'the runtime was started, but does not answer', permanent: false }
}

const attach = (info: RuntimeInfo, ownVersion: string): Attempt => {
  if (speakAlike(info.version, ownVersion)) return { kind: 'held', held: { owned: false, info } }
  const message =
    `process ${info.pid} runs version ${info.version} on the same data, and this app is version ${ownVersion}. ` +
    'Stop that process, or use the same version of both'
  return { kind: 'failed', message, permanent: true }
}

const silentOwner = ({ message, owner }: DataDirectoryInUseError): string =>
  owner.pid === undefined
    ? `${message} by a process that does not answer. It may be starting, or upgrading the data. End it if it does not come back`
    : `${message}, which does not answer. End that process if it does not come back`

/** A page can use the API of another version only if no operation of it was removed. */
const speakAlike = (version: string, other: string): boolean => generationOf(version) === generationOf(other)

const failed = (error: unknown): Attempt => ({
  kind: 'failed',
  message: failureText(error),
  // Checks the name, because the class belongs to the store.
  permanent:
    error instanceof DataDirectoryRefusedError || (error instanceof Error && error.name === 'DatabaseRefusedError'),
})

/** The app has no setting for the data directory. */
const failureText = (error: unknown): string =>
  advisesAnotherDirectory(error) ? `${messageOf(error)} with the environment variable WES_DATA_DIR` : messageOf(error)
