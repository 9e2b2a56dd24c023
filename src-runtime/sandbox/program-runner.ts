// What a program host does, apart from talking: it keeps programs, slots and images, and runs activations.

import { checkTurn, failureTurn, type CheckedTurn } from './check-turn.ts'
import type { HostClocks } from './host-budgets.ts'
import type { HostParts } from './host-parts.ts'
import { createImageCache, type ImageCache, type ImageCacheLimits } from './image-cache.ts'
import { IDLE_SLOTS } from './limits.ts'
import { measureSlowness } from './measure-slowness.ts'
import { createPlaces, type Place } from './places.ts'
import { createProgramShelf, type Program } from './program-shelf.ts'
import type { ResultMessage } from './host-messages.ts'
import { DELIVERY_KINDS, type ActivationMessage, type TurnMessage } from './protocol.ts'
import { compareReplay, type Difference } from './replay-check.ts'
import { commandSite, readLabel, runTurn, type RawTurn, type Watch } from './run-turn.ts'
import { createSlot, loadSlot, type Template } from './slot.ts'
import { createStackMapper } from './stack-trace.ts'
import { buildTemplate } from './template.ts'
import { BROKEN_SANDBOX_TURN, cutOffTurn } from './turn-failure.ts'
import { labelText, MalformedTurn } from './turn-text.ts'

export type RunnerLimits = ImageCacheLimits & {
  readonly slots: number
  readonly templateBytes: number
  readonly programBytes: number
}

/** What a turn, or the loading of a Program, may take here. */
export type Budgets = {
  turn(isReplay: boolean): Watch
  load(): Watch
}

export type Job = {
  readonly activation: ActivationMessage
  /** Which of the activation's turns comes next. */
  position: number
  /** The texts of the live turns so far. */
  readonly outputs: string[]
  /** Goes before the next of them. */
  label: string
}

export type ProgramRunner = {
  addProgram(versionId: string, code: string, sourceMap: string): void
  /** Runs turns until the job is done, or until `mayGoOn` says no between two turns: then `undefined`. */
  run(job: Job, mayGoOn: () => boolean): ResultMessage | undefined
  forget(executionId: string): void
  /** What is wrong with the code; empty: it is a Program. */
  check(code: string, sourceMap: string, watch: Watch): string
  /** Has the engine's code compiled before anybody waits for it: each of its functions is when it is first called. */
  warmUp(): void
  /** Gives back memory that a pause does not need. */
  shrink(): void
  /** How many times slower than the reference machine this one is. */
  measureSlowness(clocks: HostClocks): number
  readonly images: ImageCache
}

/** What a journalled turn was within once. Whether it still is depends on the machine and the image. */
const isOverBound = (raw: RawTurn): boolean =>
  raw.kind === 'interrupted' || (raw.kind === 'broken' && (raw.why === 'memory' || raw.why === 'stack'))

const WARM_UP = '({ run: async (ctx, input) => { await ctx.sleep(0); return { input } } })'
const UNWATCHED: Watch = () => undefined

export const createJob = (activation: ActivationMessage): Job => ({ activation, position: 0, outputs: [], label: '' })

