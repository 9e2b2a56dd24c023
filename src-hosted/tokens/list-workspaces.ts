// All workspaces of the service, for whoever runs it.

import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import {
  decodeWorkspace,
  encodeWorkspace,
  limitOf,
  wirePage,
  type PageRequest,
} from '../../src-runtime/operations/page-cursor.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { WorkspaceStore, WorkspaceSummary } from '../store/store.ts'

export type ListedWorkspace = {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  /** When its removal began, which has not ended. */
  readonly removedAt?: string
  readonly liveExecutions: number
  readonly executions: number
  readonly storedBytes: number
  /** When one of its tokens was. */
  readonly lastUsedAt?: string
}

/** By name. */
export const listWorkspaces = async (
  workspaces: Pick<WorkspaceStore, 'list'>,
  page: PageRequest,
): Promise<WireJson<{ items: ListedWorkspace[]; nextCursor: string | null }>> => {
  const found = await workspaces.list({
    limit: limitOf(page),
    ...(page.cursor !== undefined && { after: decodeWorkspace(page.cursor) }),
  })
  return wirePage(found, (one) => toWire<ListedWorkspace>(shown(one)), encodeWorkspace)
}

const shown = (one: WorkspaceSummary): ListedWorkspace => ({
  id: one.id,
  name: one.name,
  createdAt: iso(one.createdAt),
  ...(one.removedAt !== undefined && { removedAt: iso(one.removedAt) }),
  liveExecutions: one.liveExecutions,
  executions: one.executions,
  storedBytes: one.storedBytes,
  ...(one.lastUsedAt !== undefined && { lastUsedAt: iso(Math.max(one.createdAt, one.lastUsedAt)) }),
})
