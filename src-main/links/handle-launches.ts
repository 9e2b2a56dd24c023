// Handles a launch, a link or a file: shows the window, navigates, or offers a start.

import type { Logger } from 'pino'
import type { ConnectionChoice } from '../connections/connection-items.ts'
import type { RunFile } from '../preload/desktop-api.ts'
import { pathOfDeepLink } from './deep-link.ts'
import type { LaunchInbox, LaunchMessage } from './launch-inbox.ts'
import { isHandover, launchRequest, type Handover, type LaunchRequest } from './launch-request.ts'
import { readRunFile, RUN_FILE_ENDING } from './run-file.ts'
import { messageOf } from '../../src-runtime/shared/message-of.ts'

export type LaunchParts = {
  /** True if the app is ending: it starts again with the request. */
  readonly keepForNextStart: (request: LaunchRequest) => boolean
  readonly showWindow: (path?: string) => void
  /** The saved ones, which links may name. */
  readonly connections: () => readonly ConnectionChoice[]
  readonly offerRun: (run: RunFile) => void
  /** Tells the user that a link cannot be opened. */
  readonly refuseLink: () => void
  /** To the user. */
  readonly showError: (message: string) => void
  readonly log: Logger
}

/** `own`: this process's arguments. Returns whether they contain a request, so that the window must be shown. */
export const handleLaunches = (inbox: LaunchInbox, own: Handover, parts: LaunchParts): boolean => {
  const request = launchRequest(own)
  const asksForSomething = request.deepLink !== undefined || request.runFile !== undefined
  if (asksForSomething) handle(request, parts)
  inbox.listen((message) => {
    const asked = requestOf(message, parts.log)
    if (!parts.keepForNextStart(asked)) handle(asked, parts)
  })
  return asksForSomething
}

const requestOf = (message: LaunchMessage, log: Logger): LaunchRequest => {
  switch (message.kind) {
    case 'deep_link':
      return { deepLink: message.link }
    case 'file':
      return message.path.endsWith(RUN_FILE_ENDING) ? { runFile: message.path } : {}
    case 'launch':
      if (isHandover(message.handover)) return launchRequest(message.handover)
      log.warn('a launch with invalid arguments')
      return {}
  }
}

const handle = ({ deepLink, runFile }: LaunchRequest, parts: LaunchParts): void => {
  const { showWindow, connections, offerRun, refuseLink, showError, log } = parts
  const path = deepLink === undefined ? undefined : pathOfDeepLink(deepLink, connections())
  showWindow(path)
  if (deepLink !== undefined && path === undefined) {
    log.warn('an invalid link')
    refuseLink()
  }
  if (runFile === undefined) return
  readRunFile(runFile)
    .then(offerRun)
    .catch((error: unknown) => {
      log.warn({ err: error }, 'a file could not be opened')
      showError(messageOf(error))
    })
}
