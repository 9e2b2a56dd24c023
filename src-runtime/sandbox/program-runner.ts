// The work of a Program host without its messages: keeps Programs, slots and images, and runs activations.

import { checkTurn, failureTurn, type CheckedTurn } from './check-turn.ts'
import type { HostParts } from './host-parts.ts'
import { createImageCache, type ImageCache } from './image-cache.ts'
import { IDLE_SLOTS } from './limits.ts'
import { createSlotPool, type PooledSlot } from './slot-pool.ts'
import { createProgramCache, type Program } from './program-cache.ts'
import type { ResultMessage } from './host-messages.ts'
import { DELIVERY_KINDS, type ActivationMessage, type TurnMessage } from './protocol.ts'
import { compareReplay, holdsOldTerms, type Difference } from './replay-check.ts'
import { commandSite, readLabel, runTurn, type RawTurn, type Watch } from './run-turn.ts'
import { createSlot, loadSlot, type Template } from './slot.ts'
import { createStackMapper } from './stack-trace.ts'
import { buildTemplate, tryLoading } from './template.ts'
import { BROKEN_SANDBOX_TURN, cutOffTurn } from './turn-failure.ts'
import { labelText, MalformedTurn } from './turn-text.ts'

export type RunnerLimits = {
  readonly slots: number
  /** A job ends with the live turn with which the output of its live turns reaches this many characters. */
  readonly outputChars: number
  readonly imageBytes: number
  readonly templateBytes: number
  readonly programBytes: number
}

/** The watches of a turn, and of loading a Program. */
export type Watches = {
  turn(isReplay: boolean): Watch
  load(): Watch
}

export type Job = {
  readonly activation: ActivationMessage
  /** Index of the activation's next turn. */
  position: number
  /** Texts of the live turns so far. */
  readonly outputs: string[]
  outputChars: number
  /** How long its live turns have computed. */
  computeMs: number
  /** Precedes the next output. */
  label: string
}

export type ProgramRunner = {
  addProgram(versionId: string, tenant: string, code: string, sourceMap: string): void
  /**
   * Runs turns until the job is done, or the output of its live turns reaches `outputChars`: the others do not run.
   * `undefined`: `mayGoOn` returned false between two turns.
   */
  run(job: Job, mayGoOn: () => boolean): ResultMessage | undefined
  forget(executionId: string): void
  /** Describes what is wrong with the code; empty: it is a valid Program. */
  check(code: string, sourceMap: string, watch: Watch): string
  /** Runs a small Program, because V8 compiles each of the engine's functions at its first call. */
  warmUp(): void
  /** Gives up memory that an idle host does not need. Returns whether there was any. */
  shrink(): boolean
  readonly images: ImageCache
}

/** Whether a replayed turn exceeded a limit. It was once within it; this depends on the machine and the image. */
const isOverBound = (raw: RawTurn): boolean =>
  raw.kind === 'interrupted' || (raw.kind === 'broken' && (raw.why === 'memory' || raw.why === 'stack'))

const ran = ({ activation: [sequence], outputs, computeMs }: Job): ResultMessage => [
  sequence,
  'ran',
  outputs,
  computeMs,
]

const WARM_UP = '({ run: async (ctx, input) => { await ctx.sleep(0); return { input } } })'
const UNWATCHED: Watch = () => undefined

export const createJob = (activation: ActivationMessage): Job => ({
  activation,
  position: 0,
  outputs: [],
  outputChars: 0,
  computeMs: 0,
  label: '',
})

