// The entry points for the host: install a Program, run it, deliver to it, take its output.

import { installGlobals } from './globals.js'
import { cancelAll, createContext, failCommand, resolveCommand, siteOf, timeOutCommand } from './commands.js'
import { controlBuffer, ENDED, hasEnded, noteLabel, signal } from './control.js'
import { isCancelledError, isOutOfMemory } from './errors.js'
import { failureText, stackOf } from './failure.js'
import { inspectAll } from './inspect.js'
import { LONGEST_LABEL } from './limits.js'
import { mayLog, takeOutput, writeLog, writeOutcome } from './output.js'
import { adviceFor, promiseIn, whyNoText, whyNotText } from './payload.js'
import { beginningOf, call, indexOf, objectTag, parse, slice, stringify, wellFormed } from './primordials.js'
import { seedRandom } from './random.js'

let program
let run
let label

/** Installs the completion value of the script. Returns the problem, or nothing. */
const install = (value) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
    return `its value is ${value === null ? 'null' : typeof value}, not an object with run(ctx, input)`
  }
  const candidate = value.run
  if (typeof candidate !== 'function') return 'its value is an object without a function run(ctx, input)'
  if (indexOf(objectTag(candidate), 'Generator') !== -1) {
    return 'its function run(ctx, input) is a generator, whose body would never run: write it without *'
  }
  program = value
  run = candidate
  if (typeof value.label === 'function') {
    label = value.label
    noteLabel()
  }
  takeOutput()
  return ''
}

const resultLine = (value) => {
  let json
  try {
    json = stringify(value)
  } catch (error) {
    if (isOutOfMemory(error)) return TOO_LITTLE_MEMORY
    return invalidResult(`The result ${whyNotText(error)}${adviceFor(value)}`, stackOf(error))
  }
  if (json !== undefined) {
    const name = promiseIn(value, json)
    return name === ''
      ? `c{"result":${json}}\n`
      : invalidResult(`The result is not JSON: its member ${name} is a promise, which has to be awaited first`)
  }
  return value === undefined ? 'c{}\n' : invalidResult(`The result ${whyNoText(value)}`)
}

/** Created early, because there may be no memory later. */
const TOO_LITTLE_MEMORY =
  'f{"code":"program_out_of_memory","message":"The result takes more memory than a Program may have"}\n'

/** `stack`: of the getter or the `toJSON` that threw. */
const invalidResult = (message, stack = '') =>
  `f{"code":"invalid_result","message":${stringify(message)},"stack":${stringify(stack)}}\n`

const end = (line) => {
  try {
    signal(ENDED)
    writeOutcome(line())
  } catch {
    writeOutcome(TOO_LITTLE_MEMORY)
  }
}

/** `value` is what `run` returned or, if `hasThrown` is 1, threw. */
const supervise = async (hasThrown, value) => {
  let result
  try {
    if (hasThrown === 1) throw value
    result = await value
  } catch (error) {
    end(() => `f${failureText(error)}\n`)
    return
  }
  end(() => resultLine(result))
}

/**
 * Returns what the host calls: `run`, its object and its arguments. If it was called here, frames of this runtime would be
 * in the Program's stacks. `text` has one line each for the Execution's id, the Program's id, the version's number and
 * `{ input? }`.
 */
const start = (text) => {
  const first = indexOf(text, '\n')
  const second = indexOf(text, '\n', first + 1)
  const third = indexOf(text, '\n', second + 1)
  const executionId = slice(text, 0, first)
  seedRandom(executionId)
  const version = parse(slice(text, second + 1, third))
  const { input } = parse(slice(text, third + 1))
  return [run, program, createContext(executionId, slice(text, first + 1, second), version), input]
}

/** The Program's label for an Execution with this `{ input? }`; may be empty. Runs in a realm that is then discarded. */
const labelOf = (text) => {
  const value = call(label, program, [parse(text).input])
  return typeof value === 'string' ? wellFormed(beginningOf(value, LONGEST_LABEL)) : ''
}

const deliver = (kind, command, text) => {
  switch (kind) {
    case 0:
      return start(text)
    case 1:
      return resolveCommand(command, parse(text).payload)
    case 2:
      return timeOutCommand(command)
    case 3:
      return resolveCommand(command)
    case 4:
      return resolveCommand(command, parse(text).result)
    case 5:
      return failCommand(command, parse(text).error)
    case 6:
      return cancelAll()
  }
}

/** Logs a rejection that is unhandled at the end of the turn, or a job's error. Ignores CancelledError. */
const unhandled = (reason) => {
  if (hasEnded() || isCancelledError(reason) || !mayLog()) return
  writeLog('error', `Unhandled rejection: ${inspectAll([reason])}`)
}

installGlobals()

export const entryPoints = [install, deliver, takeOutput, unhandled, siteOf, controlBuffer, labelOf, supervise]
