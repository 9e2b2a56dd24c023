// The desktop app's API for its page, `window.wesDesktop`; missing in a browser. Types only: the preload exposes it and
// main implements it.

import type { OtherRuntime } from '../../src-runtime/identity/other-runtime.ts'
import type { UpgradeProgress } from '../../src-runtime/shared/runtime.ts'

/** Times are ISO 8601. `ready` without `owned`: another process started the runtime, which has proven its identity. */
export type RuntimeState =
  | { readonly kind: 'stopped' }
  | {
      readonly kind: 'starting'
      readonly since: string
      /** While data that an older version has stored is upgraded. */
      readonly upgrade?: UpgradeProgress
    }
  | {
      readonly kind: 'ready'
      readonly url: string
      readonly port: number
      readonly pid: number
      readonly owned: boolean
      readonly projectFolder: string | null
    }
  | { readonly kind: 'stopping'; readonly since: string }
  | {
      readonly kind: 'crashed'
      /** A sentence. */
      readonly message: string
      /** The last lines of its log, oldest first. */
      readonly logLines: readonly string[]
      /** The time of the automatic restart; null after too many crashes, and if another start would fail as well. */
      readonly restartsAt: string | null
    }
  | {
      readonly kind: 'foreign'
      readonly port: number
      /** The process that uses the port, if the platform reports it. */
      readonly holder: { readonly name: string; readonly pid: number } | null
      /** No program is known to use it, and the system does not give it to this user. */
      readonly isReserved: boolean
      /** The process says that it is a local runtime, of other data than the app's. null: it does not. */
      readonly runtime: OtherRuntime | null
      readonly suggestedPort: number
      /** `SERVICE_RUNTIME_URL=…`, for programs that should use the other port. */
      readonly environmentLine: string
    }

export type ProjectFolders = { readonly current: string | null; readonly recent: readonly string[] }

export type Theme = 'system' | 'light' | 'dark'

export type DesktopSettings = {
  readonly theme: Theme
  readonly port: number
  readonly keepInTray: boolean
  readonly startAtLogin: boolean
  readonly startMinimised: boolean
  /** All are off by default. */
  readonly notifyWhen: {
    readonly failed: boolean
    readonly waitsForMe: boolean
    readonly finishedAfterAMinute: boolean
  }
  /** At the start and once a day. */
  readonly checkForUpdates: boolean
  readonly updateChannel: UpdateChannel
}

export type UpdateChannel = 'latest' | 'beta'

/** `notes`: as text, whatever the feed has. null: the feed does not say. */
export type Update = {
  readonly version: string
  readonly bytes: number | null
  readonly releasedAt: string | null
  readonly notes: string | null
}

export type UpdateState =
  /** While the app runs, this does not change. `reason`: a sentence. */
  | { readonly kind: 'off'; readonly reason: string }
  /** Not checked since the start. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'checking' }
  /** `newest`: of the channel. It is older than the app's own version after a change to a channel with fewer releases. */
  | { readonly kind: 'none'; readonly newest: string }
  | { readonly kind: 'available'; readonly update: Update }
  | {
      readonly kind: 'downloading'
      readonly update: Update
      readonly receivedBytes: number
      /** Fewer than the update's if a part of it is on this computer; 0 until it is known. */
      readonly totalBytes: number
      readonly bytesPerSecond: number
    }
  | { readonly kind: 'ready'; readonly update: Update; readonly installsOnQuit: boolean }
  /** The app ends soon. */
  | { readonly kind: 'restarting'; readonly update: Update }
  | {
      readonly kind: 'failed'
      readonly during: 'check' | 'download' | 'install'
      /** A sentence. */
      readonly problem: string
      /** null if the check failed. */
      readonly update: Update | null
    }

/** Times are ISO 8601. */
export type Updates = {
  readonly state: UpdateState
  readonly ownVersion: string
  /** The last check that the feed answered; null if there was none. */
  readonly checkedAt: string | null
  /** Why the last check that nobody asked for failed. */
  readonly quietProblem: string | null
}

export type About = {
  readonly version: string
  readonly electron: string
  readonly chromium: string
  readonly node: string
  readonly platform: string
  readonly dataDirectory: string
  readonly logsFolder: string
  /** The Node that runs effects: the user's own, or Electron's. */
  readonly effectsRunOn: string
}

