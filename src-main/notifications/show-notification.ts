// A notice as the system's notification.

import { Notification } from 'electron'
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import { pathOfTag, tagIn, tagOf } from './notification-tags.ts'
import { type ShownText, withoutMarkup } from './notification-texts.ts'

const KEPT = 50
const isWindows = process.platform === 'win32'
const isLinux = process.platform === 'linux'

/**
 * `onClick`: of a notification of this process; on Windows also of one that an earlier process showed, or that is no longer kept.
 * `onFailed`: gets the system's reason, once.
 */
export const createShowNotification = (parts: {
  readonly onClick: (path: string | undefined) => void
  readonly onFailed: (reason: string) => void
  readonly log: Logger
}) => {
  const { onClick, onFailed, log } = parts
  let hasFailed = false
  // Without a reference it would be garbage-collected, and a click would do nothing. Also one that has been closed: Windows says so
  // of each that it moves to its notification center.
  const kept = new Map<Notification, string | undefined>()
  if (isWindows) {
    Notification.handleActivation(({ arguments: activation }) => {
      const tag = tagIn(activation)
      // One that is kept tells of its click by itself.
      if (![...kept.values()].includes(tag)) onClick(pathOfTag(tag))
    })
  }
  return ({ title, body, path }: ShownText): void => {
    if (!Notification.isSupported()) return
    const tag = isWindows ? tagOf(path, randomBytes(6).toString('hex')) : undefined
    const shown = isLinux ? withoutMarkup(body) : body
    const notification = new Notification({ title, body: shown, ...(tag !== undefined && { id: tag }) })
    notification.on('click', () => onClick(path))
    // macOS shows none for an app without a signature, or if its user does not allow them.
    notification.on('failed', (_event, reason) => {
      log.warn({ reason }, 'a notification could not be shown')
      if (!hasFailed) onFailed(reason)
      hasFailed = true
    })
    kept.set(notification, tag)
    forgetOldest(kept, KEPT)
    notification.show()
  }
}
