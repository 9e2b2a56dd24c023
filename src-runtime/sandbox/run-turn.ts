// Runs one turn in a slot: set the clock, deliver, run all jobs, collect what the Program asked for.

import { createJobs } from './jobs.ts'
import { LARGEST_MEMORY_BYTES } from './limits.ts'
import type { Machine, Pointer, Thrown } from './machine.ts'
import { DELIVERY_KINDS } from './protocol.ts'
import { knownTemplate, type GuestAddresses, type Slot } from './slot.ts'

/** Why a watch stopped a turn. */
export type Interruption = 'fuel' | 'time' | 'abandoned'

export type RawTurn =
  | { readonly kind: 'output'; readonly text: string }
  /** `stack`: where the Program was; empty if that is not known. */
  | { readonly kind: 'interrupted'; readonly by: Interruption; readonly stack: string }
  | { readonly kind: 'broken'; readonly why: 'commands' | 'output' | 'memory' | 'stack' | 'trap' }

/** Called at every poll with the number of this turn's polls so far. */
export type Watch = (polls: number) => Interruption | undefined

/** Bytes of guest/control.js: running, ended (1), and these, from 2. */
const RUNNING = 0
const BREAKS = ['commands', 'output'] as const
const FIRST_BREAK = 2
/** Set for turns with names or retry policies that only older runtimes accepted. */
const ACCEPTS_OLD_TERMS = 2

export type TurnDelivery = {
  /** A number of `DELIVERY_KINDS`. */
  readonly kind: number
  /** The Program's clock, ms since the epoch. */
  readonly at: number
  readonly command: number
  readonly data: string | null
  /** The journal holds a name or a retry policy for this turn that only older runtimes accepted. */
  readonly acceptsOldTerms?: boolean
  /** It is replayed: a Program that caught a refusal of memory went on in older runtimes. */
  readonly isJournalled?: boolean
}

export type Identity = {
  readonly executionId: string
  readonly programId: string
  readonly versionNumber: number
}

const textOf = ({ kind, data }: TurnDelivery, { executionId, programId, versionNumber }: Identity): string | null =>
  kind === DELIVERY_KINDS.start ? `${executionId}\n${programId}\n${versionNumber}\n${data}` : data

/** How far a turn has come. */
type Progress = {
  /** `run` has returned or thrown, or the turn exceeds a limit. */
  readonly isStopped: () => boolean
  readonly beforeJob: () => void
  /** To be called after each call of the guest, which may have swallowed the engine's interrupt. */
  readonly failIfInterrupted: () => void
}

/** Throws if a call of our own code in the guest was interrupted, or has thrown. */
const mustReturn = (machine: Machine, result: Pointer, { failIfInterrupted, isStopped }: Progress): void => {
  failIfInterrupted()
  if (machine.isException(result) && !isStopped()) throw new GuestFault(machine.takeException())
}

const LONGEST_STACK = 32 * 1024

const stackOf = (error: unknown): string =>
  error instanceof GuestFault && error.thrown.stack.length <= LONGEST_STACK ? error.thrown.stack : ''

/** So many more jobs run when the turn must end between two of them: only code that runs tells where the Program is. */
const MOST_LAST_JOBS = 1000
/** What the engine calls before code runs in a function, of a job that ends an `await`, and of another one. */
const CALLS_OF_AWAIT = 2
const CALLS_OF_CALLBACK = 1

