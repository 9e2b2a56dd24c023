// The globals of a Program's world. `Date` needs no care here: the engine asks the host for the time, and the host
// answers with the clock of the turn, in UTC.

import { installAbort } from './abort.js'
import { installClone } from './clone.js'
import { installConsole } from './console.js'
import { BaseError, defineProperty, deleteProperty } from './primordials.js'
import { installRandom } from './random.js'
import { installUrl } from './url.js'

/** What would show the outside, the collector or other threads. Some are absent from this engine already. */
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

/** Else Program code would run inside this runtime, whenever it makes an error. */
const removeStackHook = () => {
  defineProperty(BaseError, 'prepareStackTrace', {
    get: () => undefined,
    set: () => {},
    enumerable: false,
    configurable: false,
  })
}

export const installGlobals = () => {
  for (const name of REMOVED) deleteProperty(globalThis, name)
  removeStackHook()
  installAbort()
  installClone()
  installConsole()
  installRandom()
  installUrl()
}
