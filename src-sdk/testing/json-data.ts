// Sends values through JSON text, so that a test sees what an Execution would: a Date arrives as text, and undefined
// members are absent.

export const LARGEST_BYTES = 1024 * 1024
export const DEEPEST = 256

export type Travelled =
  | { readonly kind: 'value'; readonly text: string | undefined }
  /** `why`: the message of what `JSON.stringify` threw, or what else is wrong. */
  | { readonly kind: 'not_json'; readonly why: string }
  /** A function or a symbol, which JSON lacks. */
  | { readonly kind: 'other_type'; readonly type: string }
  | { readonly kind: 'too_deep' }
  | { readonly kind: 'too_large'; readonly bytes: number }

/** The JSON text of a value; undefined for `undefined`. */
export const travel = (given: unknown): Travelled => {
  if (given === undefined) return { kind: 'value', text: undefined }
  let text: string | undefined
  try {
    text = JSON.stringify(given)
  } catch (error) {
    if (isStackOverflow(error)) return { kind: 'too_deep' }
    return { kind: 'not_json', why: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error) }
  }
  if (text === undefined) {
    return typeof given === 'object'
      ? { kind: 'not_json', why: 'its toJSON() returns no JSON' }
      : { kind: 'other_type', type: typeof given }
  }
  const bytes = utf8Length(text)
  if (bytes > LARGEST_BYTES) return { kind: 'too_large', bytes }
  return isDeeperThan(JSON.parse(text), DEEPEST) ? { kind: 'too_deep' } : { kind: 'value', text }
}

/** The name of the first member of this kind, as JSON: `""` is the value itself. Empty if there is none, or if it cannot be told. */
const memberThat = (isOfKind: (member: unknown) => boolean, given: unknown): string => {
  let name = ''
  try {
    JSON.stringify(given, (key, member: unknown) => {
      if (isOfKind(member)) name ||= JSON.stringify(key)
      return name === '' ? member : undefined
    })
  } catch {
    // A getter or toJSON() threw.
  }
  return name
}

/** As in the sandbox (src-runtime/sandbox/guest/payload.js), which does not look into longer values. */
const LONGEST_WALKED = 65_536

/** The name of a member that is a promise, as JSON: what a forgotten await leaves is `{}`. Empty if there is none. */
export const promiseIn = (given: unknown, text: string | undefined): string =>
  text === undefined || text.length > LONGEST_WALKED || !text.includes('{}')
    ? ''
    : memberThat((member) => member instanceof Promise, given)

/** The name of the first member that is an object around it, as JSON. Empty if there is none, or if it cannot be told. */
const memberOfItself = (given: unknown): string => {
  const around: unknown[] = []
  let name = ''
  try {
    JSON.stringify(given, function (this: unknown, key, member: unknown) {
      while (around.length > 0 && around.at(-1) !== this) around.pop()
      if (around.includes(member)) name ||= JSON.stringify(key)
      if (name !== '' || around.length === DEEPEST) return undefined
      around.push(member)
      return member
    })
  } catch {
    // A getter or toJSON() threw.
  }
  return name
}

/** What to do about a result that is not JSON; may be empty. */
export const adviceFor = (given: unknown): string => {
  const name = memberThat((member) => typeof member === 'bigint', given)
  if (name === '') {
    const circular = memberOfItself(given)
    return circular === '' ? '' : `. Its member ${circular} is an object that contains it: leave it out`
  }
  return `. ${name === '""' ? 'It' : `Its member ${name}`} is a BigInt: make it a text with String(…), or a number with Number(…)`
}

const isStackOverflow = (error: unknown): boolean =>
  error instanceof RangeError && error.message === 'Maximum call stack size exceeded'

/** What is wrong with a value, to be read behind its name. */
export const faultOf = (travelled: Exclude<Travelled, { readonly kind: 'value' }>): string => {
  switch (travelled.kind) {
    case 'not_json':
      return `is not JSON: ${travelled.why}`
    case 'other_type':
      return `is not JSON: it is a ${travelled.type}`
    case 'too_deep':
      return `is nested deeper than ${DEEPEST} levels`
    case 'too_large':
      return 'is larger than 1 MiB as JSON'
  }
}

export const utf8Length = (text: string): number => {
  let bytes = 0
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4
  }
  return bytes
}

/** Text without halves of surrogate pairs, as `toWellFormed` of newer JavaScript returns it. */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd')

export const isDeeperThan = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1))
}

/** Makes a JSON object from members in JSON text, without undefined ones. */
export const jsonObject = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(members)
    .flatMap(([name, text]) => (text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]))
    .join(',')}}`

export const memberOf = (text: string, name: string): unknown => (JSON.parse(text) as Record<string, unknown>)[name]
