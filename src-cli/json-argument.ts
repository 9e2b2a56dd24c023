// Reads JSON from the command line: literal, from @FILE, or from standard input (-).

import { readFile } from 'node:fs/promises'
import { holdsInfinity } from '#runtime/shared/holds-infinity.ts'
import { findJsonError } from '#runtime/shared/json-error-place.ts'
import { statOf } from '#runtime/shared/stat-of.ts'
import { UsageError } from './failures.ts'
import { reasonOf } from './reason-of.ts'
import { shellWord } from './shell-word.ts'
import { printable } from './text.ts'
import type { Terminal } from './terminal.ts'

export type Sources = {
  readonly readFile: (path: string) => Promise<string>
  readonly readStdin: () => Promise<string>
  /** Tells the user about a value that is sent all the same. */
  readonly warn: (text: string) => void
}

export const sourcesOn = (
  { err }: Pick<Terminal, 'err'>,
  stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean } = process.stdin,
): Sources => ({
  readFile: async (path) => textOf(await readFile(path), 'it is not UTF-8'),
  readStdin: async () => {
    if (stdin.isTTY === true) {
      const end = process.platform === 'win32' ? 'Ctrl-Z and Enter' : 'Ctrl-D'
      err(`reading standard input; ${end} on a line of its own ends it\n`)
    }
    return textOf(await bytesOf(stdin), 'standard input is not UTF-8')
  },
  warn: (text) => err(`wes: ${printable(text)}\n`),
})

/** More than any request may have, also without white space. */
const LARGEST_MIB = 64

const bytesOf = async (stdin: NodeJS.ReadableStream): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of stdin as AsyncIterable<Buffer>) {
    size += part.length
    if (size > LARGEST_MIB * 1024 ** 2) throw new UsageError(`standard input is larger than ${LARGEST_MIB} MiB`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Other encodings are refused, because all their letters beyond ASCII would be replaced by one character. */
const textOf = (bytes: Uint8Array, fault: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError(fault)
  }
}

/** What holds the JSON of an argument, in messages. `name` is the argument's name, such as `--input`. */
export const sourceOf = (name: string, argument: string): string => {
  if (argument === '-' || argument === '@-') return `${name} (standard input)`
  return argument.startsWith('@') ? argument.slice(1) : name
}

/** `name` is the argument's name in messages, such as `--input`. */
export const readJsonArgument = async (name: string, argument: string, sources: Sources): Promise<unknown> => {
  const source = sourceOf(name, argument)
  const content = await contentOf(name, argument, source, sources)
  const value = parseArgument(source, content, argument)
  const rounded = findRounded(content)
  if (rounded !== undefined) {
    const { digits, value: kept } = rounded
    sources.warn(
      `${source}: ${digits} becomes ${kept}, because numbers beyond 2^53 lose digits. Send it as text to keep them.`,
    )
  }
  return value
}

const parseArgument = (source: string, content: string, argument: string): unknown => {
  try {
    return parseJson(source, content)
  } catch (error) {
    const hint = error instanceof UsageError && content === argument ? hintForLiteral(argument) : undefined
    throw hint === undefined ? error : new UsageError(`${(error as UsageError).message}\n${hint}`)
  }
}

/** Says how to pass what is not JSON as it stands. */
const hintForLiteral = (argument: string): string | undefined => {
  if (statOf(argument)?.isFile() === true) return `(Did you mean ${shellWord(`@${argument}`)}?)`
  // Shells take quotes away that are not in other quotes; PowerShell 5 also some that are.
  if (/^\s*[[{][^"]+$/.test(argument) || argument.startsWith('{\\"'))
    return 'JSON has double quotes around names and texts. If your shell changes them, pass the JSON as @FILE, or as - for standard input.'
  if (/^[\p{L}][\p{L}\d _-]*$/u.test(argument)) return `(Did you mean ${shellWord(JSON.stringify(argument))}?)`
  return undefined
}

const contentOf = async (name: string, argument: string, source: string, sources: Sources): Promise<string> => {
  if (argument === '-' || argument === '@-') return sources.readStdin()
  if (!argument.startsWith('@')) return argument
  if (source === '') throw new UsageError(`${name}: @ needs the path of a file`)
  try {
    return await sources.readFile(source)
  } catch (error) {
    throw new UsageError(`${name}: cannot read ${source}: ${reasonOf(error)}`)
  }
}

export const parseJson = (where: string, content: string): unknown => {
  const json = content.replace(/^\ufeff/, '')
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    if (json.trim() === '') throw new UsageError(`${where}: expected JSON, found nothing`)
    throw new UsageError(describe(where, json))
  }
  // It would be sent as null.
  if (holdsInfinity(json, value)) throw new UsageError(`${where}: a number is too large`)
  return value
}

const ESCAPE_QUOTE_OR_NUMBER = /\\.|"|-?\d[\d.eE+-]*/g

/** The first integer that loses digits, because it is beyond 2^53. JSON may be nested too deeply for a reviver. */
const findRounded = (json: string): { readonly digits: string; readonly value: number } | undefined => {
  let isInText = false
  for (const [token] of json.matchAll(ESCAPE_QUOTE_OR_NUMBER)) {
    if (token === '"') isInText = !isInText
    if (isInText || !/^-?\d{16,}$/.test(token)) continue
    const value = Number(token)
    if (significant(String(value)) !== significant(token)) return { digits: token, value }
  }
  return undefined
}

/** The digits without zeros at the end, and without the exponent. */
const significant = (number: string): string => number.replace(/e.*|\D/g, '').replace(/0+$/, '')

const describe = (where: string, json: string): string => {
  const { line, column, expected } = findJsonError(json)
  const source = json.split('\n')[line - 1] ?? ''
  const from = Math.max(0, column - 1 - 30)
  const shown = source.slice(from, column - 1 + 30)
  return `${where}: invalid JSON at line ${line}, column ${column}: expected ${expected}\n  ${shown}\n  ${' '.repeat(column - 1 - from)}^`
}