export const runTurn = (slot: Slot, delivery: TurnDelivery, identity: Identity, watch: Watch): RawTurn => {
  const { machine } = slot
  const { addresses } = knownTemplate(slot)
  let polls = 0
  let interruption: Interruption | undefined
  const broken = (): number => machine.bytes[addresses.control] ?? RUNNING
  const isTooLarge = (): boolean => machine.bytes.length > LARGEST_MEMORY_BYTES
  let isRefused = false
  machine.onRefusal = () => {
    isRefused = delivery.isJournalled !== true
  }
  let hasInterrupted = false
  let isInJobs = false
  let lastJobs = 0
  machine.onPoll = (from) => {
    polls++
    if (isRefused) return 'stop'
    const isFirst = interruption === undefined
    interruption ??= watch(polls)
    if (isTooLarge() || broken() >= FIRST_BREAK) return 'stop'
    if (interruption === undefined) return 'continue'
    if (interruption === 'abandoned' || hasInterrupted) return 'stop'
    // At the first poll of a job, no code may have begun.
    if (from === 'jobs' || (isFirst && isInJobs)) return 'continue'
    hasInterrupted = true
    return 'interrupt'
  }
  const progress: Progress = {
    isStopped: () => broken() !== RUNNING || lastJobs > MOST_LAST_JOBS,
    beforeJob: () => {
      isInJobs = true
      if (interruption === undefined) return
      lastJobs++
      machine.pollAfter(lastJobs <= MOST_LAST_JOBS / 2 ? CALLS_OF_AWAIT + 1 : CALLS_OF_CALLBACK + 1)
    },
    failIfInterrupted: () => {
      if (hasInterrupted) throw new GuestFault(machine.takeException())
    },
  }
  machine.setClock(delivery.at)
  machine.setByte(addresses.control + ACCEPTS_OLD_TERMS, delivery.acceptsOldTerms === true ? 1 : 0)
  try {
    const { kind, command } = delivery
    const delivered = callGuest(
      slot,
      addresses,
      addresses.deliver,
      [kind, command],
      textOf(delivery, identity),
      progress,
    )
    if (kind === DELIVERY_KINDS.start) callRun(slot, addresses, delivered, progress)
    machine.engine.qjs_free_value(delivered)
    runJobs(slot, addresses, progress)
    if (interruption !== undefined) return { kind: 'interrupted', by: interruption, stack: '' }
    if (broken() === RUNNING) reportRejections(slot, addresses, progress)
    if (broken() >= FIRST_BREAK) return brokenBy(broken())
    const text = takeOutput(slot, addresses)
    progress.failIfInterrupted()
    return isTooLarge() || (isRefused && !saysOutOfMemory(text)) ? OUT_OF_MEMORY : { kind: 'output', text }
  } catch (error) {
    if (interruption !== undefined) return { kind: 'interrupted', by: interruption, stack: stackOf(error) }
    if (isTooLarge() || isRefused) return OUT_OF_MEMORY
    if (broken() >= FIRST_BREAK) return brokenBy(broken())
    return asBroken(error)
  } finally {
    machine.onPoll = () => 'continue'
    machine.onRefusal = () => {}
  }
}

const OUT_OF_MEMORY: RawTurn = { kind: 'broken', why: 'memory' }

const FAILED_FOR_MEMORY = 'f{"code":"program_out_of_memory"'

/** The Program did not catch what the engine threw, so the failure says where it was. */
const saysOutOfMemory = (text: string): boolean =>
  text.startsWith(FAILED_FOR_MEMORY, text.lastIndexOf('\n', text.length - 2) + 1)

/** A few milliseconds of work. */
const MOST_LABEL_POLLS = 20

/**
 * The Program's label for an Execution; empty: none, or it took too long. Runs in a slot that holds the bare template,
 * so that nothing it does remains. `undefined`: the slot must not be used any more.
 */
export const readLabel = (slot: Slot, at: number, data: string, watch: Watch): string | undefined => {
  const { machine } = slot
  const { addresses } = knownTemplate(slot)
  let polls = 0
  machine.onPoll = () => (++polls > MOST_LABEL_POLLS || watch(polls) !== undefined ? 'stop' : 'continue')
  machine.setClock(at)
  try {
    const result = callWith(slot, addresses, addresses.labelOf, [machine.newString(data)])
    if (machine.isException(result)) return ''
    return machine.readString(result, addresses.lengthOut) ?? ''
  } catch {
    return undefined
  } finally {
    machine.onPoll = () => 'continue'
  }
}

const brokenBy = (control: number): RawTurn => ({
  kind: 'broken',
  why: BREAKS[control - FIRST_BREAK] ?? 'trap',
})

class GuestFault extends Error {
  readonly thrown: Thrown

  constructor(thrown: Thrown) {
    super(`${thrown.name}: ${thrown.message}`)
    this.thrown = thrown
  }
}

const isOutOfMemory = ({ name, message }: Thrown): boolean =>
  (name === 'InternalError' && message === 'out of memory') || (name === 'Error' && message === 'null')

