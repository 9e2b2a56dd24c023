// Runs sandboxed in the page's process, and provides `window.wesDesktop`: named functions, and none of Electron's.
// Keeps main's messages until the page listens.

import { contextBridge, ipcRenderer } from 'electron'
import { wireName, type Channel, type ChannelAnswer, type Channels, type Push, type Pushes } from '../ipc/channels.ts'
import type { DesktopApi } from './desktop-api.ts'

const ask =
  <Name extends Channel>(channel: Name) =>
  async (...args: Channels[Name]['arguments']): Promise<Channels[Name]['answer']> => {
    const answer = (await ipcRenderer.invoke(wireName(channel), ...args)) as ChannelAnswer<Channels[Name]['answer']>
    if ('ok' in answer) return answer.ok
    // Only the message of an Error would reach the page.
    throw answer.error
  }

/** `keeps`: messages that arrive before the first listener are kept for it. */
const on = <Name extends Push>(push: Name, keeps: boolean) => {
  const listeners = new Set<(message: Pushes[Name]) => void>()
  const kept: Pushes[Name][] = []
  ipcRenderer.on(wireName(push), (_event, message: Pushes[Name]) => {
    if (listeners.size === 0 && keeps) kept.push(message)
    for (const listener of listeners) listener(message)
  })
  return (listener: (message: Pushes[Name]) => void): (() => void) => {
    // The same function may be subscribed twice, and each subscription ends separately.
    const own = (message: Pushes[Name]): void => listener(message)
    listeners.add(own)
    for (const message of kept.splice(0)) own(message)
    return () => void listeners.delete(own)
  }
}

const api: DesktopApi = {
  about: ask('about'),
  runtime: {
    state: ask('runtime-state'),
    start: ask('start-runtime'),
    stop: ask('stop-runtime'),
    restart: ask('restart-runtime'),
    usePort: ask('use-port'),
    onState: on('runtime-state-changed', false),
  },
  projectFolders: {
    get: ask('project-folders'),
    choose: ask('choose-project'),
    open: ask('open-project'),
    openSample: ask('open-sample'),
    trusted: ask('trusted-folders'),
    removeTrust: ask('remove-trusted-folder'),
  },
  settings: { get: ask('settings'), change: ask('change-settings'), onChange: on('settings-changed', false) },
  updates: {
    get: ask('updates'),
    check: ask('check-for-updates'),
    download: ask('download-update'),
    cancelDownload: ask('cancel-update-download'),
    restart: ask('restart-to-update'),
    onChange: on('updates-changed', false),
  },
  data: { reveal: ask('reveal-data'), backUp: ask('back-up-data'), reset: ask('reset-data') },
  logs: { reveal: ask('reveal-logs'), pageError: ask('page-error') },
  openInEditor: ask('open-in-editor'),
  diagnostics: ask('diagnostics'),
  shownConnection: ask('shown-connection'),
  onNavigate: on('navigate', true),
  onCommand: on('command', true),
  onRunFile: on('run-file', true),
  onLinkRefused: on('link-refused', true),
  onNotificationFailed: on('notification-failed', true),
}

contextBridge.exposeInMainWorld('wesDesktop', api)