/** `clock`: for how long turns compute, in ms. */
export const createProgramRunner = (
  { engine, boot: bootFrom }: HostParts,
  limits: RunnerLimits,
  watches: Watches,
  clock: () => number,
): ProgramRunner => {
  const firstSlot = createSlot(engine)
  const boot = bootFrom(firstSlot)
  const images = createImageCache(limits.imageBytes)
  const pool = createSlotPool(engine, firstSlot, limits.slots, images)
  const programs = createProgramCache(limits, (template) => pool.forgetTemplate(template))

  /** The Program's template, or the activation's result if there is none. */
  const templateOf = (program: Program, sequence: number, isReplay: boolean): Template | ResultMessage => {
    if (program.template !== undefined) return program.template
    const pooled = pool.takeNew(boot)
    const built = buildTemplate(pooled.slot, boot, program.code, watches.load())
    if (built.kind === 'template') {
      programs.keepTemplate(program, built.template)
      return built.template
    }
    pool.release(pooled, false)
    if (built.kind === 'refused') {
      const stack = program.stacks.frames(built.stack)
      return [sequence, 'ran', [failureTurn('program_error', built.message, stack === '' ? {} : { stack })], 0]
    }
    if (built.by === 'abandoned') return [sequence, 'abandoned']
    if (isReplay) return [sequence, 'over_bound']
    return [sequence, 'ran', [failureTurn('program_timeout', 'The Program took too long to load')], 0]
  }

  const liveTurn = (pooled: PooledSlot, raw: RawTurn, program: Program): CheckedTurn => {
    if (raw.kind !== 'output') return { text: cutOffTurn(raw, program.stacks), hasEnded: true }
    try {
      return checkTurn(raw.text, program.stacks)
    } catch (error) {
      if (!(error instanceof MalformedTurn)) throw error
      pool.release(pooled, false)
      return { text: BROKEN_SANDBOX_TURN, hasEnded: true }
    }
  }

  const differenceOf = (
    pooled: PooledSlot,
    raw: RawTurn,
    program: Program,
    expected: string,
  ): Difference | undefined => {
    try {
      return compareReplay(raw.kind === 'output' ? raw.text : cutOffTurn(raw, program.stacks), expected)
    } catch (error) {
      if (!(error instanceof MalformedTurn)) throw error
      pool.release(pooled, false)
      return compareReplay(BROKEN_SANDBOX_TURN, expected)
    }
  }

  /** The line of a first turn that holds the label. A label that fails does not affect the turn. */
  const labelLine = (template: Template, turn: TurnMessage | undefined): string => {
    const [kind, at = 0, , data, expected] = turn ?? []
    if (!template.hasLabel || kind !== DELIVERY_KINDS.start || expected !== null) return ''
    const pooled = pool.takeEmpty(template)
    loadSlot(pooled.slot, template, undefined)
    const label = readLabel(pooled.slot, at, data ?? '{}', watches.turn(false))
    pool.release(pooled, label !== undefined)
    return label === undefined || label === '' ? '' : labelText(label)
  }

  /** Runs one turn of a job. Returns a result when the job has ended. */
  const step = (job: Job, pooled: PooledSlot, program: Program): ResultMessage | undefined => {
    const [sequence, executionId, programId, versionNumber, , firstTurn, turns] = job.activation
    const turn = turns[job.position]
    if (turn === undefined) return ran(job)
    const [kind, at, command, data, expected] = turn
    const identity = { executionId, programId, versionNumber }
    const acceptsOldTerms = expected !== null && holdsOldTerms(expected)
    const turnDelivery = { kind, at, command, data, acceptsOldTerms, isJournalled: expected !== null }
    const begun = clock()
    const raw = runTurn(pooled.slot, turnDelivery, identity, watches.turn(expected !== null))
    if (expected === null) job.computeMs += clock() - begun
    job.position++
    pooled.turnsDone++
    if (raw.kind !== 'output') pool.release(pooled, false)
    if (raw.kind === 'interrupted' && raw.by === 'abandoned') return [sequence, 'abandoned']
    if (expected === null) {
      const { text, hasEnded } = liveTurn(pooled, raw, program)
      job.outputs.push(job.label + text)
      job.outputChars += text.length
      job.label = ''
      if (hasEnded && pooled.occupant !== undefined) pool.release(pooled, true)
      const isDone = hasEnded || job.position === turns.length || job.outputChars >= limits.outputChars
      return isDone ? ran(job) : undefined
    }
    if (isOverBound(raw)) return [sequence, 'over_bound']
    const difference = differenceOf(pooled, raw, program, expected)
    if (difference === undefined) return job.position === turns.length ? ran(job) : undefined
    const { index, found, ended } = difference
    const site =
      pooled.occupant !== undefined && difference.command > 0 ? commandSite(pooled.slot, difference.command) : ''
    if (pooled.occupant !== undefined) pool.release(pooled, true)
    const stack = program.stacks.frames(site)
    return [sequence, 'diverged', { turn: firstTurn + job.position - 1, index, found, ended, stack }]
  }

  const run = (job: Job, mayGoOn: () => boolean): ResultMessage | undefined => {
    const [sequence, executionId, , , versionId, firstTurn, turns, , tenant] = job.activation
    const program = programs.get(versionId)
    if (program === undefined) return [sequence, 'program_missing']
    const isReplay = typeof turns[job.position]?.[4] === 'string'
    const template = templateOf(program, sequence, isReplay)
    if (!('memory' in template)) return template
    if (job.position === 0) job.label = labelLine(template, job.activation[6][0])
    const pooled = pool.load(executionId, tenant, firstTurn + job.position, template)
    if (pooled === undefined) return [sequence, 'image_missing']
    for (;;) {
      const result = step(job, pooled, program)
      if (result === undefined && mayGoOn()) continue
      pool.keep(pooled)
      return result
    }
  }

  const check = (code: string, sourceMap: string, watch: Watch): string => {
    const pooled = pool.takeEmpty()
    const outcome = tryLoading(pooled.slot, boot, code, watch)
    pool.release(pooled, false)
    switch (outcome.kind) {
      case 'loaded':
        return ''
      case 'interrupted':
        return 'The Program took too long to load: its code must evaluate within a second'
      case 'refused': {
        const frames = createStackMapper(sourceMap).frames(outcome.stack)
        return frames === '' ? outcome.message : `${outcome.message}\n${frames}`
      }
    }
  }

  const warmUp = (): void => {
    const pooled = pool.takeEmpty()
    const built = buildTemplate(pooled.slot, boot, WARM_UP, UNWATCHED)
    if (built.kind === 'template') {
      loadSlot(pooled.slot, built.template, undefined)
      const start = { kind: DELIVERY_KINDS.start, at: 0, command: 0, data: '{}' }
      runTurn(pooled.slot, start, { executionId: '', programId: '', versionNumber: 1 }, UNWATCHED)
    }
    pool.release(pooled, false)
  }

  return {
    addProgram: programs.add,
    run,
    forget: pool.forget,
    check,
    warmUp,
    shrink: () => pool.trim(IDLE_SLOTS),
    images,
  }
}
