// Tokens that whoever runs the service makes, without one.

import type { Logger } from 'pino'
import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import type { Ids } from '../../src-runtime/shared/ids.ts'
import { tokenContext } from '../environment/secret-contexts.ts'
import { SecretKeyError, type SecretKeys } from '../environment/secret-keys.ts'
import type { WorkspaceRecord, WorkspaceStore } from '../store/store.ts'
import type { AccessStore, TenantStore } from '../store/tenancy.ts'
import { newTokenText, secretDigest } from './token-text.ts'
import { makeToken, type MadeToken } from './tokens.ts'

export type IssuedToken = MadeToken & {
  readonly workspace: WorkspaceRecord
  /** Whether the workspace was made for it. */
  readonly isNewWorkspace: boolean
}

export type IssueDeps = {
  readonly workspaces: Pick<WorkspaceStore, 'find' | 'ensure'>
  readonly tenant: (workspaceId: string) => Pick<TenantStore, 'tokens'>
  readonly ids: Ids
}

/** For the workspace of that id, else of that name; a name that there is not makes one. */
export const issueToken = async (
  deps: IssueDeps,
  wanted: { readonly workspace: string; readonly name: string; readonly role: Role; readonly expiresAt?: number },
): Promise<IssuedToken> => {
  const { workspace, isNew } = await workspaceOf(deps, wanted.workspace)
  checkNotRemoved(workspace)
  const made = await makeToken({ tenant: deps.tenant(workspace.id), ids: deps.ids }, wanted)
  return { workspace, isNewWorkspace: isNew, ...made }
}

const workspaceOf = async (deps: IssueDeps, idOrName: string): ReturnType<WorkspaceStore['ensure']> => {
  const found = await findWorkspace(deps, idOrName)
  if (found !== undefined) return { workspace: found, isNew: false }
  if (/^wsp_[0-9a-z]{26}$/.test(idOrName)) throw new WorkspaceError(`there is no workspace ${idOrName}`)
  const { workspaces, ids } = deps
  return workspaces.ensure({ id: ids('wsp'), name: idOrName, defaultProjectId: ids('prj') })
}

/** A removal of the workspace has begun, and not ended. */
export class WorkspaceRemovedError extends Error {
  override readonly name = 'WorkspaceRemovedError'
}

const checkNotRemoved = ({ id, name, removedAt }: WorkspaceRecord): void => {
  if (removedAt !== undefined) throw new WorkspaceRemovedError(`workspace ${name} (${id}) is being removed`)
}

/** There is no such workspace, or more than one. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** The one of that id, else of that name. Throws a WorkspaceError when several have the name. */
const findWorkspace = async (
  { workspaces }: { readonly workspaces: Pick<WorkspaceStore, 'find'> },
  idOrName: string,
): Promise<WorkspaceRecord | undefined> => {
  const found = await workspaces.find(idOrName)
  if (found.length <= 1) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  throw new WorkspaceError(`several workspaces are named ${idOrName}: name one by its id, ${ids}`)
}

/** The same. Throws a WorkspaceError when there is none. */
export const existingWorkspace = async (
  deps: { readonly workspaces: Pick<WorkspaceStore, 'find'> },
  idOrName: string,
): Promise<WorkspaceRecord> => {
  const found = await findWorkspace(deps, idOrName)
  if (found === undefined) throw new WorkspaceError(`there is no workspace ${idOrName}`)
  return found
}

const FIRST_WORKSPACE = 'default'

/**
 * On an empty database: makes a workspace, and answers the text of an admin's token for it. Answers the same text again until
 * somebody uses it or makes another token, because a process may die before it has shown it. Undefined otherwise.
 */
export const issueFirstToken = async (deps: {
  readonly workspaces: Pick<WorkspaceStore, 'makeFirst'>
  readonly access: Pick<AccessStore, 'findUnused'>
  readonly secrets: SecretKeys
  readonly ids: Ids
  readonly log: Logger
}): Promise<string | undefined> => {
  const { workspaces, access, secrets, ids, log } = deps
  const secret = newTokenText()
  const id = ids('tok')
  const isMade = await workspaces.makeFirst(
    { id: ids('wsp'), name: FIRST_WORKSPACE, defaultProjectId: ids('prj') },
    { id, name: 'first', digest: secretDigest(secret), sealed: secrets.seal(secret, tokenContext(id)) },
  )
  if (isMade) return secret
  const unused = await access.findUnused()
  if (unused === undefined) return undefined
  try {
    return secrets.open(unused.sealed, tokenContext(unused.id))
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error
    log.warn({ err: error }, 'the first token cannot be shown again; `wes tokens create` makes another one')
    return undefined
  }
}
