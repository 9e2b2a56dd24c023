// How lines of a log look: for a person at night, a level is a word and a time is ISO 8601, where pino writes numbers.

import { type LoggerOptions, stdTimeFunctions } from 'pino'

export const LOG_LINES = {
  base: undefined,
  formatters: { level: (level) => ({ level }) },
  timestamp: stdTimeFunctions.isoTime,
} satisfies LoggerOptions
