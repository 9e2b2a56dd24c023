// The app's window: its position, the messages to its page, and how it handles a page that crashes or hangs.

import { BrowserWindow, dialog, Menu, nativeTheme, screen } from 'electron'
import type { Logger } from 'pino'
import { APP_NAME } from '../app-identity.ts'
import { wireName, type Push, type Pushes } from '../ipc/channels.ts'
import { readJsonFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import { contextMenuTemplate } from '../menu/context-menu.ts'
import { isOwnPage } from './may-leave.ts'
import { atMostPerMinute } from './reload-limit.ts'
import { LEAST_SIZE, placeWindow } from './window-place.ts'

export type MainWindow = {
  /** Opens the window if necessary. `path`: the page navigates to it. */
  show(path?: string): void
  /** Shows only its button in the task bar. */
  showMinimised(): void
  /** The window, visible, for a dialog; opens it if necessary. Rejects when the app is ending. */
  front(): Promise<BrowserWindow>
  /** Sends to the page once it has loaded. Opens no window. */
  send<Name extends Push>(push: Name, message: Pushes[Name]): void
  isFocused(): boolean
  /** To the screen before. */
  goBack(): void
  goForward(): void
  /** Opens no more windows, because the app is ending. */
  retire(): void
}

type Options = {
  readonly origin: string
  readonly preload: string
  readonly icon: string
  readonly placeFile: string
  readonly log: Logger
  /** Windows logs off or shuts down; it notifies only windows. */
  readonly onSessionEnd: () => void
}

/** Then the window is shown even if the page has not reported that it is ready. */
const SHOW_LIMIT_MS = 3_000
const RELOADS = 3
const COLOURS = { light: '#ffffff', dark: '#0b0d12' }

type Open = {
  readonly window: BrowserWindow
  /** Resolves once it is visible, or closed. */
  readonly shown: Promise<void>
  isLoaded: boolean
  /** Its process was ended to load the page again. */
  isRestarting: boolean
  /** Ends the question whether to load the page again, if the user is being asked. */
  question: AbortController | undefined
  readonly outbox: (() => void)[]
}

export const createMainWindow = (options: Options): MainWindow => {
  const { origin, log } = options
  const mayReload = atMostPerMinute(RELOADS, () => performance.now())
  let open: Open | undefined
  let retired = false

  const make = (path: string, isShown: boolean): Open => {
    const { bounds, maximized } = placeWindow(
      readPlace(options),
      screen.getAllDisplays().map(({ workArea }) => workArea),
      screen.getPrimaryDisplay().workArea,
    )
    const window = new BrowserWindow({
      ...bounds,
      minWidth: LEAST_SIZE.width,
      minHeight: LEAST_SIZE.height,
      show: false,
      title: APP_NAME,
      icon: options.icon,
      backgroundColor: nativeTheme.shouldUseDarkColors ? COLOURS.dark : COLOURS.light,
      webPreferences: {
        preload: options.preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        spellcheck: false,
      },
    })
    const shown = isShown ? showWhenReady(window, maximized) : Promise.resolve()
    if (maximized && !isShown) window.once('restore', () => window.maximize())
    const made: Open = { window, shown, isLoaded: false, isRestarting: false, question: undefined, outbox: [] }
    watchPage(made)
    watchPlace(window, maximized, options)
    window.on('session-end', options.onSessionEnd)
    // The keys Back and Forward of a keyboard. Chromium handles the buttons of a mouse; on Linux, Electron reports these here, too.
    if (process.platform === 'win32') {
      window.on('app-command', (_event, command) => {
        const { navigationHistory } = window.webContents
        if (command === 'browser-backward') navigationHistory.goBack()
        if (command === 'browser-forward') navigationHistory.goForward()
      })
    }
    window.on('closed', () => {
      if (open === made) open = undefined
    })
    load(made, `${origin}${path}`)
    return made
  }

  const load = (made: Open, url: string): void => {
    made.isLoaded = false
    made.isRestarting = false
    withdraw(made)
    made.window.loadURL(url).catch((error: unknown) => log.error({ err: error, url }, 'the page could not be loaded'))
  }

  const watchPage = (made: Open): void => {
    const { window, outbox } = made
    const { webContents } = window
    webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
      if (isMainFrame && !isSameDocument) made.isLoaded = false
    })
    webContents.on('context-menu', (_event, clicked) => {
      const template = contextMenuTemplate(clicked)
      const { x, y, menuSourceType: sourceType } = clicked
      // At the caret, too, if a key opens it.
      if (template.length > 0) Menu.buildFromTemplate(template).popup({ window, x, y, sourceType })
    })
    webContents.on('did-finish-load', () => {
      made.isLoaded = true
      for (const send of outbox.splice(0)) send()
    })
    webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
      log.error({ reason, exitCode }, 'the page’s process is gone')
      made.isLoaded = false
      withdraw(made)
      if (window.isDestroyed()) return
      if (made.isRestarting) return load(made, `${origin}/`)
      if (reason === 'clean-exit') return
      const url = webContents.getURL()
      if (mayReload()) return load(made, isOwnPage(url, origin) ? url : `${origin}/`)
      offerReload(made, 'The dashboard keeps crashing.', 'Cancel', () => load(made, `${origin}/`))
    })
    window.on('unresponsive', () => {
      log.warn('the page does not respond')
      if (made.question === undefined) offerReload(made, 'The dashboard does not respond.', 'Wait', () => restart(made))
    })
    window.on('responsive', () => withdraw(made))
  }

  /** A load would wait for the process that hangs, so that ends first. */
  const restart = (made: Open): void => {
    made.isRestarting = true
    made.window.webContents.forcefullyCrashRenderer()
  }

  const withdraw = (made: Open): void => {
    made.question?.abort()
    made.question = undefined
  }

  /** The message says that the runtime is not affected. */
  const offerReload = (made: Open, message: string, otherwise: string, reload: () => void): void => {
    const question = new AbortController()
    made.question = question
    const detail = 'Executions continue meanwhile.'
    dialog
      .showMessageBox(made.window, {
        type: 'warning',
        message,
        detail,
        buttons: ['Reload', otherwise],
        defaultId: 0,
        cancelId: 1,
        signal: question.signal,
      })
      .then(({ response }) => {
        if (made.question !== question) return
        made.question = undefined
        if (response === 0 && !made.window.isDestroyed()) reload()
      })
      .catch((error: unknown) => log.error({ err: error }, 'a reload could not be offered'))
  }

  const show = (path?: string): void => {
    if (retired) return
    if (open === undefined) {
      open = make(path ?? '/', true)
      return
    }
    const { window } = open
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    // The user has not had it loaded again.
    if (window.webContents.isCrashed()) load(open, `${origin}${path ?? '/'}`)
    else if (path !== undefined) push(open, 'navigate', path)
  }

  return {
    show,
    front: async () => {
      while (!retired) {
        const opening = (open ??= make('/', true))
        await opening.shown
        if (open !== opening || retired) continue
        show()
        return opening.window
      }
      throw new Error('The app is ending.')
    },
    showMinimised: () => {
      if (retired || open !== undefined) return
      open = make('/', false)
      open.window.minimize()
    },
    send: (name, message) => {
      if (open !== undefined) push(open, name, message)
    },
    isFocused: () => open?.window.isFocused() ?? false,
    goBack: () => open?.window.webContents.navigationHistory.goBack(),
    goForward: () => open?.window.webContents.navigationHistory.goForward(),
    retire: () => {
      retired = true
    },
  }
}

