// A notice as the system's notification.

import { Notification } from 'electron'
import type { Logger } from 'pino'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { NotificationText } from './notification-texts.ts'

const KEPT = 50

export const createShowNotification = (onClick: (path: string) => void, log: Logger) => {
  // Without a reference it would be garbage-collected, and a click would do nothing.
  const kept = new Set<Notification>()
  return ({ title, body, path }: Omit<NotificationText, 'key'>): void => {
    if (!Notification.isSupported()) return
    const notification = new Notification({ title, body })
    notification.on('click', () => onClick(path))
    notification.on('close', () => kept.delete(notification))
    // macOS shows none for an app without a signature.
    notification.on('failed', (_event, error) => log.warn({ error }, 'a notification could not be shown'))
    kept.add(notification)
    forgetOldest(kept, KEPT)
    notification.show()
  }
}
