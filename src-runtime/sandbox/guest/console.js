// `console` and `ctx.log`: both write log entries into the history.

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
for (const name of Object.keys(consoleMethods)) freeze(consoleMethods[name])

const { debug, log, info, warn, error } = consoleMethods

export const ctxLog = freeze({ debug, info, warn, error })

export const installConsole = () => {
  const value = freeze({ debug, log, info, warn, error, trace: debug, dir: log, table: log })
  defineProperty(globalThis, 'console', { value, writable: true, enumerable: false, configurable: true })
}
