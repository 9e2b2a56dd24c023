// A notice as the system's notification.

import { Notification } from 'electron'
import type { Logger } from 'pino'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { ShownText } from './notification-texts.ts'

const KEPT = 50

/** `onFailed`: gets the system's reason, once. */
export const createShowNotification = (parts: {
  readonly onClick: (path: string) => void
  readonly onFailed: (reason: string) => void
  readonly log: Logger
}) => {
  const { onClick, onFailed, log } = parts
  let hasFailed = false
  // Without a reference it would be garbage-collected, and a click would do nothing. Also one that has been closed: Windows says so
  // of each that it moves to its notification center.
  const kept = new Set<Notification>()
  return ({ title, body, path }: ShownText): void => {
    if (!Notification.isSupported()) return
    const notification = new Notification({ title, body })
    notification.on('click', () => onClick(path))
    // macOS shows none for an app without a signature, or if its user does not allow them.
    notification.on('failed', (_event, reason) => {
      log.warn({ reason }, 'a notification could not be shown')
      if (!hasFailed) onFailed(reason)
      hasFailed = true
    })
    kept.add(notification)
    forgetOldest(kept, KEPT)
    notification.show()
  }
}
