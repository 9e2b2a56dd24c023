// Tokens that whoever runs the service makes, without one.

import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import type { Ids } from '../../src-runtime/shared/ids.ts'
import type { WorkspaceRecord, WorkspaceStore } from '../store/store.ts'
import type { TenantStore, TokenRecord } from '../store/tenancy.ts'
import { newTokenText, secretDigest } from './token-text.ts'

export type IssuedToken = {
  readonly workspace: WorkspaceRecord
  readonly token: TokenRecord
  readonly secret: string
}

export type IssueDeps = {
  readonly workspaces: WorkspaceStore
  readonly tenant: (workspaceId: string) => Pick<TenantStore, 'tokens'>
  readonly ids: Ids
}

/** For the workspace of that id, else of that name; a name that there is not makes one. */
export const issueToken = async (
  deps: IssueDeps,
  wanted: { readonly workspace: string; readonly name: string; readonly role: Role; readonly expiresAt?: number },
): Promise<IssuedToken> => {
  const workspace = await workspaceOf(deps, wanted.workspace)
  const secret = newTokenText()
  const token = await deps.tenant(workspace.id).tokens.create({
    id: deps.ids('tok'),
    name: wanted.name,
    role: wanted.role,
    digest: secretDigest(secret),
    ...(wanted.expiresAt !== undefined && { expiresAt: wanted.expiresAt }),
  })
  return { workspace, token, secret }
}

const workspaceOf = async (deps: IssueDeps, idOrName: string): Promise<WorkspaceRecord> => {
  const found = await findWorkspace(deps, idOrName)
  if (found !== undefined) return found
  if (/^wsp_[0-9a-z]{26}$/.test(idOrName)) throw new WorkspaceError(`there is no workspace ${idOrName}`)
  const { workspaces, ids } = deps
  return workspaces.ensure({ id: ids('wsp'), name: idOrName, defaultProjectId: ids('prj') })
}

/** There is no such workspace, or more than one. */
export class WorkspaceError extends Error {
  override readonly name = 'WorkspaceError'
}

/** The one of that id, else of that name. Throws a WorkspaceError when several have the name. */
export const findWorkspace = async (
  { workspaces }: Pick<IssueDeps, 'workspaces'>,
  idOrName: string,
): Promise<WorkspaceRecord | undefined> => {
  const found = await workspaces.find(idOrName)
  if (found.length <= 1) return found[0]
  const ids = found.map(({ id }) => id).join(', ')
  throw new WorkspaceError(`several workspaces are named ${idOrName}: name one by its id, ${ids}`)
}

export const FIRST_WORKSPACE = 'default'

/** On an empty database: makes a workspace, and an admin token for it. Undefined where there is a workspace already. */
export const issueFirstToken = async (deps: IssueDeps): Promise<IssuedToken | undefined> => {
  if (await deps.workspaces.isAny()) return undefined
  return issueToken(deps, { workspace: FIRST_WORKSPACE, name: 'first', role: 'admin' })
}
