// Tokens of a workspace: listing them, making one, revoking one.

import type { CreatedToken, NewToken, Token } from '../../src-runtime/contract/access-models.ts'
import { checkName } from '../../src-runtime/contract/check-name.ts'
import { TOKENS_LIMIT } from '../../src-runtime/contract/limits.ts'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { toWire, type WireJson } from '../../src-runtime/contract/wire-json.ts'
import {
  decodeId,
  encodeCursor,
  limitOf,
  wirePage,
  type PageRequest,
} from '../../src-runtime/operations/page-cursor.ts'
import { timeOf } from '../../src-runtime/operations/read-filter.ts'
import { iso } from '../../src-runtime/operations/show-execution.ts'
import type { HostedPorts } from '../ports/hosted-ports.ts'
import type { TenantStore, TokenRecord } from '../store/tenancy.ts'
import { newTokenText, secretDigest } from './token-text.ts'
import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'

export const listTokens = async (
  { tenant }: Pick<HostedPorts, 'tenant'>,
  page: PageRequest,
): Promise<WireJson<{ items: Token[]; nextCursor: string | null }>> => {
  const beforeId = page.cursor === undefined ? undefined : decodeId('tokens', page.cursor)
  const tokens = await tenant.tokens.list({
    limit: limitOf(page),
    ...(beforeId !== undefined && { beforeId }),
  })
  return wirePage(
    tokens,
    (token) => toWire<Token>({ ...showToken(token), ...usedAt(token) }),
    ({ id }) => encodeCursor('tokens', id),
  )
}

export const createToken = async (
  ports: Pick<HostedPorts, 'tenant' | 'ids' | 'now'>,
  { name, role, expiresAt }: NewToken,
): Promise<WireJson<CreatedToken>> => {
  checkName(name)
  const until = expiresAt === undefined ? undefined : timeOf('body/expiresAt', expiresAt)
  if (until !== undefined && until <= ports.now())
    throw new ApiError('invalid_request', 'body/expiresAt must be in the future')
  const { token, secret } = await makeToken(ports, { name, role, ...(until !== undefined && { expiresAt: until }) })
  return toWire({ ...showToken(token), secret })
}

/** `secret`: its text, of which the store has a digest. */
export type MadeToken = { readonly token: TokenRecord; readonly secret: string }

export const makeToken = async (
  { tenant, ids }: { readonly tenant: Pick<TenantStore, 'tokens'> } & Pick<HostedPorts, 'ids'>,
  { name, role, expiresAt }: Pick<TokenRecord, 'name' | 'role' | 'expiresAt'>,
): Promise<MadeToken> => {
  const secret = newTokenText()
  const token = await tenant.tokens.create({
    ...{ id: ids('tok'), name, role, digest: secretDigest(secret) },
    ...(expiresAt !== undefined && { expiresAt }),
  })
  if (token === undefined) {
    const message = `This workspace has ${TOKENS_LIMIT} tokens, as many as it may have: revoke some that nobody uses.`
    throw new ApiError('invalid_request', message)
  }
  return { token, secret }
}

export const revokeToken = async (
  { tenant, forgetToken }: Pick<HostedPorts, 'tenant' | 'forgetToken'>,
  id: string,
): Promise<void> => {
  const isRevoked = await tenant.tokens.revoke(id)
  forgetToken(id)
  if (!isRevoked) throw new ApiError('token_not_found', `There is no token ${JSON.stringify(beginningOf(id, 80))}.`)
}

export const showToken = ({ id, name, role, createdAt, expiresAt }: TokenRecord): Omit<CreatedToken, 'secret'> => ({
  id,
  name,
  role,
  createdAt: iso(createdAt),
  ...(expiresAt !== undefined && { expiresAt: iso(expiresAt) }),
})

/** Uses are noted to the minute, which may have begun before the token was created. */
const usedAt = ({ createdAt, lastUsedAt }: TokenRecord): Pick<Token, 'lastUsedAt'> =>
  lastUsedAt === undefined ? {} : { lastUsedAt: iso(Math.max(createdAt, lastUsedAt)) }
