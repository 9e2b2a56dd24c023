// A small AbortController. Only the Program aborts signals: there are no timers here.

import { refusal } from './errors.js'
import {
  BaseDOMException,
  BasePromise,
  BaseTypeError,
  call,
  defineProperty,
  freeze,
  isArray,
  rejected,
  symbolTag,
} from './primordials.js'

let isBuilding = false

const build = () => {
  isBuilding = true
  try {
    return new AbortSignal()
  } finally {
    isBuilding = false
  }
}

class AbortSignal {
  #aborted = false
  #reason = undefined
  /** `{ listener, once, next }` */
  #first = undefined
  onabort = null

  constructor() {
    if (!isBuilding) throw refusal(new BaseTypeError('Illegal constructor'), AbortSignal)
  }

  static abort(reason) {
    const signal = build()
    signal.#abort(reasonOf(reason, signalAbort))
    return signal
  }

  static any(signals) {
    if (!isArray(signals)) {
      throw refusal(new BaseTypeError('AbortSignal.any takes an array of signals'), signalAny)
    }
    const signal = build()
    for (let at = 0; at < signals.length; at++) {
      const source = signals[at]
      if (source.#aborted) {
        signal.#abort(source.#reason)
        return signal
      }
    }
    for (let at = 0; at < signals.length; at++) {
      const source = signals[at]
      source.#listen(() => signal.#abort(source.#reason), true)
    }
    return signal
  }

  static trigger(signal, reason) {
    signal.#abort(reason)
  }

  get aborted() {
    return this.#aborted
  }

  get reason() {
    return this.#reason
  }

  throwIfAborted() {
    if (this.#aborted) throw this.#reason
  }

  addEventListener(type, listener, options) {
    if (type !== 'abort' || listener === null || listener === undefined || this.#aborted) return
    this.#listen(listener, typeof options === 'object' && options !== null && options.once === true)
  }

  removeEventListener(type, listener) {
    if (type !== 'abort') return
    let before
    for (let entry = this.#first; entry !== undefined; entry = entry.next) {
      if (entry.listener === listener) {
        if (before === undefined) this.#first = entry.next
        else before.next = entry.next
        return
      }
      before = entry
    }
  }

  #listen(listener, once) {
    let last
    for (let entry = this.#first; entry !== undefined; entry = entry.next) {
      if (entry.listener === listener) return
      last = entry
    }
    const entry = { __proto__: null, listener, once, next: undefined }
    if (last === undefined) this.#first = entry
    else last.next = entry
  }

  #abort(reason) {
    if (this.#aborted) return
    this.#aborted = true
    this.#reason = reason
    const event = freeze({ type: 'abort', target: this, currentTarget: this })
    const listeners = this.#first
    this.#first = undefined
    notify(this, this.onabort, event)
    for (let entry = listeners; entry !== undefined; entry = entry.next) notify(this, entry.listener, event)
  }
}

/** Calls a listener. If it throws, the error is reported like a rejection, and the other listeners are still called. */
const notify = (signal, listener, event) => {
  try {
    if (typeof listener === 'function') call(listener, signal, [event])
    else if (typeof listener === 'object' && listener !== null) listener.handleEvent(event)
  } catch (error) {
    call(rejected, BasePromise, [error])
  }
}

const reasonOf = (reason, entry) =>
  reason === undefined ? refusal(new BaseDOMException('This operation was aborted', 'AbortError'), entry) : reason

const { abort: signalAbort, any: signalAny, trigger } = AbortSignal
delete AbortSignal.trigger

class AbortController {
  #signal = build()

  get signal() {
    return this.#signal
  }

  abort(reason) {
    trigger(this.#signal, reasonOf(reason, controllerAbort))
  }
}

const { abort: controllerAbort } = AbortController.prototype

export const installAbort = () => {
  for (const [name, value] of Object.entries({ AbortController, AbortSignal })) {
    defineProperty(value.prototype, symbolTag, { value: name, configurable: true })
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })
  }
}
