// Removing versions of Programs. What an Execution is on is kept, ended ones too: its history refers to it. The newest
// version is always kept, so that no number is given twice, and the newest runnable one, so that the Program can be started.

import type Database from 'better-sqlite3'
import type { GroupCommit } from './group-commit.ts'
import { prepare } from './prepare.ts'
import type { ProgramStore } from '../ports/programs.ts'
import type { SourceProgramStore } from './store.ts'
import { touchedProgram } from './touched.ts'
import type { VersionRefs } from './version-refs.ts'

/** Source versions that are kept whether something uses them or not. */
const KEPT = 20
/** In one commit: an artifact may have thousands of pages. */
const REMOVED_AT_ONCE = 8

type Target = {
  readonly key: number
  readonly isNewest: number
  readonly isNewestRunnable: number
  readonly isUsed: number
}

const OF_PROGRAM = 'projects j JOIN programs p ON p.project = j.key JOIN versions v ON v.program = p.key'
const IS_USED = 'EXISTS (SELECT 1 FROM executions e WHERE e.version = v.key)'

export const createRemoveVersions = (
  db: Database.Database,
  group: GroupCommit,
  versions: VersionRefs,
  programOf: ProgramStore['get'],
): Pick<SourceProgramStore, 'remove' | 'removeUnused'> => {
  const selectTarget = prepare<[string, string, number], Target>(
    db,
    `SELECT v.key AS key, ${IS_USED} AS isUsed,
       v.number = (SELECT max(n.number) FROM versions n WHERE n.program = p.key) AS isNewest,
       v.number = (SELECT max(n.number) FROM versions n WHERE n.program = p.key AND n.runnable = 1) AS isNewestRunnable
     FROM ${OF_PROGRAM} WHERE j.id = ? AND p.id = ? AND v.number = ?`,
  )
  const selectOld = prepare<[string, string, number], number>(
    db,
    `SELECT v.number FROM ${OF_PROGRAM} WHERE j.id = ? AND p.id = ? AND v.number > ? AND v.origin = 'source'
       AND v.number < (SELECT n.number FROM versions n WHERE n.program = p.key
         ORDER BY n.number DESC LIMIT 1 OFFSET ${KEPT - 1})
       AND NOT ${IS_USED}
     ORDER BY v.number LIMIT ${REMOVED_AT_ONCE}`,
  ).pluck()
  const removeArtifact = prepare(db, 'DELETE FROM artifacts WHERE version = ?')
  const removeVersion = prepare(db, 'DELETE FROM versions WHERE key = ?')

  const remove: ProgramStore['remove'] = (projectId, programId, number) =>
    group.commit<Awaited<ReturnType<ProgramStore['remove']>>>(() => {
      const target = selectTarget.get(projectId, programId, number)
      if (target === undefined) return { result: undefined }
      if (target.isNewest === 1) return { result: 'newest' }
      if (target.isNewestRunnable === 1) return { result: 'newest_runnable' }
      if (target.isUsed === 1) return { result: 'used' }
      return {
        write: () => {
          removeArtifact.run(target.key)
          removeVersion.run(target.key)
          versions.forget()
          return {
            result: 'removed',
            moved: { version: target.key, isRemoved: true },
            ...touchedProgram(programOf(projectId, programId)),
          }
        },
      }
    })

  return {
    remove,
    removeUnused: async (projectId, programId) => {
      let removed = 0
      let after = 0
      for (;;) {
        const numbers = selectOld.all(projectId, programId, after)
        if (numbers.length === 0) return removed
        const outcomes = await Promise.all(numbers.map((number) => remove(projectId, programId, number)))
        removed += outcomes.filter((outcome) => outcome === 'removed').length
        after = numbers.at(-1)!
      }
    },
  }
}
