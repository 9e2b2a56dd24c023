// Turns evaluated definitions into manifest entries. Runs in the process that evaluated them, because schemas are live
// objects (see to-json-schema.ts).

import { beginningOf } from '../shared/beginning-of.ts'
import { isEventName, NAME_LIMIT } from '../shared/event-names.ts'
import { isWithin, RETRY_LIMITS } from '../shared/retry-limits.ts'
import { durationMs } from '../shared/durations.ts'
import { messageOf } from '../shared/message-of.ts'
import { PROGRAM_ID_PATTERN } from '../shared/patterns.ts'
import type { Described } from './evaluator.ts'
import { ConverterNeeded, isRecord, jsonSchemaOf, type Converters, type JsonSchema } from './to-json-schema.ts'

/** Marks the values that the define functions of a describing bundle return. */
const DEFINED = Symbol.for('wes.defined')

/** The result of a describing bundle, which has modules of one kind, by name, or the value of a `wes.config` module. */
export type EvaluatedModules = {
  readonly programs?: readonly (readonly [path: string, exports: Exports])[]
  readonly effects?: readonly (readonly [path: string, exports: Exports])[]
  readonly config?: unknown
  /** For libraries whose schemas cannot convert themselves to JSON Schema. */
  readonly converters: Converters
}

type Exports = Readonly<Record<string, unknown>>

const PROGRAM_ID = new RegExp(PROGRAM_ID_PATTERN)

export const describeModules = (modules: EvaluatedModules): Described => ({
  programs: (modules.programs ?? []).flatMap(([path, exports]) => [
    ...definitionsIn(exports, 'program').map(([exportName, mark]) => ({
      path,
      exportName,
      ...attempt(() => orConverter(() => describeProgram(optionsOf(mark, PROGRAM), modules.converters))),
    })),
    ...listsIn(exports).map(([exportName, list]) => ({
      path,
      exportName,
      kind: 'fault' as const,
      message: `the Programs in this ${list} are not exported: export each by name`,
      isList: true as const,
    })),
  ]),
  effects: (modules.effects ?? []).flatMap(([path, exports]) =>
    definitionsIn(exports, 'effect').map(([exportName, mark]) => ({
      path,
      exportName,
      ...attempt(() => describeEffect(optionsOf(mark, EFFECT))),
    })),
  ),
  ...(modules.config !== undefined && { config: plainConfig(modules.config) }),
})

/** Refuses what the answer's JSON would turn into an empty object or leave out. */
const plainConfig = (config: unknown): unknown => {
  const kind = typeof config === 'function' ? 'function' : config instanceof Promise ? 'promise' : undefined
  if (kind === undefined) return config
  throw new TypeError(`its default export is a ${kind}: export the object itself`)
}

const definitionsIn = (exports: Exports, kind: string): readonly (readonly [string, Mark])[] =>
  Object.keys(exports)
    .toSorted()
    .flatMap((name) => {
      const mark = markOf(exports[name])
      return mark?.['kind'] === kind ? [[name, mark] as const] : []
    })

/** `wanted`: in the words of the define function, which throws when the definition is loaded. */
type DefineFunction = { readonly name: string; readonly wanted: string; readonly options: readonly string[] }
const PROGRAM: DefineFunction = {
  name: 'defineProgram',
  wanted: 'defineProgram takes options with an id, and the function that is the Program',
  options: ['id', 'description', 'input', 'events', 'label'],
}
const EFFECT: DefineFunction = {
  name: 'defineEffect',
  wanted: 'defineEffect takes the options of an effect, and its function',
  options: ['retry', 'timeout'],
}

/** A misspelt option would be ignored: a Program without its schema, or an effect with another policy. */
const optionsOf = ({ options, hasFunction }: Mark, called: DefineFunction): Readonly<Record<string, unknown>> => {
  if (!isRecord(options) || hasFunction !== true) throw new TypeError(called.wanted)
  const unknown = Object.keys(options).find((name) => options[name] !== undefined && !called.options.includes(name))
  if (unknown === undefined) return options
  throw new TypeError(`${called.name} has no option "${unknown}": it has ${called.options.join(', ')}`)
}

type Mark = Readonly<Record<PropertyKey, unknown>>

const markOf = (value: unknown): Mark | undefined => {
  if (!isRecord(value) && typeof value !== 'function') return undefined
  const mark = (value as Readonly<Record<symbol, unknown>>)[DEFINED]
  return isRecord(mark) ? mark : undefined
}

const LEVELS = 2

/** The exported arrays and objects with Programs that the module does not export itself. */
const listsIn = (exports: Exports): readonly (readonly [string, 'array' | 'object'])[] => {
  const exported = new Set(Object.values(exports))
  const holds = (list: unknown, levels = LEVELS): boolean =>
    isList(list) &&
    Object.values(list).some(
      (item) =>
        (markOf(item)?.['kind'] === 'program' && !exported.has(item)) || (levels > 1 && holds(item, levels - 1)),
    )
  return Object.entries(exports).flatMap(([name, value]) =>
    holds(value) ? [[name, Array.isArray(value) ? 'array' : 'object'] as const] : [],
  )
}

