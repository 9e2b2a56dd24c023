// Lists the workspaces of a service, and removes one, on the database itself.

import type { WireJson } from '../../src-runtime/contract/wire-json.ts'
import type { PageRequest } from '../../src-runtime/operations/page-cursor.ts'
import type { HostedStore, WorkspaceContents } from '../store/store.ts'
import { existingWorkspace } from '../tokens/issue-token.ts'
import { listWorkspaces, type ListedWorkspace } from '../tokens/list-workspaces.ts'
import { removeWorkspace } from './remove-workspace.ts'

export type { ListedWorkspace }

export type WorkspaceToRemove = {
  readonly id: string
  readonly name: string
  /** Its removal was begun before. */
  readonly isBeingRemoved: boolean
  readonly isLast: boolean
  readonly contents: WorkspaceContents
}

export type OperatedWorkspaces = {
  /** By name. */
  list(page: PageRequest): Promise<WireJson<{ items: ListedWorkspace[]; nextCursor: string | null }>>
  /** By its id or its name. Rejects with a WorkspaceError. */
  find(idOrName: string): Promise<WorkspaceToRemove>
  /** `onProgress` is told how many of its Executions have been removed. Goes on with a removal that was not ended. */
  remove(id: string, onProgress: (executions: number) => void): Promise<void>
}

export const operateWorkspaces = (store: HostedStore): OperatedWorkspaces => {
  const { workspaces, workspaceRemoval } = store
  return {
    list: async (page) => {
      if (page.cursor === undefined) await foldAll(store)
      return listWorkspaces(workspaces, page)
    },
    find: async (idOrName) => {
      await foldAll(store)
      const { id, name, removedAt } = await existingWorkspace({ workspaces }, idOrName)
      const [contents, { items }] = await Promise.all([workspaces.contents(id), workspaces.list({ limit: 2 })])
      const isLast = items.length === 1
      return { id, name, isBeingRemoved: removedAt !== undefined, isLast, contents: contents ?? NOTHING }
    },
    remove: (id, onProgress) => removeWorkspace(workspaceRemoval, id, onProgress),
  }
}

/** It has been removed since it was found. */
const NOTHING: WorkspaceContents = {
  projects: 0,
  programs: 0,
  triggers: 0,
  tokens: 0,
  executions: 0,
  liveExecutions: 0,
  storedBytes: 0,
}

/** Processes of the service may have little time for it, or not run at all. */
const MOST_FOLDS = 20

const foldAll = async ({ upkeep, usage }: Pick<HostedStore, 'upkeep' | 'usage'>): Promise<void> => {
  for (let folds = 0; folds < MOST_FOLDS && (await upkeep.fold()); folds += 1);
  for (let folds = 0; folds < MOST_FOLDS && (await usage.fold()); folds += 1);
}
