// Recent inputs by Program, stored in the browser; few and small.

import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { HOME } from '../home.ts'
import { ownMember } from '../own-member.ts'
import { keptUnder } from './kept-under.ts'

export type RecentInput = {
  /** JSON; empty for a start without an input. */
  readonly text: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** By connection, project and Program. The Program that was started last comes last. */
export type RecentInputs = Readonly<Record<string, readonly RecentInput[]>>

const MOST_OF_A_PROGRAM = 8
const MOST_PROGRAMS = 40
const LARGEST_TEXT = 8_000

type Place = { readonly connection: { readonly id: string }; readonly projectId: string | null }

/** JSON, so that two different triples never have the same key. */
export const recentKey = ({ connection, projectId }: Place, programId: string): string =>
  JSON.stringify([keptUnder(connection.id), projectId ?? 'default', programId])

/** Newest first, without duplicates; large inputs are not stored. */
export const remember = (recents: RecentInputs, key: string, text: string, at: number): RecentInputs => {
  const others = Object.entries(recents).filter(([name]) => name !== key)
  const before = (recents[key] ?? []).filter((one) => one.text !== text)
  const kept = text.length > LARGEST_TEXT ? before : [{ text, at }, ...before].slice(0, MOST_OF_A_PROGRAM)
  return Object.fromEntries([...others.slice(-(MOST_PROGRAMS - 1)), [key, kept]])
}

/** Reads the stored inputs and ignores anything malformed. */
export const readRecents = (stored: unknown): RecentInputs => {
  if (!isRecord(stored) || !isRecord(stored['recents'])) return {}
  const entries = Object.entries(stored['recents']).filter(([key]) => programOf(key) !== undefined)
  return Object.fromEntries(
    entries.map(([key, list]) => [key, Array.isArray(list) ? (list as readonly unknown[]).filter(isRecent) : []]),
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isRecent = (value: unknown): value is RecentInput =>
  isRecord(value) && typeof value['text'] === 'string' && typeof value['at'] === 'number'

/** The parts of a key; undefined when it is malformed. */
const programOf = (key: string): readonly string[] | undefined => {
  try {
    const parts: unknown = JSON.parse(key)
    return Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')
      ? parts
      : undefined
  } catch {
    return undefined
  }
}

type Stored = {
  readonly recents: RecentInputs
  /** The workspace of each saved connection, as its token said last. */
  readonly workspaces: Readonly<Record<string, string>>
}

const NOTHING: Stored = { recents: {}, workspaces: {} }

const readWorkspaces = (stored: unknown): Stored['workspaces'] => {
  const found = isRecord(stored) && isRecord(stored['workspaces']) ? Object.entries(stored['workspaces']) : []
  return Object.fromEntries(found.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

const STORED_AS = 'wes-recent-inputs'

const useStore = create<Stored>()(
  persist((): Stored => NOTHING, {
    name: STORED_AS,
    version: 2,
    // Before version 2, workspaces of a hosted service shared them.
    migrate: (stored) => (HOME === 'hosted' ? NOTHING : (stored as Stored)),
    merge: (stored) => ({ recents: readRecents(stored), workspaces: readWorkspaces(stored) }),
  }),
)

/** Each tab stores all inputs, so it takes over what another one changed. */
export const followOtherTabs = (): void =>
  window.addEventListener('storage', ({ key }) => {
    if (key === STORED_AS) void useStore.persist.rehydrate()
  })

const NONE: readonly RecentInput[] = []
export const useRecentInputs = (key: string): readonly RecentInput[] => useStore((state) => state.recents[key] ?? NONE)

export const rememberInput = (key: string, text: string): void => {
  useStore.setState(({ recents }) => ({ recents: remember(recents, key, text, Date.now()) }))
}

export const forgetInputs = (key: string): void => {
  useStore.setState(({ recents }) => ({
    recents: Object.fromEntries(Object.entries(recents).filter(([name]) => name !== key)),
  }))
}

export const forgetInputsOf = (connection: string): void => {
  useStore.setState(({ recents }) => ({
    recents: Object.fromEntries(
      Object.entries(recents).filter(([key]) => programOf(key)?.[0] !== keptUnder(connection)),
    ),
  }))
}

/** Forgets the inputs of a connection whose token is of another workspace than before. */
export const noteWorkspace = (connection: string, workspaceId: string): void => {
  const before = ownMember(useStore.getState().workspaces, connection)
  if (before === workspaceId) return
  if (before !== undefined) forgetInputsOf(connection)
  useStore.setState(({ workspaces }) => ({ workspaces: { ...workspaces, [connection]: workspaceId } }))
}

/** The Program that was started last in this project. */
export const lastStarted = (place: Place): string | undefined => {
  for (const key of Object.keys(useStore.getState().recents).toReversed()) {
    const [connection, projectId, programId] = programOf(key) ?? []
    if (connection === keptUnder(place.connection.id) && projectId === (place.projectId ?? 'default')) return programId
  }
  return undefined
}
