// Under which name this browser keeps what it remembers of a connection, or of one of its lists. On the page of the hosted
// service, people sign in to several workspaces in turn, and each has its own.

import { HOME } from '../home.ts'

let workspaceId = ''

/** Called before anything of the workspace is shown. */
export const keepUnderWorkspace = (id: string): void => {
  workspaceId = id
}

export const keptUnder = (name: string): string => (HOME === 'hosted' ? `${name} ${workspaceId}` : name)
