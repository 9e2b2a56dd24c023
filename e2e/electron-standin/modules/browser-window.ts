import { EventEmitter } from 'node:events'
import type {
  BrowserWindow as RealBrowserWindow,
  BrowserWindowConstructorOptions,
  LoadFileOptions,
  Rectangle,
  WebContents,
} from 'electron'
import { emulateClass, notEmulated, type Part } from '../emulate.ts'
import type { Page } from '../page.ts'
import type { ClosableWindow } from '../quitting.ts'
import { preventable } from '../running.ts'
import { app, quitting } from './app.ts'
import { display } from './screen.ts'
import { openContents, type OpenContents } from './web-contents.ts'

/** Electron's defaults; other values are another security model, which is not emulated. */
const SAFE = {
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  webSecurity: true,
  webviewTag: false,
} as const

const windows = new Map<number, StandInBrowserWindow>()
const real = (window: StandInBrowserWindow): RealBrowserWindow => window as unknown as RealBrowserWindow
let made = 0
let focused: StandInBrowserWindow | undefined

class StandInBrowserWindow extends EventEmitter implements Part<RealBrowserWindow> {
  static getAllWindows(): RealBrowserWindow[] {
    return [...windows.values()].map(real)
  }
  static fromId(id: number): RealBrowserWindow | null {
    const found = windows.get(id)
    return found === undefined ? null : real(found)
  }
  static fromWebContents(contents: WebContents): RealBrowserWindow | null {
    const found = [...windows.values()].find(({ webContents }) => webContents === contents)
    return found === undefined ? null : real(found)
  }
  static getFocusedWindow(): RealBrowserWindow | null {
    return focused === undefined ? null : real(focused)
  }

