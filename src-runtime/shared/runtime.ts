// The interface of a local runtime for `wes dev`, the desktop app and tests.

import type { Logger } from 'pino'
import type { Failure } from './failure.ts'
import type { Forks } from './fork.ts'
import type { SourceEvent } from '../source/source.ts'

/** How far the upgrade of a database of an older version is. It is copied first. */
export type UpgradeProgress =
  | { readonly kind: 'copying'; readonly percent: number }
  /** The first step is 1. */
  | { readonly kind: 'upgrading'; readonly step: number; readonly steps: number }

export type RuntimeOptions = {
  /** Used by one runtime at a time; created (0700) if missing. */
  readonly dataDir: string
  /** 0 lets the system choose. */
  readonly port: number
  /** The folder of the Programs and their effects. */
  readonly projectFolder: string
  /**
   * Whether the user trusts the project folder because they named it on the command line; default true. If false, code
   * of the folder only runs if the data directory lists it as trusted (data-directory/trusted-folders.ts).
   */
  readonly trustsProject?: boolean
  /** Whether to watch the project for changes; default true. */
  readonly watch?: boolean
  /** Called for each change of the project's source. */
  readonly onSourceEvent?: (event: SourceEvent) => void
  /** Called for each failure of an Execution, and of an attempt of an effect. */
  readonly onFailure?: (failure: Failure) => void
  /** The last runtime was killed: told what is lost of what it had stored, as a sentence without its full stop. Without it, that is logged. */
  readonly onLogFault?: (fault: string) => void
  /** Called some times a second at most while the database, of an older version, is upgraded. */
  readonly onUpgradeProgress?: (progress: UpgradeProgress) => void
  readonly log: Logger
  /** The token that `/v1` requires from every caller; none by default. */
  readonly token?: string
  /**
   * Whether its page may have connections to hosted services, in a session that a link opens; default false: a home with
   * its own way to the page offers them there.
   */
  readonly offersConnections?: boolean
  /** How the user runs `wes` and starts this runtime again, for `GET /v1/runtime`. */
  readonly startedBy?: { readonly cli: string; readonly start: string }
  /** Whether to run effects; default true. If false, Executions that call one wait. */
  readonly runEffects?: boolean
  /** How long a stop waits for running effects, in ms; default 0. `onWaiting` gets their number. */
  readonly effectsGrace?: { readonly ms: number; onWaiting?(effects: number): void }
  /** How long a cancelled Execution may clean up, in ms; default 30 s. */
  readonly cancelGraceMs?: number
  /** Aborted: a start that is under way rejects with its reason, before anything runs. */
  readonly signal?: AbortSignal
  /** How child processes are started; by default with Node's `fork`. */
  readonly forks?: Forks
}

export type Runtime = {
  /** `http://localhost:PORT` */
  readonly url: string
  readonly port: number
  readonly instanceId: string
  /** The dashboard's URL; if the runtime has a token or offers connections, with a new code for a session. */
  link(): string
  /**
   * Resolves to a message for the user when the data directory, or its database or lock, was deleted, moved or replaced.
   * From then on every request is refused with it; the owner stops the runtime.
   */
  readonly dataLost: Promise<string>
  /** Checks for due timers, after the machine slept. */
  resume(): void
  /**
   * Stops accepting requests, answers held ones, waits for effects up to `effectsGrace`, parks Executions, closes the
   * store. May be called twice.
   */
  stop(): Promise<void>
}

/**
 * `create-runtime.ts` rejects with this when the port cannot be had. `isRefused`: the system does not give it to this user, because
 * it is below 1024, or reserved (Windows reserves ranges for virtual machines); on Windows also when some programs hold it.
 */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly port: number
  readonly isRefused: boolean
  constructor(port: number, isRefused = false) {
    super(isRefused ? `the system does not let this user use port ${port}` : `port ${port} is in use`)
    this.port = port
    this.isRefused = isRefused
  }
}

/** `create-runtime.ts` rejects with this when another process owns the data directory. `by` names one that is no runtime. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError'
  readonly dataDir: string
  /** From the owner's runtime.json. */
  readonly owner: { readonly pid?: number; readonly url?: string }
  constructor(
    dataDir: string,
    owner: { readonly pid?: number; readonly url?: string },
    by = owner.pid === undefined ? undefined : `process ${owner.pid}`,
  ) {
    super(
      `data directory ${dataDir} is in use` +
        (by === undefined ? '' : ` by ${by}`) +
        (owner.url === undefined ? '' : ` at ${owner.url}`),
    )
    this.dataDir = dataDir
    this.owner = owner
  }
}

/** The data directory cannot be used until somebody changes it, or chooses another one. */
export class DataDirectoryRefusedError extends Error {
  override readonly name = 'DataDirectoryRefusedError'
  readonly code = CHOOSE_DIRECTORY
}

/** Code of an error whose message ends with the advice to choose another data directory: its reader can say how. */
export const CHOOSE_DIRECTORY = 'choose_directory'

export const advisesAnotherDirectory = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null | undefined)?.code === CHOOSE_DIRECTORY
