// Parses the durations that authors write, in the same way as the sandbox: milliseconds, or text such as "90s", "2h",
// "7 days", "1h 30m".

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const UNITS: readonly (readonly [names: string, ms: number])[] = [
  ['ms msec msecs millisecond milliseconds', 1],
  ['s sec secs second seconds', SECOND],
  ['m min mins minute minutes', MINUTE],
  ['h hr hrs hour hours', HOUR],
  ['d day days', DAY],
  ['w week weeks', 7 * DAY],
]

const MS = new Map(UNITS.flatMap(([names, ms]) => names.split(' ').map((name) => [name, ms] as const)))

const PART = /\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z]+)\s*/iy

/** Characters. */
export const DURATION_LIMIT = 199

const anyCase = (name: string): string => [...name].map((letter) => `[${letter}${letter.toUpperCase()}]`).join('')

const PART_PATTERN = `(?:\\d+(?:\\.\\d+)?|\\.\\d+)\\s*(?:${[...MS.keys()].map(anyCase).join('|')})`
/** Of a text that is a duration, for those who have no other way to check it. */
export const DURATION_PATTERN = `^\\s*${PART_PATTERN}(?:\\s*${PART_PATTERN})*\\s*$`

/** Whole milliseconds, rounded up; undefined if `value` is not a duration. */
export const durationMs = (value: unknown): number | undefined => {
  const ms = typeof value === 'string' ? textMs(value) : value
  return typeof ms === 'number' && Number.isFinite(ms) && ms >= 0 ? Math.ceil(ms) : undefined
}

const textMs = (text: string): number | undefined => {
  if (text.length > DURATION_LIMIT) return undefined
  let total = 0
  let at = 0
  do {
    PART.lastIndex = at
    const part = PART.exec(text)
    const unit = part === null ? undefined : MS.get(part[2]!.toLowerCase())
    if (part === null || unit === undefined) return undefined
    total += Number(part[1]) * unit
    at = PART.lastIndex
  } while (at < text.length)
  return total
}
