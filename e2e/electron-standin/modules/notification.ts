import { EventEmitter } from 'node:events'
import type { Notification as RealNotification, NotificationConstructorOptions } from 'electron'
import { emulateClass, type Part } from '../emulate.ts'
import { preventable } from '../running.ts'

/** Not shown. Tests read it by wrapping `Notification.prototype.show`, and click it by emitting `click`. */
class StandInNotification extends EventEmitter implements Part<RealNotification> {
  static isSupported(): boolean {
    return true
  }
  title: string
  subtitle: string
  body: string
  silent: boolean
  urgency: RealNotification['urgency']
  actions: RealNotification['actions']
  #isShown = false
  constructor(options: NotificationConstructorOptions = {}) {
    super()
    this.title = options.title ?? ''
    this.subtitle = options.subtitle ?? ''
    this.body = options.body ?? ''
    this.silent = options.silent ?? false
    this.urgency = options.urgency ?? 'normal'
    this.actions = options.actions ?? []
  }
  show(): void {
    this.#isShown = true
    setImmediate(() => this.emit('show', preventable({})))
  }
  close(): void {
    if (!this.#isShown) return
    this.#isShown = false
    this.emit('close', preventable({}))
  }
}

export const Notification = emulateClass<typeof RealNotification>()('Notification', StandInNotification)
