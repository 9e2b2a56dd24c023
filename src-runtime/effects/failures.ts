// Failures of attempts that the effect did not throw. They name the effect, what happened and what to do.

import type { EffectOutcome } from './effect-performer.ts'
import type { HostFailure } from './messages.ts'
import type { EffectHostExit } from './spawn-effect-host.ts'
import { beginningOf } from '../shared/beginning-of.ts'
import { messageOf } from '../shared/message-of.ts'

type Failed = Extract<EffectOutcome, { kind: 'failed' }>

const failed = (
  code: string,
  message: string,
  retryable: boolean,
  { name = 'EffectError', stack }: { readonly name?: string; readonly stack?: string | undefined } = {},
): Failed => ({
  kind: 'failed',
  retryable,
  error: { code, name, message, ...(stack !== undefined && { stack }) },
})

const inSeconds = (ms: number): string => `${Number((ms / 1_000).toPrecision(3))} s`

export const noSuchEffect = (name: string, programId: string, known: Iterable<string>): Failed => {
  const names = [...known]
  const others = names.length === 0 ? 'it has none' : `it has ${names.slice(0, 20).join(', ')}`
  return failed(
    'effect_not_found',
    `Program ${programId} has no effect "${name}" in this version: ${others}. Effects are the exported functions of *.effects.ts modules`,
    false,
  )
}

export const effectsNotRead = (name: string, error: unknown): Failed =>
  failed('effect_load_failed', `effect "${name}" cannot run: its code could not be read: ${messageOf(error)}`, true)

export const folderMissing = (name: string, folder: string): Failed =>
  failed(
    'project_folder_missing',
    `effect "${name}" cannot run: its project folder ${folder} does not exist or cannot be read. Put it back, or cancel the Execution`,
    true,
  )

export const loadFailed = (place: string, { message, stack }: HostFailure): Failed =>
  failed('effect_load_failed', `the effects of ${place} could not be loaded: ${message}`, true, { stack })

export const loadTimedOut = (place: string, loadMs: number): Failed =>
  failed(
    'effect_load_failed',
    `the effects of ${place} could not be loaded: their modules were not evaluated within ${inSeconds(loadMs)}`,
    true,
  )

export const hostNotStarted = (place: string, exit: EffectHostExit, printed: string): Failed =>
  failed('effect_host_crashed', `the effect host of ${place} could not start: ${exitText(exit)}${said(printed)}`, true)

export const timedOut = (name: string, timeoutMs: number, because = '', stack?: string): Failed =>
  failed('effect_timeout', `effect "${name}" timed out after ${inSeconds(timeoutMs)}${because}`, true, {
    name: 'TimeoutError',
    stack,
  })

export const blockedItsHost = (name: string, ms: number, stack: string | undefined): Failed =>
  failed(
    'effect_blocked',
    `effect "${name}" blocked its process for ${inSeconds(ms)} while other effects waited, so the process was stopped. ` +
      'Its next attempt runs in a process of its own',
    true,
    { stack },
  )

/** The host was stopped because of something else that ran in it. */
export const restarted = (name: string, because: string): Failed =>
  failed(
    'effect_host_restarted',
    `effect "${name}" was interrupted: the effect host was restarted because ${because}`,
    true,
  )

/** The host died. `others` more attempts were running, and any of them may be the cause. */
export const crashed = (
  name: string,
  others: number,
  exit: EffectHostExit,
  printed: string,
  /** For example `512 MB`, and what changes it. */
  heapLimit: string,
): Failed => {
  const how = crashText(exit, printed, heapLimit)
  const where =
    others === 0
      ? `effect "${name}" was under way`
      : `effect "${name}" and ${others} other attempt${others === 1 ? '' : 's'} were under way; their next attempts run apart from others`
  return failed('effect_host_crashed', `the effect host ${how} while ${where}`, true)
}

export const cancelled = (name: string): Failed =>
  failed('cancelled', `effect "${name}" was cancelled`, false, { name: 'CancelledError' })

const crashText = (exit: EffectHostExit, printed: string, heapLimit: string): string =>
  outOfMemoryText(printed, heapLimit) ?? `crashed (${exitText(exit)})${said(printed)}`

/** Repeats nothing that effects have printed. */
export const deathText = (exit: EffectHostExit, printed: string, heapLimit: string): string =>
  outOfMemoryText(printed, heapLimit) ?? `ended (${exitText(exit)})`

/** The signal does not tell it: without a handler, the first process of a namespace that aborts gets SIGSEGV. */
const outOfMemoryText = (printed: string, heapLimit: string): string | undefined => {
  if (/heap out of memory|process out of memory|std::bad_alloc/i.test(printed)) {
    return `ran out of memory (its JavaScript heap is limited to ${heapLimit})`
  }
  const memory = /\[effect host\] (uses \d+ MB of memory, more than \d+ MB)/.exec(printed)?.[1]
  return memory && `ran out of memory (it ${memory})`
}

const exitText = ({ code, signal, error }: EffectHostExit): string => {
  if (error !== undefined) return error.message
  return signal === null ? `exit code ${code}` : `signal ${signal}`
}

const said = (printed: string): string => {
  const line = printed
    .split('\n')
    .map((text) => text.trim())
    .findLast((text) => /error|fatal|abort/i.test(text) && !text.startsWith('at '))
  return line === undefined ? '' : `: ${beginningOf(line, 500)}`
}