const push = <Name extends Push>({ window, isLoaded, outbox }: Open, name: Name, message: Pushes[Name]): void => {
  const send = (): void => {
    if (!window.isDestroyed()) window.webContents.send(wireName(name), message)
  }
  if (isLoaded) send()
  else outbox.push(send)
}

/** Maximizing a window shows it, so that waits for the page, too. */
const showWhenReady = (window: BrowserWindow, maximized: boolean): Promise<void> =>
  new Promise((resolve) => {
    const show = (): void => {
      clearTimeout(late)
      if (!window.isDestroyed() && !window.isVisible()) {
        if (maximized) window.maximize()
        window.show()
      }
      resolve()
    }
    const late = setTimeout(show, SHOW_LIMIT_MS)
    window.once('ready-to-show', show)
  })

const readPlace = ({ placeFile, log }: Options): unknown => {
  try {
    return readJsonFile(placeFile)
  } catch (error) {
    log.warn({ err: error }, 'the window’s position cannot be read')
    return undefined
  }
}

const watchPlace = (window: BrowserWindow, wasMaximized: boolean, { placeFile, log }: Options): void => {
  let maximized = wasMaximized
  // A minimized window is not maximized, but will be once it is restored.
  const look = (): void => {
    if (!window.isMinimized()) maximized = window.isMaximized()
  }
  window.on('maximize', look)
  window.on('unmaximize', look)
  window.on('close', () => {
    look()
    try {
      writeJsonFile(placeFile, { bounds: window.getNormalBounds(), maximized })
    } catch (error) {
      log.warn({ err: error }, 'the window’s position cannot be stored')
    }
  })
}
