import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type {
  IpcMain,
  LoadFileOptions,
  NavigationHistory,
  Rectangle,
  Session,
  WebContents as RealWebContents,
  WebFrameMain,
} from 'electron'
import { emulate, emulateClass, type Part } from '../emulate.ts'
import { openPage, type Page } from '../page.ts'
import { appFacts, browserFor } from '../running.ts'
import { type ContentsState, createPageEvents, type Owner } from './contents-state.ts'
import { createFrame } from './frames.ts'
import { createIpcMain, encodeArgs } from './ipc-main.ts'
import { nativeTheme } from './native-theme.ts'
import { defaultSession } from './session.ts'

/** The functions for the window, in addition to the public ones. */
export type OpenContents = {
  readonly contents: RealWebContents
  readonly page: Promise<Page>
  /** Called when its window is gone. */
  destroyed(): void
}

type Options = {
  readonly bounds: Rectangle
  readonly preload: string | undefined
  readonly additionalArguments: readonly string[]
}

const CODES: Readonly<Record<string, number>> = {
  ERR_FAILED: -2,
  ERR_ABORTED: -3,
  ERR_FILE_NOT_FOUND: -6,
  ERR_CONNECTION_REFUSED: -102,
  ERR_NAME_NOT_RESOLVED: -105,
  ERR_EMPTY_RESPONSE: -324,
}

const open = new Map<number, StandInWebContents>()
const targets = new Map<string, number>()
const real = (contents: StandInWebContents): RealWebContents => contents as unknown as RealWebContents
let made = 0

class StandInWebContents extends EventEmitter implements Part<RealWebContents> {
  static getAllWebContents(): RealWebContents[] {
    return [...open.values()].map(real)
  }
  static fromId(id: number): RealWebContents | undefined {
    const found = open.get(id)
    return found && real(found)
  }
  static fromDevToolsTargetId(targetId: string): RealWebContents | undefined {
    return StandInWebContents.fromId(targets.get(targetId) ?? 0)
  }

  readonly id = ++made
  readonly ipc: IpcMain = createIpcMain('webContents.ipc')
  readonly session: Session = defaultSession
  readonly #state: ContentsState
  readonly #page: Promise<Page>
  readonly #owner: Owner

  constructor(state: ContentsState, page: Promise<Page>, owner: Owner) {
    super()
    this.#state = state
    this.#page = page
    this.#owner = owner
  }

  async loadURL(url: string): Promise<void> {
    const page = await this.#page
    const state = this.#state
    const loaded = new Promise<void>((resolve, reject) => {
      state.load?.reject(loadError('ERR_ABORTED', state.load.url))
      state.load = { url, resolve, reject }
    })
    const failure = await Promise.race([page.load(url), loaded])
    if (failure !== undefined) {
      const error = loadError(failure.replace('net::', ''), url)
      this.emit('did-fail-load', {}, error.errno, error.code, url, true, 1, 1)
      state.load?.reject(error)
      state.load = undefined
    }
    return loaded
  }
  loadFile(path: string, { hash, query, search }: LoadFileOptions = {}): Promise<void> {
    const url = pathToFileURL(resolve(appFacts().folder, path))
    if (query !== undefined) url.search = String(new URLSearchParams(query))
    if (search !== undefined) url.search = search
    if (hash !== undefined) url.hash = hash
    return this.loadURL(url.href)
  }
  get navigationHistory(): NavigationHistory {
    const go = (by: number): void => void this.executeJavaScript(`history.go(${by})`)
    return emulate<NavigationHistory>()('webContents.navigationHistory', {
      goBack: () => go(-1),
      goForward: () => go(1),
    })
  }
  reload(): void {
    void this.#page.then((page) => page.reload(false))
  }
  reloadIgnoringCache(): void {
    void this.#page.then((page) => page.reload(true))
  }
  close(): void {
    this.#owner.close()
  }
  forcefullyCrashRenderer(): void {
    void this.#page.then((page) => page.crash())
  }
  isCrashed(): boolean {
    return this.#state.isCrashed
  }
  isDestroyed(): boolean {
    return this.#state.isDestroyed
  }
  isLoading(): boolean {
    return this.#state.isLoading
  }
  isLoadingMainFrame(): boolean {
    return this.#state.isLoading
  }
  getURL(): string {
    return this.#state.url
  }
  getTitle(): string {
    return this.#state.title
  }
  getType(): 'window' {
    return 'window'
  }
  get mainFrame(): WebFrameMain {
    return createFrame({ url: this.#state.url, isMain: true })
  }
  setWindowOpenHandler(handler: Parameters<RealWebContents['setWindowOpenHandler']>[0]): void {
    this.#state.openHandler = handler
  }
  send(channel: string, ...args: unknown[]): void {
    const encoded = encodeArgs(args)
    void this.#page.then((page) => page.post({ op: 'event', channel, args: encoded }))
  }
  async executeJavaScript(code: string, userGesture = false): Promise<unknown> {
    return (await this.#page).evaluate(code, userGesture)
  }
  /** Windows of the stand-in have no developer tools. */
  isDevToolsOpened(): boolean {
    return false
  }
  focus(): void {}
  setBackgroundThrottling(): void {}
}

export const WebContents = emulateClass<typeof Electron.WebContents>()('WebContents', StandInWebContents)

const colors = (): 'light' | 'dark' => (nativeTheme.shouldUseDarkColors ? 'dark' : 'light')

export const openContents = ({ bounds, preload, additionalArguments }: Options, owner: Owner): OpenContents => {
  const browser = browserFor('create a window')
  const state: ContentsState = { url: '', title: '', isLoading: false, isCrashed: false, isDestroyed: false }
  const { promise: page, resolve: opened, reject: failed } = Promise.withResolvers<Page>()
  const own = new StandInWebContents(state, page, owner)
  const contents = real(own)
  const { platform, arch, versions, env } = process
  const facts = { platform, arch, versions, env, argv: [process.execPath, ...additionalArguments] }
  const source = preload && { source: readFileSync(preload, 'utf8'), facts: { ...facts, preload } }
  openPage(
    browser,
    { bounds, colors: colors(), preload: source || undefined },
    createPageEvents(contents, state, owner),
  )
    .then((made) => {
      targets.set(made.targetId, own.id)
      opened(made)
    })
    .catch(failed)
  // Callers that await the page also get the error; a window without such a caller must not fail silently.
  page.catch((error: unknown) => state.isDestroyed || console.error('stand-in: a window could not be opened:', error))
  const recolor = () => void page.then(({ emulateColors }) => emulateColors(colors())).catch(() => {})
  nativeTheme.on('updated', recolor)
  open.set(own.id, own)
  return {
    contents,
    page,
    destroyed() {
      state.isDestroyed = true
      open.delete(own.id)
      nativeTheme.off('updated', recolor)
      page.then(({ close }) => close()).catch(() => {})
      own.emit('destroyed')
    },
  }
}

const loadError = (code: string, url: string) => {
  const errno = CODES[code] ?? CODES['ERR_FAILED']!
  return Object.assign(new Error(`${code} (${errno}) loading '${url}'`), { code, errno, url })
}
