// Evaluates describing bundles in a short-lived process without access to files, the network and the environment. It
// does not use the Program sandbox, because schema libraries need more of a platform (arktype needs Blob, and takes half
// a second there).

import { extname, join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { nodeFork, type Fork } from '../shared/fork.ts'
import { messageOf } from '../shared/message-of.ts'
import { restrictedProcess } from './restricted-process.ts'

export type Evaluation =
  | { readonly kind: 'described'; readonly described: Described }
  /** The code threw; the stack has lines of `describe.js`. */
  | { readonly kind: 'threw'; readonly name: string; readonly message: string; readonly stack?: string }
  /** The code did not end, or ended its process. */
  | { readonly kind: 'lost'; readonly message: string }

export type Evaluator = {
  /** Whether Node denies the process files, child processes, threads and addons. */
  readonly isRestricted: boolean
  /** Rejects when the system refuses a process or its threads, and when it is stopped. An aborted evaluation is lost. */
  evaluate(code: string, signal?: AbortSignal): Promise<Evaluation>
  /** Ends all processes and what they evaluate; nothing is evaluated after that. May be called twice. */
  stop(): void
}

export type EvaluatorProcess = {
  /** The process itself gives the code up after the limit: this one may have been killed, and cannot kill it then. */
  send(message: { readonly id: number; readonly code: string; readonly limitMs: number }): void
  onMessage(listener: (message: unknown) => void): void
  /** Called once when the process has ended, or could not start. */
  onExit(listener: (reason: string) => void): void
  kill(): void
}

export type SpawnEvaluator = { readonly isRestricted: boolean; spawn(): EvaluatorProcess }

const LIMIT_MS = 15_000
/** A process that is alone gives up later than this one does, which says why. */
const LONGER_MS = 1_000
/** The process is kept for the next change, and takes about 40 MB. */
const IDLE_MS = 60_000
const HEAP_MB = 256

const place = { path: Type.String(), exportName: Type.String() }
const fault = { ...place, kind: Type.Literal('fault'), message: Type.String() }
const Schema = Type.Optional(Type.Union([Type.Boolean(), Type.Record(Type.String(), Type.Unknown())]))

const Program = Type.Union([
  Type.Object({
    ...place,
    kind: Type.Literal('program'),
    id: Type.String(),
    description: Type.Optional(Type.String()),
    inputSchema: Schema,
    events: Type.Array(Type.Object({ name: Type.String(), payloadSchema: Schema })),
  }),
  /** Its schemas need the converter of that vendor. */
  Type.Object({ ...place, kind: Type.Literal('converter_needed'), vendor: Type.String() }),
  /** `isList`: the exported value is not a Program, but a list of them. */
  Type.Object({ ...fault, isList: Type.Optional(Type.Literal(true)) }),
])

const Effect = Type.Union([
  Type.Object({
    ...place,
    kind: Type.Literal('effect'),
    retry: Type.Optional(Type.Record(Type.String(), Type.Union([Type.Number(), Type.String()]))),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  Type.Object(fault),
])

const Described = Type.Object({
  programs: Type.Array(Program),
  effects: Type.Array(Effect),
  config: Type.Optional(Type.Unknown()),
})

export type DescribedProgram = Static<typeof Program>
export type DescribedEffect = Static<typeof Effect>
/** What a describing bundle holds. */
export type Described = Static<typeof Described>

const Answer = Type.Union([
  /** The code is evaluated next. Before that, only the system ends the process. */
  Type.Object({ id: Type.Number(), begins: Type.Literal(true) }),
  Type.Object({ id: Type.Number(), described: Described }),
  Type.Object({
    id: Type.Number(),
    error: Type.Object({ name: Type.String(), message: Type.String(), stack: Type.Optional(Type.String()) }),
  }),
])
const answers = Compile(Answer)

export const createEvaluator = (
  { isRestricted, spawn }: SpawnEvaluator = forkEvaluator,
  limitMs = LIMIT_MS,
): Evaluator => {
  /** Each process evaluates one bundle at a time, so none waits for one that is slow. */
  const busy = new Map<EvaluatorProcess, Work>()
  let spare: EvaluatorProcess | undefined
  let lastId = 0
  let idle: NodeJS.Timeout | undefined
  let stopped = false

  const endSpare = () => {
    clearTimeout(idle)
    spare?.kill()
    spare = undefined
  }

  const keep = (child: EvaluatorProcess) => {
    endSpare()
    spare = child
    idle = setTimeout(endSpare, IDLE_MS).unref()
  }

  const start = (): EvaluatorProcess => {
    let started: EvaluatorProcess
    try {
      started = spawn()
    } catch (error) {
      // Node throws some errors of the system, such as ENOMEM, and emits others.
      throw notStarted(messageOf(error))
    }
    started.onMessage((message) => {
      const work = busy.get(started)
      if (!answers.Check(message)) return started.kill() // evaluated code shares the process, and may send any message
      if (message.id !== work?.id) return
      if ('begins' in message) work.hasBegun = true
      else work.end(evaluationOf(message), true)
    })
    started.onExit((reason) => {
      if (spare === started) spare = undefined
      const work = busy.get(started)
      if (work?.hasBegun === true) work.end(lost(`the process that reads schemas ended: ${reason}`), false)
      else work?.fail(notStarted(reason))
    })
    return started
  }

  const take = (): EvaluatorProcess => {
    const child = spare ?? start()
    if (child === spare) clearTimeout(idle)
    spare = undefined
    return child
  }

  const evaluate: Evaluator['evaluate'] = (code, signal) =>
    new Promise((resolve, reject) => {
      if (stopped) return reject(wasStopped())
      const isReused = spare !== undefined
      const child = take()
      const id = ++lastId
      const settle = (isReusable: boolean) => {
        clearTimeout(limit)
        signal?.removeEventListener('abort', onAbort)
        busy.delete(child)
        if (isReusable) keep(child)
        else child.kill()
      }
      const end = (evaluation: Evaluation, isReusable: boolean) => {
        // What was evaluated before may have defined a global that cannot be defined again.
        const isSure = !isReused || evaluation.kind !== 'threw'
        settle(isReusable && isSure)
        resolve(isSure ? evaluation : evaluate(code, signal))
      }
      const fail = (error: Error) => {
        settle(false)
        // What was evaluated before may end the process.
        if (isReused && !stopped) resolve(evaluate(code, signal))
        else reject(error)
      }
      const onAbort = () => end(lost('it was called off'), false)
      const limit = setTimeout(() => end(lost(`it took longer than ${limitMs / 1_000} s`), false), limitMs)
      signal?.addEventListener('abort', onAbort)
      busy.set(child, { id, hasBegun: false, end, fail })
      child.send({ id, code, limitMs: limitMs + LONGER_MS })
    })

  return {
    isRestricted,
    evaluate,
    stop: () => {
      stopped = true
      endSpare()
      for (const { fail } of [...busy.values()]) fail(wasStopped())
    },
  }
}

type Work = {
  readonly id: number
  hasBegun: boolean
  end(evaluation: Evaluation, isReusable: boolean): void
  fail(error: Error): void
}

const lost = (message: string): Evaluation => ({ kind: 'lost', message })

const wasStopped = (): Error => new Error('nothing more is evaluated')

const notStarted = (reason: string): Error => new Error(`the process that reads schemas could not start: ${reason}`)

const evaluationOf = (message: Exclude<Static<typeof Answer>, { begins: true }>): Evaluation =>
  'error' in message ? { kind: 'threw', ...message.error } : { kind: 'described', described: message.described }

/** Beside this module, in the sources and in a bundle. */
const ENDING = extname(import.meta.filename)
const ENTRY = join(import.meta.dirname, `evaluator-main${ENDING}`)

/** The process may read its own code only. */
const READABLE = ['.', '../shared', '../../package.json']

export const forkEvaluatorWith = (fork: Fork): SpawnEvaluator => ({
  isRestricted: fork.takesPermissions,
  spawn: () => spawnWith(fork),
})

const spawnWith = (fork: Fork): EvaluatorProcess => {
  const child = fork.start(ENTRY, [], {
    ...restrictedProcess(
      READABLE.map((path) => join(import.meta.dirname, path)),
      [`--max-old-space-size=${HEAP_MB}`],
    ),
    serialization: 'json',
  })
  child.unref()
  child.channel?.unref()
  return {
    send: (message) => {
      // If the process has just ended, its exit reports that.
      if (child.connected) child.send(message, () => undefined)
    },
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => {
      let over = false
      const once = (reason: string) => {
        if (over) return
        over = true
        listener(reason)
      }
      child.on('error', (error) => once(error.message))
      child.on('exit', (code, signal) => once(signal ?? `exit code ${code ?? 'unknown'}`))
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

const forkEvaluator = forkEvaluatorWith(nodeFork)
