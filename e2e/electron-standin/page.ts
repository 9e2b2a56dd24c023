// A page of Chromium: implements a webContents with the DevTools protocol, independent of Electron's objects.

import { randomBytes } from 'node:crypto'
import type { Browser, PageTarget, TargetEvents } from './browser.ts'
import { fromChromium, toChromium } from './custom-schemes.ts'
import { isolatedWorldSource, ISOLATED_WORLD, mainWorldSource, NAMES, watchingSource } from './page/injected.ts'
import type { IpcToMain, ProcessFacts, ToMain, ToPage } from './page/isolated-world.ts'
import type { WindowRequest } from './page/refused-windows.ts'
import { schemes } from './running.ts'

export type Frame = { readonly url: string; readonly isMain: boolean }

export type PageEvents = TargetEvents & {
  /** The page itself requests a document. Returns whether that is allowed. */
  navigating(to: { readonly url: string; readonly isMainFrame: boolean; readonly isRedirect: boolean }): boolean
  navigated(frame: Frame): void
  navigatedInPage(frame: Frame): void
  loading(isLoading: boolean): void
  domReady(): void
  loaded(): void
  failed(url: string): void
  crashed(exitCode: number): void
  titled(title: string): void
  /** The window is not opened. */
  windowWanted(request: WindowRequest): void
  received(message: IpcToMain, frame: Frame, reply: (message: ToPage) => void): void
}

export type Page = {
  readonly targetId: string
  /** Returns Chromium's error, if any. For mapped URLs only. */
  load(url: string): Promise<string | undefined>
  reload(ignoreCache: boolean): void
  crash(): void
  evaluate(code: string, userGesture: boolean): Promise<unknown>
  /** Sends to the preload of the top frame, if there is one. */
  post(message: ToPage): void
  emulateColors(scheme: 'light' | 'dark'): void
  place(bounds: Electron.Rectangle): Promise<void>
  changeState(state: 'normal' | 'maximized' | 'fullscreen'): Promise<void>
  close(): void
}

export type PageOptions = {
  readonly bounds: Electron.Rectangle
  readonly preload: { readonly source: string; readonly facts: ProcessFacts } | undefined
  readonly colors: 'light' | 'dark'
}

const KEY = `__standIn${randomBytes(8).toString('hex')}`
const ours = (url: string): string => fromChromium(url, schemes)

export const openPage = async (browser: Browser, options: PageOptions, events: PageEvents): Promise<Page> => {
  const target = await browser.openPage(options.bounds, events)
  const { session } = target
  const frames = createFrames(target, events)
  const navigations = createNavigations(target, frames, events)
  listen(target, frames, events)
  await Promise.all([
    session.send('Page.enable'),
    session.send('Runtime.enable'),
    session.send('Fetch.enable', { patterns: [{ urlPattern: '*', resourceType: 'Document' }] }),
    session.send('Runtime.addBinding', { name: NAMES.toMain, executionContextName: ISOLATED_WORLD }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: mainWorldSource(KEY) }),
    session.send('Page.addScriptToEvaluateOnNewDocument', { source: watchingSource(KEY), worldName: ISOLATED_WORLD }),
    options.preload &&
      session.send('Page.addScriptToEvaluateOnNewDocument', {
        worldName: ISOLATED_WORLD,
        source: isolatedWorldSource(KEY, options.preload.source, options.preload.facts),
      }),
  ])
  const page = createPage(target, frames, navigations)
  page.emulateColors(options.colors)
  await page.place(options.bounds)
  return page
}

type Frames = ReturnType<typeof createFrames>

/** The frames of a page, and the worlds of their preloads. */
const createFrames = ({ session, id }: PageTarget, events: PageEvents) => {
  const frames = new Map<string, Frame>()
  const contexts = new Map<number, { readonly world: string; readonly frameId: string }>()
  session.on('Page.frameNavigated', ({ frame }) => {
    const known = { url: ours(frame.url + (frame.urlFragment ?? '')), isMain: frame.parentId === undefined }
    frames.set(frame.id, known)
    if (frame.unreachableUrl === undefined) events.navigated(known)
    else if (known.isMain) events.failed(ours(frame.unreachableUrl))
  })
  session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    const known = { url: ours(url), isMain: isMain(frameId) }
    frames.set(frameId, known)
    events.navigatedInPage(known)
  })
  session.on('Page.frameDetached', ({ frameId }) => void frames.delete(frameId))
  session.on('Runtime.executionContextCreated', ({ context }) => {
    const { frameId } = context.auxData as { readonly frameId: string }
    contexts.set(context.id, { world: context.name, frameId })
  })
  session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => void contexts.delete(executionContextId))
  session.on('Runtime.executionContextsCleared', () => contexts.clear())
  /** A page's main frame has the id of its target. */
  const isMain = (frameId: string): boolean => frameId === id
  return {
    isMain,
    ofContext: (contextId: number): Frame => {
      const frameId = contexts.get(contextId)?.frameId ?? ''
      return frames.get(frameId) ?? { url: '', isMain: isMain(frameId) }
    },
    preloadContexts: () =>
      [...contexts]
        .filter(([, one]) => one.world === ISOLATED_WORLD && isMain(one.frameId))
        .map(([contextId]) => contextId),
  }
}