const asBroken = (error: unknown): RawTurn => {
  if (error instanceof GuestFault) return { kind: 'broken', why: isOutOfMemory(error.thrown) ? 'memory' : 'trap' }
  // V8's own stack ran out inside the engine.
  if (error instanceof RangeError) return { kind: 'broken', why: 'stack' }
  return { kind: 'broken', why: 'trap' }
}

const callGuest = (
  slot: Slot,
  addresses: GuestAddresses,
  callee: Pointer,
  numbers: readonly number[],
  text: string | null,
  progress: Progress,
): Pointer => {
  const { machine } = slot
  const { engine } = machine
  const args = numbers.map((value) => engine.qjs_new_number(value))
  if (text !== null) args.push(machine.newString(text))
  const result = callWith(slot, addresses, callee, args)
  mustReturn(machine, result, progress)
  return result
}

/** Frees the arguments. */
const callWith = (
  { machine }: Slot,
  { argv, undefinedValue }: GuestAddresses,
  callee: Pointer,
  args: readonly Pointer[],
  self = undefinedValue,
): Pointer => {
  machine.setWords(argv, args)
  const result = machine.engine.qjs_call(callee, self, args.length, argv)
  for (const value of args) machine.engine.qjs_free_value(value)
  return result
}

/** `parts`: what the guest's `start` returned. */
const callRun = (slot: Slot, addresses: GuestAddresses, parts: Pointer, progress: Progress): void => {
  const { machine } = slot
  const { engine } = machine
  const part = (index: number): Pointer => engine.qjs_get_prop_uint32(parts, index)
  const [run, self] = [part(0), part(1)]
  const result = callWith(slot, addresses, run, [part(2), part(3)], self)
  progress.failIfInterrupted()
  const hasThrown = machine.isException(result)
  const outcome = hasThrown ? engine.qjs_get_exception() : result
  const args = [engine.qjs_new_number(hasThrown ? 1 : 0), outcome]
  const supervised = callWith(slot, addresses, addresses.supervise, args)
  mustReturn(machine, supervised, progress)
  for (const value of [run, self, supervised, ...(hasThrown ? [result] : [])]) engine.qjs_free_value(value)
}

const runJobs = (slot: Slot, addresses: GuestAddresses, progress: Progress): void => {
  const { isStopped, beforeJob, failIfInterrupted } = progress
  const { engine } = slot.machine
  const runNext = createJobs(slot.machine)
  while (!isStopped() && engine.qjs_is_job_pending() !== 0) {
    beforeJob()
    const isDone = runNext()
    failIfInterrupted()
    if (isDone || isStopped()) continue
    // A job threw, such as a callback of queueMicrotask. Nothing else reports it.
    report(slot, addresses, engine.qjs_get_exception(), progress)
  }
}

/** Frees the reason. */
const report = (slot: Slot, addresses: GuestAddresses, reason: Pointer, progress: Progress): void => {
  const { machine } = slot
  const result = callWith(slot, addresses, addresses.unhandled, [reason])
  mustReturn(machine, result, progress)
  machine.engine.qjs_free_value(result)
}

const reportRejections = (slot: Slot, addresses: GuestAddresses, progress: Progress): void => {
  const { engine } = slot.machine
  for (const reason of slot.machine.takeRejections()) report(slot, addresses, reason, progress)
  // Traps of a Proxy may run above. What they reject is never reported: an image does not hold it, so a slot must not.
  for (const reason of slot.machine.takeRejections()) engine.qjs_free_value(reason)
}

const takeOutput = (slot: Slot, addresses: GuestAddresses): string => {
  const { machine } = slot
  const result = machine.engine.qjs_call(addresses.takeOutput, addresses.undefinedValue, 0, 0)
  if (machine.isException(result)) throw new GuestFault(machine.takeException())
  const text = machine.readString(result, addresses.lengthOut)
  machine.engine.qjs_free_value(result)
  if (text === undefined) throw new GuestFault(machine.takeException())
  return text
}

/** Where in the author's code a pending command was asked for; empty when that is unknown. */
export const commandSite = (slot: Slot, command: number): string => {
  const { machine } = slot
  const { addresses } = knownTemplate(slot)
  const number = machine.engine.qjs_new_number(command)
  const result = callWith(slot, addresses, addresses.siteOf, [number])
  return machine.isException(result) ? '' : (machine.readString(result, addresses.lengthOut) ?? '')
}
