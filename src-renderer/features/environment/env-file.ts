// Reads the text of a `.env` file as Node.js does. What Node.js would skip or cut without a word is reported. Pure.

import { nameFault, valueFault } from './variable-rules.ts'

export type EnvFile = {
  /** What can be set; of a name that is there twice, the last value. */
  readonly set: ReadonlyMap<string, string>
  /** Lines that are left out. They name no values. */
  readonly faults: readonly EnvNote[]
  /** Values that may not be what was meant. */
  readonly warnings: readonly EnvNote[]
}

export type EnvNote = { readonly line: number; readonly text: string }

type Read = { readonly value: string; readonly end: number; readonly fault?: string; readonly warning?: string }

export const readEnvFile = (text: string): EnvFile => {
  const whole = text.replace(/\r\n?/g, '\n')
  const set = new Map<string, string>()
  const faults: EnvNote[] = []
  const warnings: EnvNote[] = []
  let line = 1
  for (let at = 0; at < whole.length;) {
    const lineEnd = endOfLine(whole, at)
    const equals = whole.indexOf('=', at)
    const first = whole.slice(at, lineEnd).trim()
    if (first === '' || first.startsWith('#')) {
      at = lineEnd + 1
      line += 1
      continue
    }
    if (equals === -1 || equals > lineEnd) {
      faults.push({ line, text: 'is not NAME=value' })
      at = lineEnd + 1
      line += 1
      continue
    }
    const name = whole
      .slice(at, equals)
      .trim()
      .replace(/^export\s+/, '')
    const { value, end, fault, warning } = readValue(whole, equals + 1)
    const refused = nameFault(name) ?? fault ?? valueFault(value)
    if (refused !== undefined) faults.push({ line, text: `${shownName(name)}: ${refused}` })
    else {
      if (set.has(name)) warnings.push({ line, text: `${name} is there twice: the last one counts` })
      if (warning !== undefined) warnings.push({ line, text: `${name} ${warning}` })
      set.set(name, value)
    }
    line += whole.slice(at, end).split('\n').length
    at = end + 1
  }
  return { set, faults, warnings }
}

/** What stands before `=` may be part of a value of several lines, so only a name is repeated. */
const shownName = (name: string): string => (/^[A-Za-z0-9_.-]{1,128}$/.test(name) ? name : 'Before =')

const endOfLine = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

const readValue = (text: string, from: number): Read => {
  const end = endOfLine(text, from)
  const first = from + /^[ \t]*/.exec(text.slice(from, end))![0].length
  const quote = text[first] ?? ''
  if (!['"', "'", '`'].includes(quote)) return readPlain(text.slice(from, end), end)
  const closing = text.indexOf(quote, first + 1)
  if (closing === -1) return { value: '', end, fault: `the value has no closing ${quote}` }
  const inside = text.slice(first + 1, closing)
  const last = endOfLine(text, closing)
  const after = text.slice(closing + 1, last).trim()
  return {
    value: quote === '"' ? inside.replaceAll('\\n', '\n') : inside,
    end: last,
    ...(after !== '' && !after.startsWith('#') && { fault: `more follows after the closing ${quote}` }),
  }
}

const readPlain = (text: string, end: number): Read => {
  const [before = ''] = text.split('#', 1)
  const isCut = before.length < text.length && before !== '' && !/\s$/.test(before)
  return {
    value: before.trim(),
    end,
    ...(isCut && { warning: 'ends at its #: put it into quotes if # belongs to it' }),
  }
}
