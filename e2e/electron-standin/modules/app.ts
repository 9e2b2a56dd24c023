import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { App, CommandLine, LoginItemSettings } from 'electron'
import { defaultPath, type PathName } from '../app-paths.ts'
import { emulate, type Part } from '../emulate.ts'
import { createQuitting } from '../quitting.ts'
import { appFacts, isGiven, isRunning, preventable, switches } from '../running.ts'
import { takeInstanceLock } from '../single-instance.ts'

const commandLine = emulate<CommandLine>()('app.commandLine', {
  appendSwitch: (name: string, value = '') => void switches.set(name, value),
  appendArgument: () => {},
  hasSwitch: (name: string) => switches.has(name) || isGiven(name),
  getSwitchValue: (name: string) => switches.get(name) ?? '',
  removeSwitch: (name: string) => void switches.delete(name),
})

let becomeReady: () => void
const readiness = new Promise<void>((resolve) => (becomeReady = resolve))

class StandInApp extends EventEmitter implements Part<App> {
  readonly #paths = new Map<PathName, string>()
  readonly #protocols = new Set<string>()
  #name: string | undefined
  #release: (() => void) | undefined
  #openAtLogin = false
  readonly commandLine = commandLine
  readonly dock = undefined
  accessibilitySupportEnabled = false

  get isPackaged(): boolean {
    return appFacts().installedAs !== undefined
  }
  isReady(): boolean {
    return isRunning()
  }
  whenReady(): Promise<void> {
    return readiness
  }
  quit(): void {
    quitting.quit()
  }
  exit(code = 0): void {
    quitting.exit(code)
  }

  get name(): string {
    return this.#name ?? appFacts().name
  }
  set name(name: string) {
    this.#name = name
  }
  getName(): string {
    return this.name
  }
  setName(name: string): void {
    this.#name = name
  }
  getVersion(): string {
    return appFacts().version
  }
  getAppPath(): string {
    return appFacts().folder
  }
  getPath(name: PathName): string {
    const path = this.#paths.get(name) ?? defaultPath(name, this.name, (other) => this.getPath(other))
    if (name === 'logs') createLogs(path)
    return path
  }
  /** Does not make it. */
  setPath(name: PathName, path: string): void {
    this.#paths.set(name, path)
  }
  setAppLogsPath(path = join(this.getPath('userData'), 'logs')): void {
    this.#paths.set('logs', path)
  }
  getLocale(): string {
    return 'en-US'
  }
  getPreferredSystemLanguages(): string[] {
    return ['en-US']
  }

  requestSingleInstanceLock(additionalData?: Record<string, unknown>): boolean {
    const own = { argv: process.argv, workingDirectory: process.cwd(), additionalData }
    this.#release ??= takeInstanceLock(this.getPath('userData'), own, (second) =>
      this.emit('second-instance', preventable({}), second.argv, second.workingDirectory, second.additionalData),
    )
    return this.hasSingleInstanceLock()
  }
  hasSingleInstanceLock(): boolean {
    return this.#release !== undefined
  }
  releaseSingleInstanceLock(): void {
    this.#release?.()
    this.#release = undefined
  }

  /** Kept while the process runs; the system is not changed. */
  setAsDefaultProtocolClient(protocol: string): boolean {
    this.#protocols.add(protocol)
    return true
  }
  removeAsDefaultProtocolClient(protocol: string): boolean {
    return this.#protocols.delete(protocol)
  }
  isDefaultProtocolClient(protocol: string): boolean {
    return this.#protocols.has(protocol)
  }
  /** A system without other registrations. */
  getApplicationNameForProtocol(url: string): string {
    return this.#protocols.has(url.replace(/:.*/s, '')) ? this.name : ''
  }
  /** Does nothing on Linux, as in Electron; elsewhere kept for the life of the process. */
  setLoginItemSettings({ openAtLogin = false }: { readonly openAtLogin?: boolean }): void {
    this.#openAtLogin = process.platform !== 'linux' && openAtLogin
  }
  getLoginItemSettings(): LoginItemSettings {
    return {
      openAtLogin: this.#openAtLogin,
      wasOpenedAtLogin: false,
      status: this.#openAtLogin ? 'enabled' : 'not-registered',
      executableWillLaunchAtLogin: this.#openAtLogin,
      launchItems: [],
    }
  }

  // Visible only in the system.
  setAppUserModelId(): void {}
  setAboutPanelOptions(): void {}
  showAboutPanel(): void {}
  setBadgeCount(): boolean {
    return false
  }
  focus(): void {}
  show(): void {}
  hide(): void {}
  disableHardwareAcceleration(): void {}
  /** Electron removes the switch that its zygote was started with, so that renderers die (microsoft/vscode#184687). */
  enableSandbox(): void {
    if (this.isReady()) throw new Error('app.enableSandbox() can only be called before app is ready')
    if (isGiven('no-sandbox')) throw new Error('stand-in: with --no-sandbox, app.enableSandbox() leaves windows blank')
  }
}

const createLogs = (path: string): void => {
  try {
    mkdirSync(path, { recursive: true })
  } catch {
    throw new Error("Failed to get 'logs' path")
  }
}

export const app = emulate<App>()('app', new StandInApp())

const ask = (name: 'before-quit' | 'will-quit'): boolean => {
  const event = preventable({})
  app.emit(name, event)
  return event.defaultPrevented
}

export const quitting = createQuitting({
  ask,
  allClosed: () => app.emit('window-all-closed'),
  end(code) {
    app.emit('quit', preventable({}), code)
    // The caller may finish first. Exiting also ends Chromium.
    setImmediate(() => process.exit(code))
  },
})

export const announceReady = (): void => {
  app.emit('will-finish-launching')
  app.emit('ready', preventable({}), {})
  becomeReady()
}
