// All messages between the page and main. Only types and names, because the preload includes this file.

import type {
  About,
  DesktopCommand,
  DesktopError,
  DesktopSettings,
  PageError,
  ProjectFolders,
  RunFile,
  RuntimeState,
  SourcePlace,
  Updates,
} from '../preload/desktop-api.ts'

type Asked<Arguments extends readonly unknown[], Answer> = { readonly arguments: Arguments; readonly answer: Answer }

/** Requests of the page. */
export type Channels = {
  about: Asked<[], About>
  'runtime-state': Asked<[], RuntimeState>
  'start-runtime': Asked<[], void>
  'stop-runtime': Asked<[], void>
  'restart-runtime': Asked<[], void>
  'use-port': Asked<[port: number], void>
  'project-folders': Asked<[], ProjectFolders>
  'choose-project': Asked<[], string | null>
  'open-project': Asked<[folder: string], void>
  'open-sample': Asked<[], string | null>
  'trusted-folders': Asked<[], readonly string[]>
  'remove-trusted-folder': Asked<[folder: string], readonly string[]>
  settings: Asked<[], DesktopSettings>
  'change-settings': Asked<[patch: Partial<DesktopSettings>], DesktopSettings>
  updates: Asked<[], Updates>
  'check-for-updates': Asked<[], void>
  'download-update': Asked<[], void>
  'cancel-update-download': Asked<[], void>
  'restart-to-update': Asked<[], void>
  'reveal-data': Asked<[], void>
  'back-up-data': Asked<[], string | null>
  'reset-data': Asked<[what: 'executions' | 'everything'], boolean>
  'reveal-logs': Asked<[], void>
  'page-error': Asked<[error: PageError], void>
  'open-in-editor': Asked<[place: SourcePlace], void>
  diagnostics: Asked<[], string>
  'shown-connection': Asked<[id: string], void>
}

export type Channel = keyof Channels

/** Messages from main to the page. */
export type Pushes = {
  'runtime-state-changed': RuntimeState
  'settings-changed': DesktopSettings
  'updates-changed': Updates
  navigate: string
  command: DesktopCommand
  'run-file': RunFile
  'link-refused': null
  'notification-failed': string
}

export type Push = keyof Pushes

export type ChannelAnswer<Answer> = { readonly ok: Answer } | { readonly error: DesktopError }

/** Keeps our channels apart from other uses of IPC. */
export const wireName = (name: Channel | Push): string => `wes:${name}`
