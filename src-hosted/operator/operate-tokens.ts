// Tokens of a workspace, made, listed and revoked on the database itself. Answers what the API would.

import type { CreatedToken, Token } from '../../src-runtime/contract/access-models.ts'
import { checkName } from '../../src-runtime/contract/check-name.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import type { PageRequest } from '../../src-runtime/operations/page-cursor.ts'
import { createIds } from '../../src-runtime/shared/ids.ts'
import type { HostedStore, WorkspaceRecord } from '../store/store.ts'
import type { TenantStore } from '../store/tenancy.ts'
import { existingWorkspace, issueToken, type IssueDeps } from '../tokens/issue-token.ts'
import { listTokens, revokeToken, showToken } from '../tokens/tokens.ts'

export type OperatedTokens = {
  /** Makes the workspace where there is none of that name. */
  create(token: {
    readonly name: string
    readonly role: Role
    readonly expiresAt?: number
  }): Promise<WireJson<CreatedToken>>
  list(page: PageRequest): Promise<WireJson<{ items: Token[]; nextCursor: string | null }>>
  revoke(id: string): Promise<void>
}

const LONGEST_NAME = 80

/**
 * `workspace`: its id or its name. What rejects because of it is a WorkspaceError, a WorkspaceRemovedError or an ApiError. `onCreated` is
 * told whose a token is.
 */
export const operateTokens = (
  store: HostedStore,
  workspace: string,
  onCreated: (owner: WorkspaceRecord, isNew: boolean) => void = () => {},
): OperatedTokens => {
  const deps: IssueDeps = {
    workspaces: store.workspaces,
    tenant: (id) => store.forWorkspace(id).tenant,
    ids: createIds(store.now),
  }
  const tenant = async (): Promise<TenantStore> =>
    store.forWorkspace((await existingWorkspace(deps, workspace)).id).tenant
  return {
    create: async (token) => {
      checkShortName(workspace, 'workspace')
      checkShortName(token.name, 'name')
      const issued = await issueToken(deps, { ...token, workspace })
      onCreated(issued.workspace, issued.isNewWorkspace)
      return toWire({ ...showToken(issued.token), secret: issued.secret })
    },
    list: async (page) => listTokens({ tenant: await tenant() }, page),
    // Processes of the service look every few seconds which tokens are still valid.
    revoke: async (id) => revokeToken({ tenant: await tenant(), forgetToken: () => {} }, id),
  }
}

const checkShortName = (name: string, at: string): void => {
  checkName(name, at)
  if (name.length > LONGEST_NAME) throw new ApiError('invalid_request', `${at} must have at most 80 characters`)
}