  readonly id = ++made
  readonly webContents: WebContents
  readonly #open: OpenContents
  readonly #closable: ClosableWindow = { close: () => this.#closes(), destroy: () => this.destroy() }
  #bounds: Rectangle
  #title: string
  #backgroundColor: string
  #isVisible = false
  #isDestroyed = false
  #isReadyToShow = false
  #state: 'normal' | 'minimized' | 'maximized' | 'fullscreen' = 'normal'
  #isMaximizedOnceRestored = false

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super()
    const preferences = options.webPreferences ?? {}
    for (const [name, safe] of Object.entries(SAFE)) {
      const chosen = preferences[name as keyof typeof SAFE] ?? safe
      if (chosen !== safe) throw notEmulated(`webPreferences.${name}: ${chosen}`)
    }
    for (const name of ['session', 'partition'] as const) {
      if (preferences[name] !== undefined) throw notEmulated(`webPreferences.${name}`)
    }
    const { x = 0, y = 0, width = 800, height = 600 } = options
    this.#bounds = { x, y, width, height }
    this.#title = options.title ?? app.name
    this.#backgroundColor = options.backgroundColor ?? '#FFFFFF'
    this.#open = openContents(
      {
        bounds: this.#bounds,
        preload: preferences.preload,
        additionalArguments: preferences.additionalArguments ?? [],
      },
      {
        close: () => this.close(),
        destroy: () => this.destroy(),
        readyToShow: () => this.#becomeReady(),
        titled: (title) => this.#follow(title),
      },
    )
    this.webContents = this.#open.contents
    windows.set(this.id, this)
    quitting.opened(this.#closable)
    app.emit('web-contents-created', preventable({}), this.webContents)
    app.emit('browser-window-created', preventable({}), this)
    if (options.show !== false) this.show()
  }

  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }
  loadFile(path: string, options?: LoadFileOptions): Promise<void> {
    return this.webContents.loadFile(path, options)
  }
  reload(): void {
    this.webContents.reload()
  }

  show(): void {
    this.showInactive()
    this.focus()
  }
  showInactive(): void {
    if (this.#isVisible) return
    this.#isVisible = true
    this.emit('show')
  }
  hide(): void {
    if (!this.#isVisible) return
    this.#isVisible = false
    this.#blur()
    this.emit('hide')
  }
  isVisible(): boolean {
    return this.#isVisible
  }
  focus(): void {
    if (focused === this || !this.#isVisible) return
    focused?.blur()
    // oxlint-disable-next-line typescript/no-this-alias -- one window at a time has the focus
    focused = this
    this.emit('focus')
    app.emit('browser-window-focus', preventable({}), this)
  }
  blur(): void {
    this.#blur()
  }
  isFocused(): boolean {
    return focused === this
  }
  moveTop(): void {}

  minimize(): void {
    this.#isMaximizedOnceRestored = this.#state === 'maximized'
    this.#state = 'minimized'
    this.#blur()
    this.emit('minimize')
  }
  isMinimized(): boolean {
    return this.#state === 'minimized'
  }
  maximize(): void {
    this.#enter('maximized', 'maximize')
  }
  unmaximize(): void {
    this.#leave('maximized', 'unmaximize')
  }
  isMaximized(): boolean {
    return this.#state === 'maximized'
  }
  restore(): void {
    if (this.#state !== 'minimized') return
    this.#leave('minimized', 'restore')
    if (this.#isMaximizedOnceRestored) this.maximize()
  }
  setFullScreen(isFullScreen: boolean): void {
    if (isFullScreen) this.#enter('fullscreen', 'enter-full-screen')
    else this.#leave('fullscreen', 'leave-full-screen')
  }
  isFullScreen(): boolean {
    return this.#state === 'fullscreen'
  }
  isNormal(): boolean {
    return this.#state === 'normal'
  }

  getBounds(): Rectangle {
    return { ...(this.#state === 'maximized' || this.#state === 'fullscreen' ? display.bounds : this.#bounds) }
  }
  getNormalBounds(): Rectangle {
    return { ...this.#bounds }
  }
  getContentBounds(): Rectangle {
    return this.getBounds()
  }
  setBounds(bounds: Partial<Rectangle>): void {
    const before = this.#bounds
    this.#bounds = { ...before, ...bounds }
    const now = this.#bounds
    this.#do((page) => page.place(now))
    if (now.width !== before.width || now.height !== before.height) this.emit('resize')
    if (now.x !== before.x || now.y !== before.y) this.emit('move')
  }
  getSize(): number[] {
    const { width, height } = this.getBounds()
    return [width, height]
  }
  setSize(width: number, height: number): void {
    this.setBounds({ width, height })
  }
  getPosition(): number[] {
    const { x, y } = this.getBounds()
    return [x, y]
  }
  setPosition(x: number, y: number): void {
    this.setBounds({ x, y })
  }

  getTitle(): string {
    return this.#title
  }
  setTitle(title: string): void {
    this.#title = title
  }
  getBackgroundColor(): string {
    return this.#backgroundColor
  }
  setBackgroundColor(color: string): void {
    this.#backgroundColor = color
  }

  close(): void {
    this.#closes()
  }
  destroy(): void {
    if (this.#isDestroyed) return
    this.#isDestroyed = true
    windows.delete(this.id)
    if (focused === this) focused = undefined
    this.#open.destroyed()
    this.emit('closed')
    quitting.closed(this.#closable)
  }
  isDestroyed(): boolean {
    return this.#isDestroyed
  }

  // Visible only on a desktop.
  setMenu(): void {}
  removeMenu(): void {}
  setMenuBarVisibility(): void {}
  setAutoHideMenuBar(): void {}
  setIcon(): void {}
  setMinimumSize(): void {}
  setProgressBar(): void {}
  flashFrame(): void {}
  setSkipTaskbar(): void {}

  /** Whether it is closed now. */
  #closes(): boolean {
    if (this.#isDestroyed) return true
    const event = preventable({})
    this.emit('close', event)
    if (!event.defaultPrevented) this.destroy()
    return this.#isDestroyed
  }
  #blur(): void {
    if (focused !== this) return
    focused = undefined
    this.emit('blur')
    app.emit('browser-window-blur', preventable({}), this)
  }
  #becomeReady(): void {
    if (this.#isReadyToShow) return
    this.#isReadyToShow = true
    this.emit('ready-to-show')
  }
  #follow(title: string): void {
    const event = preventable({})
    this.emit('page-title-updated', event, title, true)
    if (!event.defaultPrevented) this.#title = title
  }
  #enter(state: 'maximized' | 'fullscreen', event: string): void {
    if (this.#state === state) return
    this.#state = state
    this.showInactive()
    this.#change(state)
    this.emit(event)
    this.emit('resize')
  }
  #leave(state: 'minimized' | 'maximized' | 'fullscreen', event: string): void {
    if (this.#state !== state) return
    this.#state = 'normal'
    this.#change('normal')
    this.emit(event)
    if (state !== 'minimized') this.emit('resize')
  }
  #change(state: 'normal' | 'maximized' | 'fullscreen'): void {
    this.#do((page) => page.changeState(state))
  }
  /** The app sees the change at once, Chromium follows. A page under test is never hidden. */
  #do(act: (page: Page) => Promise<void>): void {
    this.#open.page.then(act).catch(() => {})
  }
}

export const BrowserWindow = emulateClass<typeof RealBrowserWindow>()('BrowserWindow', StandInBrowserWindow)
