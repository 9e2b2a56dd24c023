// `console` and `ctx.log`: both write log entries to the history.

import { inspectAll } from './inspect.js'
import { mayLog, writeLog } from './output.js'
import { defineProperty, freeze } from './primordials.js'

const logAt = (level, values) => {
  if (mayLog()) writeLog(level, inspectAll(values))
}

const consoleMethods = {
  debug(...values) {
    logAt('debug', values)
  },
  log(...values) {
    logAt('info', values)
  },
  info(...values) {
    logAt('info', values)
  },
  warn(...values) {
    logAt('warn', values)
  },
  error(...values) {
    logAt('error', values)
  },
}

/** Other methods that libraries call. The clock stands still within a turn, so timers measure nothing. */
const otherMethods = {
  assert(condition, ...values) {
    if (!condition) logAt('error', values.length === 0 ? ['Assertion failed'] : ['Assertion failed:', ...values])
  },
  group(...values) {
    if (values.length > 0) logAt('info', values)
  },
  groupEnd() {},
  time() {},
  timeLog() {},
  timeEnd() {},
  count() {},
  countReset() {},
  clear() {},
}
for (const methods of [consoleMethods, otherMethods]) {
  for (const name of Object.keys(methods)) freeze(methods[name])
}

const { debug, log, info, warn, error } = consoleMethods

export const ctxLog = freeze({ debug, info, warn, error })

export const installConsole = () => {
  const { group } = otherMethods
  const aliases = { trace: debug, dir: log, dirxml: log, table: log, groupCollapsed: group }
  const value = freeze({ debug, log, info, warn, error, ...otherMethods, ...aliases })
  defineProperty(globalThis, 'console', { value, writable: true, enumerable: false, configurable: true })
}