const isList = (value: unknown): value is object =>
  isRecord(value) &&
  markOf(value) === undefined &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

type Fault = { readonly kind: 'fault'; readonly message: string }

const attempt = <Outcome>(describe: () => Outcome): Outcome | Fault => {
  try {
    return describe()
  } catch (error) {
    return { kind: 'fault', message: messageOf(error) }
  }
}

const orConverter = <Outcome>(describe: () => Outcome) => {
  try {
    return describe()
  } catch (error) {
    if (error instanceof ConverterNeeded) return { kind: 'converter_needed' as const, vendor: error.vendor }
    throw error
  }
}

const describeProgram = (options: Readonly<Record<string, unknown>>, converters: Converters) => {
  const { id, description, input, events, label } = options
  if (typeof id !== 'string' || !PROGRAM_ID.test(id)) {
    throw new Error(
      `the id of a Program must be 1 to 128 letters, digits, dots, hyphens and underscores, and begin with a letter or digit; it is ${shown(id)}`,
    )
  }
  if (description !== undefined && typeof description !== 'string') {
    throw new Error(`the description of Program "${id}" must be text`)
  }
  if (label !== undefined && typeof label !== 'function') {
    throw new Error(`the label of Program "${id}" must be a function of its input`)
  }
  if (events !== undefined && !Array.isArray(events)) {
    throw new Error(`the events of Program "${id}" must be an array of events from defineEvent`)
  }
  const inputSchema = jsonSchemaOf(input, `the input of Program "${id}"`, converters)
  return {
    kind: 'program' as const,
    id,
    ...(description !== undefined && { description }),
    ...(inputSchema !== undefined && { inputSchema }),
    events: describeEvents(id, (events ?? []) as readonly unknown[], converters),
  }
}

const describeEvents = (id: string, events: readonly unknown[], converters: Converters) => {
  const described = new Map<string, { readonly name: string; readonly payloadSchema?: JsonSchema }>()
  for (const event of events) {
    const name = isRecord(event) ? event['name'] : undefined
    if (typeof event === 'string') {
      const shown = JSON.stringify(event)
      throw new Error(
        `the events of Program "${id}" must come from defineEvent: write defineEvent(${shown}) for ${shown}`,
      )
    }
    if (!isRecord(event) || typeof name !== 'string' || !isEventName(name)) {
      throw new Error(
        `the events of Program "${id}" must come from defineEvent, with names of 1 to ${NAME_LIMIT} characters, none of them U+0000 or half a surrogate pair`,
      )
    }
    const payloadSchema = jsonSchemaOf(event['schema'], `the payload of event "${name}"`, converters)
    if (described.has(name)) throw new Error(`Program "${id}" lists event "${name}" twice`)
    described.set(name, { name, ...(payloadSchema !== undefined && { payloadSchema }) })
  }
  return [...described.values()]
}

const INTERVAL = {
  wanted: 'a duration of at most 365 days: milliseconds, or text such as "90s"',
  isValid: (value: unknown) => isWithin(RETRY_LIMITS.intervalMs, durationMs(value)),
}

const RETRY = {
  maxAttempts: {
    wanted: 'an integer from 1 to 1,000,000',
    isValid: (value: unknown) => Number.isInteger(value) && isWithin(RETRY_LIMITS.maxAttempts, value),
  },
  initialInterval: INTERVAL,
  backoffCoefficient: {
    wanted: 'a number from 1 to 100',
    isValid: (value: unknown) => isWithin(RETRY_LIMITS.backoffCoefficient, value),
  },
  maxInterval: INTERVAL,
}

const describeEffect = ({ retry, timeout }: Readonly<Record<string, unknown>>) => {
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout)
  if (timeout !== undefined && (timeoutMs === undefined || timeoutMs === 0)) {
    throw new Error(`timeout must be a duration above 0: milliseconds, or text such as "90s"; it is ${shown(timeout)}`)
  }
  if (retry !== undefined && !isRecord(retry)) throw new Error(`retry must be an object; it is ${shown(retry)}`)
  const policy: Record<string, number | string> = {}
  for (const [name, value] of Object.entries(retry ?? {})) {
    if (value === undefined) continue
    if (!Object.hasOwn(RETRY, name)) throw new Error(`retry has no "${name}": it has ${Object.keys(RETRY).join(', ')}`)
    const { wanted, isValid } = RETRY[name as keyof typeof RETRY]
    if (!isValid(value)) throw new Error(`retry.${name} must be ${wanted}; it is ${shown(value)}`)
    policy[name] = value as number | string
  }
  return {
    kind: 'effect' as const,
    ...(retry !== undefined && { retry: policy }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${beginningOf(text, 80)}…` : text
}
