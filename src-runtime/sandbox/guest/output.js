// Writes the commands of a turn as lines for the host. Payloads are JSON, which never contains a raw line break.
//
//     e<command> <name>  data  options      an effect
//     t<command> <due>                      a timer
//     w<command> <due or -> <name>          a wait
//     l<data>                               a log entry
//     c<data>                               the Program returned
//     f<failure>                            the Program threw

import { abort, hasEnded, TOO_MANY_COMMANDS, TOO_MUCH_OUTPUT } from './control.js'
import { LONGEST_LOG, MOST_COMMANDS, MOST_OUTPUT, MOST_TURN_LOG_BYTES, MOST_TURN_LOGS } from './limits.js'
import { beginningOf, stringify, utf8Bytes, wellFormed } from './primordials.js'

let output = ''
let outcome = ''
let commandCount = 0
let logCount = 0
let logBytes = 0
let droppedLogs = 0

const writeLines = (lines) => {
  output += lines
  if (output.length > MOST_OUTPUT) abort(TOO_MUCH_OUTPUT)
}

/** Numbers start at 1 in each Execution. */
export const nextCommand = () => {
  if (commandCount >= MOST_COMMANDS) abort(TOO_MANY_COMMANDS)
  return ++commandCount
}

export const writeEffect = (command, name, data, options) =>
  writeLines(`e${command} ${stringify(name)}\n${data}\n${options}\n`)
export const writeTimer = (command, dueAt) => writeLines(`t${command} ${dueAt}\n`)
export const writeWait = (command, dueAt, name) => writeLines(`w${command} ${dueAt ?? '-'} ${stringify(name)}\n`)
export const writeOutcome = (line) => {
  outcome = line
}

/** Whether the turn keeps another log entry. Counts dropped entries. */
export const mayLog = () => {
  if (hasEnded()) return false
  if (logCount < MOST_TURN_LOGS && logBytes < MOST_TURN_LOG_BYTES) return true
  droppedLogs++
  return false
}

const cutLog = (text) => (text.length > LONGEST_LOG ? `${beginningOf(text, LONGEST_LOG)}…` : text)

export const writeLog = (level, message) => {
  const line = `l{"level":"${level}","message":${stringify(wellFormed(cutLog(message)))}}\n`
  const bytes = utf8Bytes(line)
  if (logBytes + bytes > MOST_TURN_LOG_BYTES) {
    droppedLogs++
    return
  }
  logCount++
  logBytes += bytes
  writeLines(line)
}

/** Returns the text of the turn, and begins the next one. */
export const takeOutput = () => {
  const dropped = droppedLogs
  logCount = 0
  logBytes = 0
  droppedLogs = 0
  const text = output
  const end = outcome
  output = ''
  outcome = ''
  if (dropped === 0) return text + end
  return `${text}l{"level":"warn","message":"${dropped} more log entries of this turn were dropped"}\n${end}`
}