export const createProgramRunner = (
  { engine, boot: bootFrom }: HostParts,
  limits: RunnerLimits,
  budgets: Budgets,
): ProgramRunner => {
  const firstSlot = createSlot(engine)
  const boot = bootFrom(firstSlot)
  const images = createImageCache(limits)
  const places = createPlaces(engine, firstSlot, limits.slots, images)
  const programs = createProgramShelf(limits, (template) => places.forgetTemplate(template))

  /** The template of a program, or what becomes of an activation without one. */
  const templateOf = (program: Program, sequence: number, isReplay: boolean): Template | ResultMessage => {
    if (program.template !== undefined) return program.template
    const place = places.empty()
    const built = buildTemplate(place.slot, boot, program.code, budgets.load())
    if (built.kind === 'template') {
      programs.keepTemplate(program, built.template)
      return built.template
    }
    places.leave(place, false)
    if (built.kind === 'refused') {
      const stack = program.stacks.frames(built.stack)
      return [sequence, 'ran', [failureTurn('program_error', built.message, stack === '' ? {} : { stack })]]
    }
    if (built.by === 'abandoned') return [sequence, 'abandoned']
    if (isReplay) return [sequence, 'over_bound']
    return [sequence, 'ran', [failureTurn('program_timeout', 'The Program took too long to load')]]
  }

  const liveTurn = (place: Place, raw: RawTurn, program: Program): CheckedTurn => {
    if (raw.kind !== 'output') return { text: cutOffTurn(raw), hasEnded: true }
    try {
      return checkTurn(raw.text, program.stacks)
    } catch (error) {
      if (!(error instanceof MalformedTurn)) throw error
      places.leave(place, false)
      return { text: BROKEN_SANDBOX_TURN, hasEnded: true }
    }
  }

  const differenceOf = (place: Place, raw: RawTurn, expected: string): Difference | undefined => {
    try {
      return compareReplay(raw.kind === 'output' ? raw.text : cutOffTurn(raw), expected)
    } catch (error) {
      if (!(error instanceof MalformedTurn)) throw error
      places.leave(place, false)
      return compareReplay(BROKEN_SANDBOX_TURN, expected)
    }
  }

  /** The line of a first turn that holds the label. Whatever goes wrong with it, the turn stands. */
  const labelLine = (template: Template, turn: TurnMessage | undefined): string => {
    const [kind, at = 0, , data, expected] = turn ?? []
    if (!template.hasLabel || kind !== DELIVERY_KINDS.start || expected !== null) return ''
    const place = places.empty(template)
    loadSlot(place.slot, template, undefined)
    const label = readLabel(place.slot, at, data ?? '{}', budgets.turn(false))
    places.leave(place, label !== undefined)
    return label === undefined || label === '' ? '' : labelText(label)
  }

  /** One turn of a job; a result ends the job. */
  const step = (job: Job, place: Place, program: Program): ResultMessage | undefined => {
    const [sequence, executionId, programId, versionNumber, , firstTurn, turns] = job.activation
    const turn = turns[job.position]
    if (turn === undefined) return [sequence, 'ran', job.outputs]
    const [kind, at, command, data, expected] = turn
    const identity = { executionId, programId, versionNumber }
    const raw = runTurn(place.slot, { kind, at, command, data }, identity, budgets.turn(expected !== null))
    job.position++
    place.turnsDone++
    if (raw.kind !== 'output') places.leave(place, false)
    if (raw.kind === 'interrupted' && raw.by === 'abandoned') return [sequence, 'abandoned']
    if (expected === null) {
      const { text, hasEnded } = liveTurn(place, raw, program)
      job.outputs.push(job.label + text)
      job.label = ''
      if (hasEnded && place.occupant !== undefined) places.leave(place, true)
      return hasEnded || job.position === turns.length ? [sequence, 'ran', job.outputs] : undefined
    }
    if (isOverBound(raw)) return [sequence, 'over_bound']
    const difference = differenceOf(place, raw, expected)
    if (difference === undefined) return job.position === turns.length ? [sequence, 'ran', job.outputs] : undefined
    const { index, found, ended } = difference
    const site =
      place.occupant !== undefined && difference.command > 0 ? commandSite(place.slot, difference.command) : ''
    if (place.occupant !== undefined) places.leave(place, true)
    const stack = program.stacks.frames(site)
    return [sequence, 'diverged', { turn: firstTurn + job.position - 1, index, found, ended, stack }]
  }

  const run = (job: Job, mayGoOn: () => boolean): ResultMessage | undefined => {
    const [sequence, executionId, , , versionId, firstTurn, turns] = job.activation
    const program = programs.get(versionId)
    if (program === undefined) return [sequence, 'program_missing']
    const isReplay = typeof turns[job.position]?.[4] === 'string'
    const template = templateOf(program, sequence, isReplay)
    if (!('memory' in template)) return template
    if (job.position === 0) job.label = labelLine(template, job.activation[6][0])
    const place = places.enter(executionId, firstTurn + job.position, template)
    if (place === undefined) return [sequence, 'image_missing']
    for (;;) {
      const result = step(job, place, program)
      if (result === undefined && mayGoOn()) continue
      places.settle(place)
      return result
    }
  }

  const check = (code: string, sourceMap: string, watch: Watch): string => {
    const place = places.empty()
    const built = buildTemplate(place.slot, boot, code, watch)
    places.leave(place, false)
    switch (built.kind) {
      case 'template':
        return ''
      case 'interrupted':
        return 'The Program took too long to load: its code must evaluate within a second'
      case 'refused': {
        const frames = createStackMapper(sourceMap).frames(built.stack)
        return frames === '' ? built.message : `${built.message}\n${frames}`
      }
    }
  }

  const warmUp = (): void => {
    const place = places.empty()
    const built = buildTemplate(place.slot, boot, WARM_UP, UNWATCHED)
    if (built.kind === 'template') {
      loadSlot(place.slot, built.template, undefined)
      const start = { kind: DELIVERY_KINDS.start, at: 0, command: 0, data: '{}' }
      runTurn(place.slot, start, { executionId: '', programId: '', versionNumber: 1 }, UNWATCHED)
    }
    places.leave(place, false)
  }

  return {
    addProgram: programs.add,
    run,
    forget: places.forget,
    check,
    warmUp,
    shrink: () => places.trim(IDLE_SLOTS),
    measureSlowness: (clocks) => {
      const place = places.empty()
      loadSlot(place.slot, boot, undefined)
      const slowness = measureSlowness(place.slot.machine, clocks)
      places.leave(place, false)
      return slowness
    },
    images,
  }
}
