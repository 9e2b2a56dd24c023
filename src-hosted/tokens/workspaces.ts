// The workspace of a token.

import type { WhoAmI, Workspace, WorkspaceChange } from '../../src-runtime/contract/access-models.ts'
import { checkName } from '../../src-runtime/contract/check-name.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import type { WorkspaceRecord } from '../store/store.ts'
import { showToken } from './tokens.ts'

export const whoAmI = async ({
  tenant,
  principal,
}: Pick<HostedPorts, 'tenant' | 'principal'>): Promise<WireJson<WhoAmI>> => {
  const [{ id, name, defaultProjectId }, token] = await Promise.all([
    tenant.workspace(),
    tenant.tokens.get(principal.tokenId),
  ])
  if (token === undefined) {
    throw new ApiError('unauthorized', 'This token was revoked.', { 'www-authenticate': 'Bearer' })
  }
  return toWire({ workspace: { id, name }, token: showToken(token), defaultProjectId })
}

export const getWorkspace = async (ports: Pick<HostedPorts, 'tenant' | 'limits'>): Promise<WireJson<Workspace>> =>
  showWorkspace(ports, await ports.tenant.workspace())

export const updateWorkspace = async (
  ports: Pick<HostedPorts, 'tenant' | 'limits'>,
  { name }: WorkspaceChange,
): Promise<WireJson<Workspace>> => {
  checkName(name)
  return showWorkspace(ports, await ports.tenant.rename(name))
}

const showWorkspace = (
  { limits }: Pick<HostedPorts, 'limits'>,
  { id, name, createdAt, defaultProjectId }: WorkspaceRecord,
): WireJson<Workspace> => toWire({ id, name, createdAt: iso(createdAt), defaultProjectId, limits: { ...limits } })
