// The last lines of the log as readable text, shown after a crash.

const LONGEST_LINE = 2_000

export type LogTail = {
  add(line: string): void
  /** The oldest first. */
  lines(count: number): readonly string[]
}

export const createLogTail = (capacity: number): LogTail => {
  const kept: string[] = []
  return {
    add: (line) => {
      kept.push(line)
      if (kept.length > capacity) kept.shift()
    },
    lines: (count) => kept.slice(-count).map(readable),
  }
}

/** `10:15:03Z warn something happened: the error's message {"port":3477}` */
const readable = (line: string): string => {
  try {
    const { level, time, msg, err, ...rest } = JSON.parse(line) as Readonly<Record<string, unknown>>
    const clock = typeof time === 'string' ? `${time.slice(11, 19)}Z` : ''
    const { message } = (err ?? {}) as { readonly message?: unknown }
    const cause = typeof message === 'string' ? `: ${message}` : ''
    const members = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`
    const said = typeof msg === 'string' ? msg : ''
    return `${clock} ${String(level)} ${said}${cause}${members}`.slice(0, LONGEST_LINE)
  } catch {
    return line.trimEnd().slice(0, LONGEST_LINE)
  }
}
