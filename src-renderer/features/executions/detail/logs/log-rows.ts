import { type EntryLine, LOG_LEVELS, type LogLevel } from '../journal/entry-line.ts'

/** The logs of these levels (none: all levels) that contain a text. */
export const logRows = (
  lines: readonly EntryLine[],
  levels: readonly LogLevel[],
  matches: ((line: EntryLine) => boolean) | undefined,
): readonly EntryLine[] =>
  lines.filter(
    (line) =>
      line.level !== undefined &&
      (levels.length === 0 || levels.includes(line.level)) &&
      (matches === undefined || matches(line)),
  )

export const countLevels = (lines: readonly EntryLine[]): ReadonlyMap<LogLevel, number> => {
  const counts = new Map<LogLevel, number>(LOG_LEVELS.map((level) => [level, 0]))
  for (const { level } of lines) if (level !== undefined) counts.set(level, counts.get(level)! + 1)
  return counts
}

/** A log line for the clipboard: `2026-11-20T18:03:07.123Z info  charged 7 cents`. */
export const logText = (at: number, level: LogLevel, message: string): string =>
  `${new Date(at).toISOString()} ${level.padEnd(5)} ${message}`