export type SourcePlace = { readonly path: string; readonly line: number; readonly column: number }

/** Rejects with a DesktopError's members as `{ code, message }` when main refuses. */
export type DesktopApi = {
  readonly about: () => Promise<About>
  readonly runtime: {
    readonly state: () => Promise<RuntimeState>
    readonly start: () => Promise<void>
    readonly stop: () => Promise<void>
    readonly restart: () => Promise<void>
    /** Stores the port and starts on it. */
    readonly usePort: (port: number) => Promise<void>
    /** Calls the listener for every state after the current one. Returns a function that unsubscribes it. */
    readonly onState: (listener: (state: RuntimeState) => void) => () => void
  }
  readonly projectFolders: {
    readonly get: () => Promise<ProjectFolders>
    /** Shows a dialog, then restarts the runtime on the folder; null if the user cancels or does not trust it. */
    readonly choose: () => Promise<string | null>
    /** One of the recent ones. */
    readonly open: (folder: string) => Promise<void>
    /** Null if the user does not trust what is in its folder. */
    readonly openSample: () => Promise<string | null>
    /** The folders whose code may run, as real paths. */
    readonly trusted: () => Promise<readonly string[]>
    /** The folder's effects wait until it is trusted again. Returns the remaining trusted folders. */
    readonly removeTrust: (folder: string) => Promise<readonly string[]>
  }
  readonly settings: {
    readonly get: () => Promise<DesktopSettings>
    readonly change: (patch: Partial<DesktopSettings>) => Promise<DesktopSettings>
    readonly onChange: (listener: (settings: DesktopSettings) => void) => () => void
  }
  readonly updates: {
    readonly get: () => Promise<Updates>
    readonly check: () => Promise<void>
    readonly download: () => Promise<void>
    readonly cancelDownload: () => Promise<void>
    /** Installs the downloaded update and starts the app again. If Executions run or wait, a dialog asks first. */
    readonly restart: () => Promise<void>
    readonly onChange: (listener: (updates: Updates) => void) => () => void
  }
  readonly data: {
    readonly reveal: () => Promise<void>
    /** Copies the data directory's databases to a file that the user picks; null if the user cancels. */
    readonly backUp: () => Promise<string | null>
    /** Asks the user, then stops the runtime, removes the data and starts it again. False if the user declines. */
    readonly reset: (what: 'executions' | 'everything') => Promise<boolean>
  }
  readonly logs: {
    readonly reveal: () => Promise<void>
    /** Writes the page's error to the app's log. */
    readonly pageError: (error: PageError) => Promise<void>
  }
  /** Opens a file of the project in the user's editor. */
  readonly openInEditor: (place: SourcePlace) => Promise<void>
  /** Without secrets; for a preview. */
  readonly diagnostics: () => Promise<string>
  /** The page tells which connection it shows, by the id in its address, so that menus mark it. */
  readonly shownConnection: (id: string) => Promise<void>
  /** The path that a menu, a deep link or a notification opens, with its query. Without `/c/…` it is of what is shown. */
  readonly onNavigate: (listener: (path: string) => void) => () => void
  /** Menu actions that the page carries out, such as `start-execution` or `command-palette`. */
  readonly onCommand: (listener: (command: DesktopCommand) => void) => () => void
  /** The start in a `*.wes-run.json` that was opened; the user confirms it. */
  readonly onRunFile: (listener: (run: RunFile) => void) => () => void
  /** A link was opened that names no Execution. */
  readonly onLinkRefused: (listener: () => void) => () => void
  /** Why the system does not show notifications; once in a run of the app. */
  readonly onNotificationFailed: (listener: (reason: string) => void) => () => void
}

/** `where`: the path of the page's address; `text`: the error with its stack. At most 8,000 characters each. */
export type PageError = { readonly where: string; readonly text: string }

export type DesktopCommand =
  | 'start-execution'
  | 'command-palette'
  | 'shortcuts'
  | 'new-project'
  | 'connect-to-hosted'
  | FindCommand

export type FindCommand = 'find' | 'find-next' | 'find-previous'

/** `text`: the file's, a JSON object. The page reads the member `input` from it, which may have numbers that JavaScript would round. */
export type RunFile = { readonly programId: string; readonly text: string }

export type DesktopError = { readonly code: string; readonly message: string }
