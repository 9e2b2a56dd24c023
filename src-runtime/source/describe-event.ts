// What `wes dev` prints about the project's source. It prints nothing for a save that changes nothing.

import type { SourceError } from './source-error.ts'
import type { SourceEvent } from './source.ts'

export type Paint = (text: string, colour: 'red' | 'green' | 'amber' | 'blue' | 'dim') => string

export const plain: Paint = (text) => text

const CODES = { red: 31, green: 32, amber: 33, blue: 34, dim: 2 }

export const coloured: Paint = (text, colour) => `\u001b[${CODES[colour]}m${text}\u001b[0m`

/** Lines with line breaks; empty if there is nothing to print. `columns`: the width to which lines of source are cut. */
export const describeEvent = (event: SourceEvent, paint: Paint = plain, columns = Infinity): string => {
  const lines = linesOf(event, paint, columns)
  return lines.map((line) => `${line}\n`).join('')
}

const linesOf = (event: SourceEvent, paint: Paint, columns: number): readonly string[] => {
  switch (event.kind) {
    case 'ready':
      return [readyLine(event, paint)]
    case 'discovered':
      return [programLine(paint(event.isNew ? 'new' : 'found', event.isNew ? 'green' : 'dim'), event, paint)]
    case 'changed':
      return [
        `${programLine(paint('changed', 'green'), event, paint)} ${paint(`in ${Math.round(event.tookMs)} ms`, 'dim')}`,
      ]
    case 'unchanged':
      return event.wasFailing ? [programLine(paint('fixed', 'green'), event, paint)] : []
    case 'fixed':
      return [`${paint('fixed', 'green')} ${safe(event.path)}`]
    case 'deleted':
      return [
        `${paint('deleted', 'amber')} ${safe(event.programId)} ${paint(safe(event.path), 'dim')}: its Executions continue, new ones cannot start from this file`,
      ]
    case 'folder':
      return [
        event.isMissing
          ? `${paint('missing', 'amber')} ${safe(event.folder)} does not exist: its Programs are read again once it is back`
          : `${paint('found', 'dim')} ${safe(event.folder)} again`,
      ]
    case 'failed':
      return event.errors.flatMap((error) => errorLines(error, paint, columns))
    case 'slow':
      return [
        `${paint('reading', 'dim')} ${safe(event.folder)} takes long, as with a large package: what has changed is deployed afterwards`,
      ]
    case 'warning':
      return [`${paint('warning', 'amber')} ${safe(event.message)}`]
  }
}

type Versioned = { readonly programId: string; readonly path: string; readonly versionNumber: number }

const programLine = (what: string, { programId, path, versionNumber }: Versioned, paint: Paint): string =>
  `${what} ${safe(programId)} version ${versionNumber} ${paint(safe(path), 'dim')}`

const readyLine = (
  { folder, programs, expectedIn, failed, tookMs }: Extract<SourceEvent, { kind: 'ready' }>,
  paint: Paint,
): string => {
  const found = programs === 0 ? 'no Programs' : programs === 1 ? '1 Program' : `${programs} Programs`
  const faults = failed === 0 ? '' : paint(`, ${failed} file${failed === 1 ? '' : 's'} with errors`, 'red')
  const hint = programs === 0 && failed === 0 ? paint(` (expected in ${safe(expectedIn.join(', '))})`, 'dim') : ''
  return `${found}${faults} in ${safe(folder)}${hint} ${paint(`in ${Math.round(tookMs)} ms`, 'dim')}`
}

const errorLines = ({ message, frame }: SourceError, paint: Paint, columns: number): readonly string[] => {
  const [first = '', ...more] = safe(message).split('\n')
  const body = frame === '' ? [] : cutTo(columns, safe(frame).split('\n')).map((line) => frameLine(line, paint))
  return [`${paint('error', 'red')} ${first}`, ...more, ...body, '']
}

const NARROWEST = 20
/** The place of the line numbers, what is before the mark, and the mark. */
const MARK = /^( +\| )( *)(\^+)$/

/** Where the terminal would wrap a line, the mark would be below another place of it. */
const cutTo = (columns: number, frame: readonly string[]): readonly string[] => {
  const [, gutter = '', before = '', mark = ''] = frame.map((line) => MARK.exec(line)).find((found) => found) ?? []
  const room = Math.max(NARROWEST, columns - gutter.length)
  const from = before.length + mark.length <= room ? 0 : Math.max(0, before.length - Math.floor(room / 2))
  return frame.map((line) => line.slice(0, gutter.length) + line.slice(gutter.length).slice(from, from + room))
}

const frameLine = (line: string, paint: Paint): string => {
  if (line.startsWith('>')) return line
  return MARK.test(line) ? paint(line, 'red') : paint(line, 'dim')
}

/** Names of files may contain control characters, which can rewrite the screen, or change the text direction. */
const safe = (text: string): string =>
  text
    .toWellFormed()
    .replace(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
