// Says at the start of a process which workspaces of the limits file are not there. Otherwise a mistake in an id would leave a workspace
// with the limits of all others.

import type { Logger } from 'pino'
import type { WorkspaceStore } from '../store/store.ts'

export const checkLimited = async (
  workspaces: Pick<WorkspaceStore, 'get'>,
  ids: readonly string[],
  log: Logger,
): Promise<void> => {
  const unknown: string[] = []
  for (const id of ids) if ((await workspaces.get(id)) === undefined) unknown.push(id)
  if (unknown.length > 0) log.warn({ workspaces: unknown }, '--limits names workspaces that do not exist here')
}