type Navigations = ReturnType<typeof createNavigations>

/** Distinguishes requests of the app and of the page. */
const createNavigations = ({ session }: PageTarget, frames: Frames, events: PageEvents) => {
  let expected: string | undefined
  session.on('Fetch.requestPaused', ({ requestId, request, frameId, redirectedRequestId }) => {
    const isMainFrame = frames.isMain(frameId)
    const isExpected = isMainFrame && request.url === expected
    if (isExpected) expected = undefined
    const url = ours(request.url + (request.urlFragment ?? ''))
    const goOn = isExpected || events.navigating({ url, isMainFrame, isRedirect: redirectedRequestId !== undefined })
    const done = goOn
      ? session.send('Fetch.continueRequest', { requestId })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' })
    done.catch(() => {})
  })
  return {
    expect: (url: string): void => void (expected = url.replace(/#.*/s, '')),
  }
}

const listen = ({ session }: PageTarget, frames: Frames, events: PageEvents): void => {
  session.on('Page.frameStartedLoading', ({ frameId }) => frames.isMain(frameId) && events.loading(true))
  session.on('Page.frameStoppedLoading', ({ frameId }) => frames.isMain(frameId) && events.loading(false))
  session.on('Page.domContentEventFired', () => events.domReady())
  session.on('Page.loadEventFired', () => events.loaded())
  session.on('Page.windowOpen', ({ url, windowName, windowFeatures }) =>
    events.windowWanted({ url: ours(url), frameName: windowName, features: windowFeatures.join(',') }),
  )
  session.on('Inspector.targetCrashed', () => events.crashed(1))
  session.on('Runtime.bindingCalled', ({ name, payload, executionContextId }) => {
    if (name !== NAMES.toMain) return
    const message = JSON.parse(payload) as ToMain
    if (message.op === 'title') return events.titled(message.title)
    if (message.op === 'window') return events.windowWanted({ ...message.request, url: ours(message.request.url) })
    const reply = (answer: ToPage) => deliver(session, answer, executionContextId)
    events.received(message, frames.ofContext(executionContextId), reply)
  })
}

/** A page that has navigated meanwhile gets nothing, as in Electron. */
const deliver = (session: PageTarget['session'], message: ToPage, contextId: number): void => {
  const expression = `${NAMES.toPage}(${JSON.stringify(JSON.stringify(message))})`
  session.send('Runtime.evaluate', { contextId, expression }).catch(() => {})
}

const createPage = (target: PageTarget, frames: Frames, navigations: Navigations): Page => {
  const { session, browser } = target
  let address = 'about:blank'
  let colors: 'light' | 'dark' = 'light'
  const emulateColors = () => {
    const features = [{ name: 'prefers-color-scheme', value: colors }]
    session.send('Emulation.setEmulatedMedia', { features }).catch(() => {})
  }
  session.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return
    address = frame.unreachableUrl ?? frame.url
    // A driver of the page may have set its own colours.
    emulateColors()
  })
  const windowId = async () => (await browser.send('Browser.getWindowForTarget', { targetId: target.id })).windowId
  return {
    targetId: target.id,
    async load(url) {
      const mapped = toChromium(url, schemes)
      navigations.expect(mapped)
      return (await session.send('Page.navigate', { url: mapped })).errorText
    },
    reload(ignoreCache) {
      navigations.expect(address)
      session.send('Page.reload', { ignoreCache }).catch(() => {})
    },
    crash: () => void session.send('Page.crash').catch(() => {}),
    async evaluate(expression, userGesture) {
      const answer = await session.send('Runtime.evaluate', {
        expression,
        userGesture,
        awaitPromise: true,
        returnByValue: true,
      })
      const thrown = answer.exceptionDetails
      if (thrown !== undefined) throw new Error(thrown.exception?.description ?? thrown.text)
      return answer.result.value as unknown
    },
    post: (message) => {
      for (const contextId of frames.preloadContexts()) deliver(session, message, contextId)
    },
    emulateColors(scheme) {
      colors = scheme
      emulateColors()
    },
    async place({ x, y, width, height }) {
      const id = await windowId()
      await browser.send('Browser.setWindowBounds', { windowId: id, bounds: { left: x, top: y } })
      // The app does not see the window's own frame.
      await browser.send('Browser.setContentsSize', { windowId: id, width, height })
    },
    async changeState(windowState) {
      await browser.send('Browser.setWindowBounds', { windowId: await windowId(), bounds: { windowState } })
    },
    close: target.close,
  }
}
