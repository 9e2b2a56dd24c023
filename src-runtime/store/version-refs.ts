// The version of a key. Versions never change, so read ones are cached until one is removed.

import type Database from 'better-sqlite3'
import { prepare } from './prepare.ts'

export type VersionRef = {
  readonly key: number
  readonly projectKey: number
  readonly programKey: number
  readonly id: string
  readonly projectId: string
  readonly programId: string
  readonly number: number
}

export type VersionRefs = {
  readonly byId: (id: string) => VersionRef | undefined
  /** Throws when there is none, since every Execution has one. */
  readonly byKey: (key: number) => VersionRef
  /** After a rollback, or when a version was removed: one that was read may not exist any more. */
  readonly forget: () => void
}

const SELECT = `
SELECT v.key AS key, v.project AS projectKey, v.program AS programKey, v.id AS id, j.id AS projectId, p.id AS programId, v.number AS number
FROM versions v JOIN programs p ON p.key = v.program JOIN projects j ON j.key = v.project`

export const createVersionRefs = (db: Database.Database): VersionRefs => {
  const selectById = prepare<[string], VersionRef>(db, `${SELECT} WHERE v.id = ?`)
  const selectByKey = prepare<[number], VersionRef>(db, `${SELECT} WHERE v.key = ?`)
  const ids = new Map<string, VersionRef>()
  const keys = new Map<number, VersionRef>()

  const keep = (ref: VersionRef | undefined): VersionRef | undefined => {
    if (ref !== undefined) {
      ids.set(ref.id, ref)
      keys.set(ref.key, ref)
    }
    return ref
  }

  return {
    byId: (id) => ids.get(id) ?? keep(selectById.get(id)),
    byKey: (key) => {
      const ref = keys.get(key) ?? keep(selectByKey.get(key))
      if (ref === undefined) throw new Error(`the database holds an Execution of the unknown version ${key}`)
      return ref
    },
    forget: () => {
      ids.clear()
      keys.clear()
    },
  }
}
