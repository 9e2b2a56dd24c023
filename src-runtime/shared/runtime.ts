// What a running local runtime looks like from outside: to `wes dev`, to the desktop app, and to tests.

import type { Logger } from 'pino'
import type { Forks } from './fork.ts'
import type { SourceEvent } from '../source/source.ts'

export type RuntimeOptions = {
  /** Owned by one runtime at a time; made (0700) when absent. */
  readonly dataDir: string
  /** 0 lets the system choose. */
  readonly port: number
  /** Where Programs with effects are discovered. */
  readonly projectFolder: string
  /**
   * Whether naming the project folder says that its user trusts its code, as a command line does; yes unless false. Otherwise
   * nothing of a folder runs that is not in the data directory's list (data-directory/trusted-folders.ts).
   */
  readonly trustsProject?: boolean
  /** Whether to look again when the project changes; yes unless false. */
  readonly watch?: boolean
  /** Told what happens to the project's source. */
  readonly onSourceEvent?: (event: SourceEvent) => void
  readonly log: Logger
  /** What `/v1` asks every caller for; nothing unless given. */
  readonly token?: string
  /** How its user calls `wes`, and starts this runtime again; `GET /v1/runtime` tells it. */
  readonly startedBy?: { readonly cli: string; readonly start: string }
  /** Whether effects are run; unless false. Executions that call one wait for it. */
  readonly runEffects?: boolean
  /** How long a stop waits for effects that are under way, in ms; 0 unless given. `onWaiting` is told how many there are. */
  readonly effectsGrace?: { readonly ms: number; onWaiting?(effects: number): void }
  /** How long a cancelled Execution may clean up, in ms; 30 s unless given. */
  readonly cancelGraceMs?: number
  /** How child processes are started; as Node does unless given. */
  readonly forks?: Forks
}

export type Runtime = {
  /** `http://localhost:PORT` */
  readonly url: string
  readonly port: number
  readonly instanceId: string
  /** The dashboard's address, with a code for a session where there is a token; a new one each time. */
  link(): string
  /** Looks at the clock again: after the machine slept. */
  resume(): void
  /**
   * Stops accepting, answers what is held, waits for effects as `effectsGrace` says, parks Executions, closes the store.
   * May be called twice.
   */
  stop(): Promise<void>
}

/** `create-runtime.ts` rejects with this when the port is held by another process. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError'
  readonly port: number
  constructor(port: number) {
    super(`port ${port} is in use`)
    this.port = port
  }
}

/** `create-runtime.ts` rejects with this when another process owns the data directory. */
export class DataDirectoryInUseError extends Error {
  override readonly name = 'DataDirectoryInUseError'
  readonly dataDir: string
  /** As far as the owner's runtime.json tells. */
  readonly owner: { readonly pid?: number; readonly url?: string }
  constructor(dataDir: string, owner: { readonly pid?: number; readonly url?: string }) {
    super(
      `data directory ${dataDir} is in use` +
        (owner.pid === undefined ? '' : ` by process ${owner.pid}`) +
        (owner.url === undefined ? '' : ` at ${owner.url}`),
    )
    this.dataDir = dataDir
    this.owner = owner
  }
}
