// Changes as server-sent events.

import type { Change as ShownChange, ProgramChange as ShownProgram } from '../contract/models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { Change } from '../ports/changes.ts'
import { iso } from './show-execution.ts'

/** The source and the runtime itself belong to no project, so all readers get their changes. */
export const concerns = (change: Change, projectId: string | undefined): boolean =>
  projectId === undefined || !('projectId' in change) || change.projectId === projectId

/** `id` lets a reader resume behind the change. */
export const changeText = (id: string, change: Change): string => {
  const name = nameOf(change)
  return `id: ${id}\n${name === undefined ? '' : `event: ${name}\n`}data: ${showChange(change)}\n\n`
}

const nameOf = (change: Change): 'deleted' | Exclude<Change['kind'], undefined> | undefined =>
  change.kind ?? (change.deleted === true ? 'deleted' : undefined)

const showChange = (change: Change): WireJson<ShownChange | ShownProgram | Record<never, never>> => {
  switch (change.kind) {
    case 'source':
    case 'runtime':
      return toWire({})
    case 'program': {
      const { programId, projectId, versionNumber, at } = change
      return toWire({ programId, projectId, versionNumber, at: iso(at) })
    }
    case undefined: {
      const { executionId, programId, projectId, status, at } = change
      return toWire({ executionId, programId, projectId, status, at: iso(at) })
    }
  }
}
