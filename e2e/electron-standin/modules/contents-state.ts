// The state of a webContents, and the conversion of its page's events to Electron's events.

import type { EventEmitter } from 'node:events'
import type { RenderProcessGoneDetails, WebContents } from 'electron'
import { notEmulated } from '../emulate.ts'
import type { Frame, PageEvents } from '../page.ts'
import type { IpcToMain, ToPage } from '../page/isolated-world.ts'
import type { WindowRequest } from '../page/refused-windows.ts'
import { preventable } from '../running.ts'
import { app } from './app.ts'
import { createFrame, createIpcEvent } from './frames.ts'
import { answerInvoke, emitSent, ipcMain } from './ipc-main.ts'
import { applyPermissions } from './session.ts'

export type ContentsState = {
  url: string
  title: string
  isLoading: boolean
  isCrashed: boolean
  isDestroyed: boolean
  openHandler?: Parameters<WebContents['setWindowOpenHandler']>[0]
  /** The last URL that the app loads, until the page has loaded. */
  load?: { readonly url: string; resolve(): void; reject(error: Error): void } | undefined
}

/** The functions of its window. */
export type Owner = { close(): void; destroy(): void; readyToShow(): void; titled(title: string): void }

type Emitter = WebContents & EventEmitter

export const createPageEvents = (contents: Emitter, state: ContentsState, owner: Owner): PageEvents => ({
  navigating: (to) => mayNavigate(contents, to),
  navigated(frame) {
    const details = [preventable({}), frame.url, -1, ''] as const
    contents.emit('did-frame-navigate', ...details, frame.isMain, 1, 1)
    if (!frame.isMain) return
    state.url = frame.url
    state.isCrashed = false
    applyPermissions(contents, frame.url)
    contents.emit('did-navigate', ...details)
  },
  navigatedInPage(frame) {
    if (frame.isMain) state.url = frame.url
    contents.emit('did-navigate-in-page', preventable({}), frame.url, frame.isMain, 1, 1)
  },
  loading(isLoading) {
    state.isLoading = isLoading
    contents.emit(isLoading ? 'did-start-loading' : 'did-stop-loading')
  },
  domReady: () => void contents.emit('dom-ready', preventable({})),
  loaded() {
    // The initial blank page of a window does not count.
    if (state.url === '') return
    state.load?.resolve()
    state.load = undefined
    owner.readyToShow()
    contents.emit('did-finish-load')
  },
  failed(url) {
    if (state.load?.url === url) return // reported by its caller
    contents.emit('did-fail-load', preventable({}), -2, 'ERR_FAILED', url, true, 1, 1)
  },
  crashed(exitCode) {
    const details: RenderProcessGoneDetails = { reason: 'crashed', exitCode }
    state.isCrashed = true
    contents.emit('render-process-gone', preventable({}), details)
    app.emit('render-process-gone', preventable({}), contents, details)
  },
  windowWanted: (request) => refuseWindow(state, request),
  popup: (url) => refuseWindow(state, { url, frameName: '', features: '' }),
  titled: (title) => follow(contents, state, owner, title),
  received: (message, frame, reply) => void receive(contents, message, frame, reply),
  gone: () => owner.destroy(),
})

const mayNavigate = (
  contents: Emitter,
  { url, isMainFrame, isRedirect }: Parameters<PageEvents['navigating']>[0],
): boolean => {
  const frame = createFrame({ url, isMain: isMainFrame })
  const ask = (name: string): boolean => {
    const event = preventable({ url, isMainFrame, isSameDocument: false, frame })
    contents.emit(name, event, url, false, isMainFrame, 1, 1)
    return !event.defaultPrevented
  }
  if (isRedirect) return ask('will-redirect')
  return ask('will-frame-navigate') && (!isMainFrame || ask('will-navigate'))
}

/** No window will open in any case, so only a refusal is correct. */
const refuseWindow = (state: ContentsState, request: WindowRequest): void => {
  const details = {
    ...request,
    disposition: 'foreground-tab',
    referrer: { url: state.url, policy: 'default' },
  } as const
  const answer = state.openHandler?.(details)
  if (answer?.action !== 'deny') throw notEmulated(`a window that a page opens (${request.url})`)
}

const follow = (contents: Emitter, state: ContentsState, owner: Owner, title: string): void => {
  state.title = title
  contents.emit('page-title-updated', preventable({}), title, true)
  owner.titled(title)
}

const receive = async (
  contents: Emitter,
  message: IpcToMain,
  frame: Frame,
  reply: (message: ToPage) => void,
): Promise<void> => {
  const among = [contents.ipc, ipcMain]
  switch (message.op) {
    case 'send':
      return emitSent(among, message.channel, createIpcEvent(contents, frame), message.args)
    case 'invoke':
      return reply(await answerInvoke(among, message, createIpcEvent(contents, frame)))
    case 'preload-error': {
      const error = Object.assign(new Error(message.message), { stack: message.stack })
      return void contents.emit('preload-error', preventable({}), message.path, error)
    }
  }
}
