// Templates: the memory with which every Execution of one artifact begins. The boot template holds the guest runtime. An
// artifact's template is the boot template after its code was evaluated once.

import { explainMissing } from '../shared/missing-globals.ts'
import { GUEST_FILE } from './guest-source.ts'
import { createJobs } from './jobs.ts'
import type { Machine, Thrown } from './machine.ts'
import type { Interruption, Watch } from './run-turn.ts'
import { distrust, loadSlot, snapshot, type GuestAddresses, type Slot, type Template } from './slot.ts'

/** The file name of the author's code in stack frames. */
export const PROGRAM_FILE = 'program.js'

type LoadFault =
  | { readonly kind: 'refused'; readonly message: string; readonly stack: string }
  | { readonly kind: 'interrupted'; readonly by: Interruption }

export type TemplateResult = { readonly kind: 'template'; readonly template: Template } | LoadFault

const ENTRY_POINTS = ['install', 'deliver', 'takeOutput', 'unhandled', 'siteOf', 'control', 'labelOf', 'supervise']

export const bootTemplate = (slot: Slot, guestSource: string): Template => {
  const { machine } = slot
  const { engine } = machine
  const entries = machine.evaluate(guestSource, GUEST_FILE)
  if (machine.isException(entries)) {
    const thrown = machine.takeException()
    throw new Error(`The guest runtime does not start: ${thrown.name}: ${thrown.message}\n${thrown.stack}`)
  }
  const [install = 0, deliver = 0, takeOutput = 0, unhandled = 0, siteOf = 0, buffer = 0, labelOf = 0, supervise = 0] =
    ENTRY_POINTS.map((_, index) => engine.qjs_get_prop_uint32(entries, index))
  const lengthOut = engine.wasm_malloc(4)
  const addresses: GuestAddresses = {
    install,
    deliver,
    takeOutput,
    unhandled,
    siteOf,
    labelOf,
    supervise,
    control: engine.qjs_get_array_buffer(buffer, lengthOut),
    undefinedValue: engine.qjs_get_undefined(),
    argv: engine.wasm_malloc(12),
    lengthOut,
  }
  engine.qjs_free_value(entries)
  return snapshot(slot, addresses)
}

/** Evaluates an artifact's code in a slot that holds no occupant. */
export const buildTemplate = (slot: Slot, boot: Template, code: string, watch: Watch): TemplateResult =>
  load(slot, boot, code, watch, () => ({ kind: 'template', template: snapshot(slot, boot.addresses) }))

/** Whether an artifact's code can be evaluated: without a template, which takes far longer. */
export const tryLoading = (slot: Slot, boot: Template, code: string, watch: Watch): LoadFault | { kind: 'loaded' } =>
  load(slot, boot, code, watch, () => discard(slot, { kind: 'loaded' }))

const load = <Loaded>(
  slot: Slot,
  boot: Template,
  code: string,
  watch: Watch,
  onLoaded: () => Loaded,
): Loaded | LoadFault => {
  const { machine } = slot
  loadSlot(slot, boot, undefined)
  let polls = 0
  let interruption: Interruption | undefined
  machine.onPoll = () => {
    polls++
    interruption ??= watch(polls)
    return interruption === undefined ? 'continue' : 'stop'
  }
  machine.setClock(0)
  try {
    const refusal = evaluateProgram(slot, boot.addresses, code)
    if (interruption !== undefined) return discard(slot, { kind: 'interrupted', by: interruption })
    if (refusal !== undefined) return discard(slot, { kind: 'refused', ...refusal })
    machine.onPoll = () => 'continue'
    return onLoaded()
  } catch (error) {
    if (interruption !== undefined) return discard(slot, { kind: 'interrupted', by: interruption })
    const why = error instanceof RangeError ? 'it nests too deeply' : 'it breaks the engine or runs out of memory'
    return discard(slot, { kind: 'refused', message: `The Program cannot be loaded: ${why}`, stack: '' })
  } finally {
    machine.onPoll = () => 'continue'
  }
}

const discard = <Result>(slot: Slot, result: Result): Result => {
  distrust(slot)
  return result
}

const MODULE_SYNTAX = /^[ \t]*(?:import|export)\b/m
const NOT_A_MODULE = 'The code is a script, not a module: it can neither import nor export'

type Refusal = { readonly message: string; readonly stack: string }

const evaluateProgram = (slot: Slot, addresses: GuestAddresses, code: string): Refusal | undefined => {
  const { machine } = slot
  const { engine } = machine
  const value = machine.evaluate(code, PROGRAM_FILE)
  if (machine.isException(value)) {
    const thrown = machine.takeException()
    const isModule = thrown.name === 'SyntaxError' && MODULE_SYNTAX.test(code)
    return thrownAtLoad(isModule ? { ...thrown, message: `${thrown.message}. ${NOT_A_MODULE}` } : thrown)
  }
  const refusal = install(machine, addresses, value)
  engine.qjs_free_value(value)
  if (refusal !== undefined) return refusal
  const runNext = createJobs(machine)
  while (engine.qjs_is_job_pending() !== 0) {
    if (!runNext()) return thrownAtLoad(machine.takeException())
  }
  for (const reason of machine.takeRejections()) engine.qjs_free_value(reason)
  engine.qjs_free_value(engine.qjs_call(addresses.takeOutput, addresses.undefinedValue, 0, 0))
  return undefined
}

const install = (machine: Machine, addresses: GuestAddresses, value: number): Refusal | undefined => {
  machine.setWords(addresses.argv, [value])
  const answer = machine.engine.qjs_call(addresses.install, addresses.undefinedValue, 1, addresses.argv)
  if (machine.isException(answer)) return thrownAtLoad(machine.takeException())
  const problem = machine.readString(answer, addresses.lengthOut)
  machine.engine.qjs_free_value(answer)
  return problem === '' ? undefined : { message: `The Program cannot be loaded: ${problem ?? 'no memory'}`, stack: '' }
}

const thrownAtLoad = ({ name, message, stack }: Thrown): Refusal => {
  if (name === 'InternalError' && message === 'out of memory') {
    return { message: 'The Program cannot be loaded: it uses more than 64 MiB of memory', stack }
  }
  const thrown = [name, explainMissing(name, message)].filter((part) => part !== '').join(': ')
  return { message: `The Program cannot be loaded: ${thrown || 'its code throws a value that is no error'}`, stack }
}
