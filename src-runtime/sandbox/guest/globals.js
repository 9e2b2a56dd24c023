// The globals of a Program. `Date` reads no clock of its own: the engine asks the host for the time, and the host returns the
// clock of the turn, in UTC.

import { installAbort } from './abort.js'
import { installClone } from './clone.js'
import { installConsole } from './console.js'
import { installDates } from './dates.js'
import { own } from './errors.js'
import { BaseError, call, defineProperty, deleteProperty, getOwnPropertyDescriptor } from './primordials.js'
import { installPromises } from './promises.js'
import { installRandom } from './random.js'
import { installUrl } from './url.js'

/** Globals that would show the machine, the garbage collector or other threads. This engine lacks some of them anyway. */
const REMOVED = [
  'Intl',
  'WeakRef',
  'FinalizationRegistry',
  'SharedArrayBuffer',
  'Atomics',
  'performance',
  'WebAssembly',
  'gc',
  'navigator',
  'print',
  'std',
  'os',
  'bjson',
]

/** Otherwise Program code would run inside this runtime whenever it creates an error. */
const removeStackHook = () => {
  defineProperty(BaseError, 'prepareStackTrace', {
    get: () => undefined,
    set: () => {},
    enumerable: false,
    configurable: false,
  })
}

/** The engine's setter throws if it gets no text, but libraries clear stacks, and copy them from what has none. */
const acceptAnyStack = () => {
  const { set: setText } = getOwnPropertyDescriptor(BaseError.prototype, 'stack')
  defineProperty(BaseError.prototype, 'stack', {
    set(stack) {
      if (typeof stack === 'string') call(setText, this, [stack])
      else own(this, 'stack', stack)
    },
  })
}

/** The engine calls it for each template literal, also for those of this runtime. */
const keepConcat = () => defineProperty(String.prototype, 'concat', { writable: false, configurable: false })

export const installGlobals = () => {
  for (const name of REMOVED) deleteProperty(globalThis, name)
  removeStackHook()
  acceptAnyStack()
  keepConcat()
  installAbort()
  installClone()
  installConsole()
  installDates()
  installPromises()
  installRandom()
  installUrl()
}
