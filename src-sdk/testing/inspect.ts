// Formats values for logs as src-runtime/sandbox/guest/inspect.js does, which needs the sandbox's engine. Never calls
// getters, so formatting does not change a value. A Proxy may run its traps; their errors are caught.

const DEEPEST = 5
const MOST_MEMBERS = 100
/** A limit for one log call, so that logging a huge value stays cheap. */
const MOST_PARTS = 2000
/** A prototype chain may be a Proxy that never ends. */
const LONGEST_CHAIN = 20
const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/
const INDEX = /^\d+$/
const FRAMES = /^\s+at /m

/** The values that contain a value. */
type Above = { readonly value: object; readonly up: Above | undefined; readonly depth: number }

let partsLeft = 0
let showsFrames = true

/** Formats the arguments of one log call. */
export const inspectAll = (values: readonly unknown[]): string => {
  partsLeft = MOST_PARTS
  const [template] = values
  const filled = values.length > 1 && typeof template === 'string' ? fillIn(template, values) : undefined
  const others = values.slice(filled?.used ?? 0).map((value) => describe(value, undefined, false))
  return [...(filled === undefined ? [] : [filled.text]), ...others].join(' ')
}

/** Formats a thrown value, without the frames of errors in it. */
export const inspectThrown = (value: unknown): string => {
  showsFrames = false
  try {
    return inspectAll([value])
  } finally {
    showsFrames = true
  }
}

const fillIn = (template: string, values: readonly unknown[]): { readonly text: string; readonly used: number } => {
  let used = 1
  const text = template.replaceAll(/%([sdifoOjc%])/g, (directive, letter: string) => {
    if (letter === '%') return '%'
    return used < values.length ? filledIn(letter, values[used++]) : directive
  })
  return { text, used }
}

const filledIn = (letter: string, value: unknown): string => {
  if (letter === 'c') return ''
  if (letter === 'i' && typeof value === 'number') return String(Math.trunc(value))
  return describe(value, undefined, letter === 'o' || letter === 'O' || letter === 'j')
}

/** Undefined if the value has another type than `read` expects: built-in functions check that. */
const attempt = <Read>(read: () => Read): Read | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const getterOf = (prototype: object, key: PropertyKey): ((value: object) => unknown) => {
  const get = Reflect.getOwnPropertyDescriptor(prototype, key)?.get
  return (value) => (get === undefined ? undefined : (Reflect.apply(get, value, []) as unknown))
}

const mapSize = getterOf(Map.prototype, 'size') as (value: object) => number
const setSize = getterOf(Set.prototype, 'size') as (value: object) => number
const arrayTag = getterOf(Reflect.getPrototypeOf(Uint8Array.prototype) as object, Symbol.toStringTag)
const byteLength = getterOf(ArrayBuffer.prototype, 'byteLength') as (value: object) => number

const dataProperty = (object: object, key: PropertyKey): unknown =>
  Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown

const inherited = (object: object, key: PropertyKey): unknown => {
  let step: object | null = object
  for (let depth = 0; step !== null && depth < LONGEST_CHAIN; depth++) {
    const descriptor = Reflect.getOwnPropertyDescriptor(step, key)
    if (descriptor !== undefined) return descriptor.value as unknown
    step = Reflect.getPrototypeOf(step)
  }
  return undefined
}

const textOrNone = (value: unknown): string => (typeof value === 'string' ? value : '')

const constructorName = (object: object): string => {
  const made = inherited(object, 'constructor')
  return typeof made === 'function' ? textOrNone(dataProperty(made, 'name')) : ''
}

const keyText = (key: string | symbol): string => {
  if (typeof key === 'symbol') return `[${String(key)}]`
  return PLAIN_KEY.test(key) ? key : JSON.stringify(key)
}

