// Page cursors: opaque text that names the last item of a page, so that a cursor stays valid while rows are added. Only
// text that this file could have written is accepted.

import { ApiError } from '../contract/errors.ts'
import { PAGE_LIMIT_DEFAULT } from '../contract/limits.ts'
import { wireList, type WireJson } from '../contract/wire-json.ts'
import type { WaitingMark } from '../ports/overview.ts'
import type { SealedCursors } from '../ports/operation-ports.ts'
import type { Page } from '../ports/page.ts'
import { PROGRAM_ID_PATTERN } from '../shared/patterns.ts'

/** Each list has its own, so that a cursor of one is refused by another. */
export type CursorKind =
  | 'executions'
  | 'versions'
  | 'programs'
  | 'history'
  | 'waiting'
  | 'errors'
  | 'tokens'
  | 'workspaces'

/** Ids of tokens and workspaces are of this form, too. */
const PROGRAM_ID = new RegExp(PROGRAM_ID_PATTERN)

const PREFIXES: Readonly<Record<CursorKind, string>> = {
  executions: 'e:',
  versions: 'v:',
  programs: 'p:',
  history: 'h:',
  waiting: 'w:',
  errors: 'f:',
  tokens: 't:',
  workspaces: 'o:',
}

export const encodeCursor = (kind: CursorKind, last: string | number): string =>
  Buffer.from(`${PREFIXES[kind]}${last}`, 'latin1').toString('base64url')

const decode = (kind: CursorKind, cursor: string): string => {
  const text = Buffer.from(cursor, 'base64url').toString('latin1')
  const last = text.slice(PREFIXES[kind].length)
  if (!text.startsWith(PREFIXES[kind]) || encodeCursor(kind, last) !== cursor) throw badCursor()
  return last
}

/** What a cursor made of a number stands for. */
export const decodeNumber = (kind: CursorKind, cursor: string): number => {
  const last = decode(kind, cursor)
  const number = Number(last)
  if (!/^[1-9]\d{0,15}$/.test(last) || !Number.isSafeInteger(number)) throw badCursor()
  return number
}

/** What a cursor made of an id stands for. */
export const decodeId = (kind: 'programs' | 'tokens', cursor: string): string => {
  const last = decode(kind, cursor)
  if (!PROGRAM_ID.test(last)) throw badCursor()
  return last
}

/** A place in what is awaited; names hold any character. */
export const encodeWaiting = ({ kind, name, programId }: WaitingMark): string =>
  encodeCursor('waiting', [kind, name, programId].map(encodeURIComponent).join('/'))

export const decodeWaiting = (cursor: string): WaitingMark => {
  const [kind, name, programId, ...rest] = decode('waiting', cursor).split('/').map(decodedPart)
  if (!isWaitingKind(kind) || name === undefined || programId === undefined || rest.length > 0) throw badCursor()
  if (!PROGRAM_ID.test(programId)) throw badCursor()
  const mark = { kind, name, programId }
  if (encodeWaiting(mark) !== cursor) throw badCursor()
  return mark
}

const isWaitingKind = (kind: string | undefined): kind is WaitingMark['kind'] =>
  kind === 'event' || kind === 'timer' || kind === 'effect'

const decodedPart = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw badCursor()
  }
}

type WorkspaceMark = { readonly name: string; readonly id: string }

/** A place in the list of workspaces, which is by name. */
export const encodeWorkspace = ({ name, id }: WorkspaceMark): string =>
  encodeCursor('workspaces', `${encodeURIComponent(name)}/${id}`)

export const decodeWorkspace = (cursor: string): WorkspaceMark => {
  const [name, id, ...rest] = decode('workspaces', cursor).split('/').map(decodedPart)
  if (name === undefined || id === undefined || !PROGRAM_ID.test(id) || rest.length > 0) throw badCursor()
  return { name, id }
}

type ErrorGroupMark = { readonly lastAt: number; readonly key: number }

export const encodeErrorGroup = ({ lastAt, key }: ErrorGroupMark): string => encodeCursor('errors', `${lastAt}.${key}`)

export const decodeErrorGroup = (cursor: string): ErrorGroupMark => {
  const [, lastAt, key] = /^(\d{1,15})\.(\d{1,15})$/.exec(decode('errors', cursor)) ?? []
  if (lastAt === undefined || key === undefined) throw badCursor()
  return { lastAt: Number(lastAt), key: Number(key) }
}

export const badCursor = () =>
  new ApiError('invalid_request', 'query/cursor is not one that this list gave: pass `nextCursor` of the page before.')

/** Of a list of rows whose numbers callers must not learn. */
export const sealCursor = (sealed: SealedCursors | undefined, cursor: string): string => sealed?.seal(cursor) ?? cursor

export const openCursor = (sealed: SealedCursors | undefined, cursor: string): string => {
  const opened = sealed === undefined ? cursor : sealed.open(cursor)
  if (opened === undefined) throw badCursor()
  return opened
}

export type PageRequest = { readonly limit?: number; readonly cursor?: string }

/** The answer for a page of a list; `cursorOf` names its last item. */
export const wirePage = <Row, Item>(
  { items, more }: Page<Row>,
  show: (row: Row) => WireJson<Item>,
  cursorOf: (last: Row) => string,
) => {
  const last = items.at(-1)
  return wireList(
    items.map((row) => show(row)),
    more && last !== undefined ? cursorOf(last) : null,
  )
}

export const limitOf = (request: PageRequest): number => request.limit ?? PAGE_LIMIT_DEFAULT
