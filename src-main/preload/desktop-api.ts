// What the desktop app offers to its page, as `window.wesDesktop`. Types only: the preload exposes it, main answers it,
// the page uses it where it is there and does without in a browser.

/** Times are ISO 8601. `ready` without `owned` is a runtime that somebody else started and that proved to be ours. */
export type RuntimeState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting'; readonly since: string }
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
      readonly message: string
      /** The last lines of its log, oldest first. */
      readonly logLines: readonly string[]
      /** When it starts by itself again; null when it has crashed too often for that. */
      readonly restartsAt: string | null
    }
  | {
      readonly kind: 'foreign'
      readonly port: number
      /** What holds the port, where the platform tells. */
      readonly holder: { readonly name: string; readonly pid: number } | null
      readonly suggestedPort: number
      /** `SERVICE_RUNTIME_URL=…`, for the programs that should follow to the other port. */
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
  /** Each off until it is asked for. */
  readonly notifyWhen: {
    readonly failed: boolean
    readonly waitsForMe: boolean
    readonly finishedAfterAMinute: boolean
  }
}

export type About = {
  readonly version: string
  readonly electron: string
  readonly chromium: string
  readonly node: string
  readonly platform: string
  readonly dataDirectory: string
  readonly logsFolder: string
  /** What runs effects: the user's own Node, or Electron's. */
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
    /** Stores the port and starts there. */
    readonly usePort: (port: number) => Promise<void>
    /** The listener hears every state after the present one. Answers what ends it. */
    readonly onState: (listener: (state: RuntimeState) => void) => () => void
  }
  readonly projectFolders: {
    readonly get: () => Promise<ProjectFolders>
    /** Asks with the platform's dialog; null when the user gave up or does not trust the folder. Restarts the runtime on it. */
    readonly choose: () => Promise<string | null>
    /** One of the recent ones. */
    readonly open: (folder: string) => Promise<void>
    readonly openSample: () => Promise<string>
    /** Whose code may run, as real paths. */
    readonly trusted: () => Promise<readonly string[]>
    /** Its effects wait until it is trusted again. Answers those that are left. */
    readonly removeTrust: (folder: string) => Promise<readonly string[]>
  }
  readonly settings: {
    readonly get: () => Promise<DesktopSettings>
    readonly change: (patch: Partial<DesktopSettings>) => Promise<DesktopSettings>
    readonly onChange: (listener: (settings: DesktopSettings) => void) => () => void
  }
  readonly data: {
    readonly reveal: () => Promise<void>
    /** Copies the data directory's databases to a file that the user picks; null when the user gave up. */
    readonly backUp: () => Promise<string | null>
    /** Asks with a dialog of the system; then stops the runtime, removes, and starts it again. False when the user said no. */
    readonly reset: (what: 'executions' | 'everything') => Promise<boolean>
  }
  readonly logs: {
    readonly reveal: () => Promise<void>
    /** Writes an error of the page to the app's log. */
    readonly pageError: (error: PageError) => Promise<void>
  }
  /** Opens a file of the project in the user's editor. */
  readonly openInEditor: (place: SourcePlace) => Promise<void>
  /** Without secrets; for a preview. */
  readonly diagnostics: () => Promise<string>
  /** Where a menu, a deep link or a notification wants the page to go: a path with its query. */
  readonly onNavigate: (listener: (path: string) => void) => () => void
  /** Menu actions that the page carries out, such as `start-execution` or `command-palette`. */
  readonly onCommand: (listener: (command: DesktopCommand) => void) => () => void
  /** A `*.wes-run.json` that was opened: the start to be offered. Nothing starts by itself. */
  readonly onRunFile: (listener: (run: RunFile) => void) => () => void
}

/** `where`: the path of the page's address; `text`: the error with its stack. At most 8,000 characters each. */
export type PageError = { readonly where: string; readonly text: string }

export type DesktopCommand = 'start-execution' | 'command-palette' | 'shortcuts' | 'new-project'

export type RunFile = { readonly programId: string; readonly input?: unknown }

export type DesktopError = { readonly code: string; readonly message: string }