const primitiveText = (value: unknown, isInner: boolean): string => {
  if (typeof value === 'string') return isInner ? JSON.stringify(value) : value
  if (Object.is(value, -0)) return '-0'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

const functionLabel = (value: object): string => {
  const name = textOrNone(dataProperty(value, 'name'))
  const text = attempt(() => Function.prototype.toString.call(value)) ?? ''
  const kind = text.startsWith('class ') ? 'class' : 'Function'
  return name === '' ? `[${kind} (anonymous)]` : `[${kind}: ${name}]`
}

const join = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(', ')
const listed = (open: string, parts: string, close: string): string =>
  parts === '' ? open + close : `${open} ${parts} ${close}`

const isInside = (above: Above | undefined, value: object): boolean => {
  for (let step = above; step !== undefined; step = step.up) if (step.value === value) return true
  return false
}

const memberText = (descriptor: PropertyDescriptor, above: Above): string => {
  if (descriptor.get !== undefined) return descriptor.set === undefined ? '[Getter]' : '[Getter/Setter]'
  return descriptor.set === undefined ? describe(descriptor.value, above, true) : '[Setter]'
}

const membersText = (object: object, above: Above, skipsIndexes = false): string => {
  const parts: string[] = []
  for (const key of Reflect.ownKeys(object)) {
    if (skipsIndexes && typeof key === 'string' && INDEX.test(key)) continue
    const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
    if (descriptor?.enumerable !== true) continue
    if (parts.length >= MOST_MEMBERS || partsLeft <= 0) return join([...parts, '… more'])
    parts.push(`${keyText(key)}: ${memberText(descriptor, above)}`)
  }
  return join(parts)
}

const itemsText = (object: object, count: number, above: Above): string => {
  const parts: string[] = []
  for (let at = 0; at < count; at++) {
    if (at >= MOST_MEMBERS || partsLeft <= 0) return join([...parts, `… ${count - at} more`])
    const descriptor = Reflect.getOwnPropertyDescriptor(object, at)
    parts.push(descriptor === undefined ? '<empty>' : memberText(descriptor, above))
  }
  return join(parts)
}

const entriesText = <Entry>(
  name: string,
  size: number,
  entries: Iterable<Entry>,
  entryText: (entry: Entry) => string,
): string => {
  const parts: string[] = []
  for (const entry of entries) {
    if (parts.length === MOST_MEMBERS || partsLeft <= 0) {
      parts.push('… more')
      break
    }
    parts.push(entryText(entry))
  }
  return listed(`${name}(${size}) {`, join(parts), '}')
}

/** Newer engines give each error an accessor with this getter. */
const stackGetter = Reflect.getOwnPropertyDescriptor(new Error('any'), 'stack')?.get

/** The frames alone: this engine puts name and message before them, as they were when the error was created. */
const framesOf = (error: object, header: string): string => {
  const own = Reflect.getOwnPropertyDescriptor(error, 'stack')
  const isOwnGetter = own !== undefined && own.get === stackGetter
  const stack: unknown = stackGetter !== undefined && isOwnGetter ? Reflect.apply(stackGetter, error, []) : own?.value
  if (typeof stack !== 'string' || stack === '') return ''
  const begin = stack.search(FRAMES)
  if (begin >= 0) return `\n${stack.slice(begin).trimEnd()}`
  return stack.startsWith(header) || stack.startsWith('Error') ? '' : `\n${stack.trimEnd()}`
}

const errorText = (error: object, above: Above): string => {
  const isDomException = Object.prototype.toString.call(error) === '[object DOMException]'
  const read = (key: 'name' | 'message'): string =>
    textOrNone(isDomException ? (error as Error)[key] : inherited(error, key))
  const [name, message] = [read('name'), read('message')]
  const header = message === '' ? name || 'Error' : name === '' ? message : `${name}: ${message}`
  const hidden = ['cause', 'errors'].map((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(error, key)
    return descriptor === undefined || descriptor.enumerable === true ? '' : `${key}: ${memberText(descriptor, above)}`
  })
  const members = join([membersText(error, above), ...hidden])
  const text = header + (showsFrames ? framesOf(error, header) : '')
  return members === '' ? text : `${text}\n{ ${members} }`
}

const plainText = (object: object, above: Above): string => {
  const name = Reflect.getPrototypeOf(object) === null ? '[null prototype]' : constructorName(object)
  const pattern = name === 'RegExp' ? attempt(() => RegExp.prototype.toString.call(object)) : undefined
  if (pattern !== undefined) return pattern
  if (name === 'DOMException' || name.endsWith('Error')) return errorText(object, above)
  return listed(name === 'Object' || name === '' ? '{' : `${name} {`, membersText(object, above), '}')
}

const isError = (value: object): boolean => Object.prototype.toString.call(value) === '[object Error]'

const objectText = (object: object, above: Above): string => {
  if (isError(object)) return errorText(object, above)
  if (typeof object === 'function') return functionLabel(object)
  if (Array.isArray(object)) {
    return listed('[', join([itemsText(object, object.length, above), membersText(object, above, true)]), ']')
  }
  const tag = ArrayBuffer.isView(object) ? textOrNone(arrayTag(object)) : ''
  if (tag !== '') {
    const { length } = object as Uint8Array
    return listed(`${tag}(${length}) [`, itemsText(object, length, above), ']')
  }
  const time = attempt(() => Date.prototype.getTime.call(object))
  if (time !== undefined) return Number.isNaN(time) ? 'Invalid Date' : Date.prototype.toISOString.call(object)
  const inner = (value: unknown): string => describe(value, above, true)
  const size = attempt(() => mapSize(object))
  if (size !== undefined) {
    const entries = Map.prototype.entries.call(object as Map<unknown, unknown>)
    return entriesText('Map', size, entries, ([key, value]) => `${inner(key)} => ${inner(value)}`)
  }
  const elements = attempt(() => setSize(object))
  if (elements !== undefined) {
    return entriesText('Set', elements, Set.prototype.values.call(object as Set<unknown>), inner)
  }
  const bytes = attempt(() => byteLength(object))
  return bytes === undefined ? plainText(object, above) : `ArrayBuffer(${bytes})`
}

const describe = (value: unknown, above: Above | undefined, isInner: boolean): string => {
  partsLeft--
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return primitiveText(value, isInner)
  if (isInside(above, value)) return '[Circular]'
  const depth = above === undefined ? 0 : above.depth + 1
  try {
    if (depth > DEEPEST) {
      return Array.isArray(value) ? '[Array]' : typeof value === 'function' ? functionLabel(value) : '[Object]'
    }
    return objectText(value, { value, up: above, depth })
  } catch {
    return '[unreadable]'
  }
}
