// Tokens and sessions: those of one workspace, and what is asked before the workspace is known.

import { TOKENS_LIMIT } from '../../src-runtime/contract/limits.ts'
import type { Role } from '../../src-runtime/contract/operation-spec.ts'
import type { Database } from './database.ts'
import { readTogether } from './in-batches.ts'
import type { Scope } from './scope.ts'
import { toStored } from './stored-text.ts'
import type { AccessStore, KnownToken, TokenRecord, TokenStore, UnusedToken } from './tenancy.ts'

type TokenRow = {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
}

const TOKENS = `SELECT t.id, t.name, t.role, t.created_at, t.expires_at, t.last_used_at FROM tokens t
  WHERE t.workspace = scope.workspace`
const ONE = `${TOKENS} AND t.id = $2`
const PAGE = `${TOKENS} AND ($2::text IS NULL OR t.id < $2) ORDER BY t.id DESC LIMIT $3`
const CREATE = 'SELECT * FROM wes_create_token($1, $2, $3, $4, $5, $6, $7)'
const REVOKE = 'SELECT wes_revoke_token($1, $2) AS is_revoked'

export const createTokenStore = (scope: Scope): TokenStore => ({
  get: async (id) => {
    const [row] = await scope.read<TokenRow>(ONE, [id])
    return row && toToken(row)
  },
  list: async ({ beforeId = null, limit }) => {
    const rows = await scope.read<TokenRow>(PAGE, [beforeId, limit + 1])
    return { items: rows.slice(0, limit).map(toToken), more: rows.length > limit }
  },
  create: async ({ id, name, role, digest, expiresAt }) => {
    const values = [id, name, role, digest, expiresAt ?? null, TOKENS_LIMIT]
    const [row] = await scope.call<{ at: number | null }>(CREATE, values)
    const { at: createdAt } = row!
    if (createdAt === null) return undefined
    return { id, name, role, createdAt, ...(expiresAt !== undefined && { expiresAt }) }
  },
  revoke: async (id) => {
    const [row] = await scope.call<{ is_revoked: boolean }>(REVOKE, [toStored(id)])
    return row!.is_revoked
  },
})

const toToken = (row: TokenRow): TokenRecord => ({
  id: row.id,
  name: row.name,
  role: row.role,
  createdAt: row.created_at,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
})

type KnownRow = {
  readonly digest: Buffer
  readonly workspace_id: string
  readonly default_project_id: string
  readonly token_id: string
  readonly role: Role
  readonly expires_at: number | null
}

/** Of one that is being removed, no token counts, whenever it was made. */
const IS_THERE = 'JOIN workspaces w ON w.key = t.workspace AND w.removed_at IS NULL'
const OWNER = `${IS_THERE} JOIN projects j ON j.workspace = w.key AND j.is_default`
const IS_VALID = '(t.expires_at IS NULL OR t.expires_at > wes_now())'
const SESSION_IS_VALID = `s.expires_at > wes_now() AND ${IS_VALID}`

const FIND_TOKENS = `SELECT t.digest, w.id AS workspace_id, j.id AS default_project_id, t.id AS token_id, t.role, t.expires_at
  FROM tokens t ${OWNER} WHERE t.digest = ANY ($1::bytea[]) AND ${IS_VALID}`
const FIND_SESSIONS = `SELECT s.digest, w.id AS workspace_id, j.id AS default_project_id, t.id AS token_id, t.role,
    least(s.expires_at, t.expires_at) AS expires_at
  FROM sessions s JOIN tokens t ON t.id = s.token ${OWNER} WHERE s.digest = ANY ($1::bytea[]) AND ${SESSION_IS_VALID}`
/** Of a token that is revoked at the same moment, none begins. */
const START_SESSION = `INSERT INTO sessions (digest, workspace, expires_at, token)
  SELECT $1, t.workspace, wes_now() + $3, t.id FROM tokens t WHERE t.id = $2 FOR KEY SHARE OF t`
const VALID = `SELECT t.digest FROM tokens t ${IS_THERE} WHERE t.digest = ANY ($1) AND ${IS_VALID} UNION ALL
  SELECT s.digest FROM sessions s JOIN tokens t ON t.id = s.token ${IS_THERE} WHERE s.digest = ANY ($1) AND ${SESSION_IS_VALID}`
const NOTE_USE = `UPDATE tokens SET last_used_at = wes_now() / 60000 * 60000, sealed = NULL
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < wes_now() / 60000 * 60000)`
const FIND_UNUSED = `SELECT t.id, t.sealed FROM tokens t
  WHERE t.sealed IS NOT NULL AND t.last_used_at IS NULL ORDER BY t.id LIMIT 1`
const REMOVE_ENDED = `DELETE FROM sessions WHERE digest IN (
  SELECT digest FROM sessions WHERE expires_at <= wes_now() ORDER BY expires_at LIMIT 1000
  FOR UPDATE SKIP LOCKED)`

/** Anybody may make up a token, so those that are asked for take few of the connections, however many come at once. */
const MOST_ASKED = 256

const createFind = (db: Database, text: string): AccessStore['findToken'] => {
  const read = readTogether(
    MOST_ASKED,
    (row: KnownRow) => row.digest.toString('base64'),
    (names) => db.run<KnownRow>(text, [names.map((name) => Buffer.from(name, 'base64'))]),
  )
  return async (digest) => {
    const row = await read(digest.toString('base64'))
    return row && toKnown(row)
  }
}

export const createAccessStore = (db: Database): AccessStore => ({
  findToken: createFind(db, FIND_TOKENS),
  findUnused: async () => {
    const [row] = await db.run<UnusedToken>(FIND_UNUSED)
    return row
  },
  findSession: createFind(db, FIND_SESSIONS),
  startSession: async ({ digest, tokenId, lifeMs }) => {
    await db.run(START_SESSION, [digest, tokenId, lifeMs])
  },
  endSession: async (digest) => {
    await db.run('DELETE FROM sessions WHERE digest = $1', [digest])
  },
  valid: async (digests) => (await db.run<{ digest: Buffer }>(VALID, [digests])).map(({ digest }) => digest),
  noteUse: async (tokenId) => {
    await db.run(NOTE_USE, [tokenId])
  },
  removeEnded: async () => {
    await db.run(REMOVE_ENDED)
  },
})

const toKnown = (row: KnownRow): KnownToken => ({
  workspaceId: row.workspace_id,
  defaultProjectId: row.default_project_id,
  tokenId: row.token_id,
  role: row.role,
  ...(row.expires_at !== null && { expiresAt: row.expires_at }),
})
