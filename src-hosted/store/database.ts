// Connections to PostgreSQL. The only place that knows `pg`. When PostgreSQL or the network fails, the running
// statements reject; the next statement makes new connections.

import { isIPv6 } from 'node:net'
import { Client, Pool, types, type ClientConfig, type CustomTypesConfig, type PoolClient } from 'pg'
import { afterRunning } from '../../src-runtime/shared/after-running.ts'
import { StoreClosedError, StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { createFairPlaces, type EndsWait } from '../../src-runtime/shared/fair-places.ts'
import { gaveUp, leavesConnection, SilenceError, toStoreError } from './postgres-errors.ts'

/** Who may do what; see migrations/001-roles.ts. */
export type DatabaseRole = 'wes_app' | 'wes_worker'

export type Values = readonly unknown[]

export type Database = {
  /** One statement of a fixed text, prepared once on each connection. */
  run<Row>(text: string, values?: Values): Promise<readonly Row[]>
  /** One statement that is not prepared: PostgreSQL plans it for its values. */
  runOnce<Row>(text: string, values: Values): Promise<readonly Row[]>
  /** How many connections are open and idle, and how many statements wait for one or were answered. */
  state(): PoolState
  /** May be called twice. */
  close(): Promise<void>
}

export type PoolState = {
  readonly open: number
  readonly idle: number
  readonly waiting: number
  /** How many statements PostgreSQL has answered, also with an error. */
  readonly answered: number
}

/** When each connection of a process was last made, taken or answered, in ms of the monotonic clock. */
export type LastUses = Map<Client, number>

/** Many are made at once after a start, and each takes PostgreSQL a process and some ms of its processor. */
const CONNECT_WITHIN_MS = 10_000
const FREE_WITHIN_MS = 5_000
const NONE_FREE = `no connection of this process was free within ${FREE_WITHIN_MS} ms: it has too much to do, or PostgreSQL is slow`
const UNLESS_LATE: EndsWait = (reject) =>
  afterRunning(FREE_WITHIN_MS, () => reject(new StoreUnavailableError(NONE_FREE)))
const STATEMENT_MS = 10_000
/**
 * Who waits for what a transaction of others has locked, such as that of an operator, keeps a connection from all others. If it waited for
 * as long as a statement may take, a worker whose connections all do so would look as if it were cut from PostgreSQL.
 */
const LOCKED_WITHIN_MS = 3_000
/** Slightly longer, for a server that does not answer at all. */
const ANSWER_MS = 12_000
/** Of a connection of one's own: a server that does not answer any more does not end its side either. */
const END_WITHIN_MS = 500
/** What has no answer by then is given up: nobody waits for it any more. */
const CLOSE_WITHIN_MS = 1_000
const MOST_NAMES = 400
/** For statements that are not prepared. Nobody waits for them but readers of lists. */
const UNPREPARED_POOL = { connections: 4, min: 0, idleTimeoutMillis: 60_000 }
/**
 * PostgreSQL's process of a connection keeps the memory that its largest statements took. The pool takes the connection that was given back
 * last, so those that only a burst needed are closed. `min` stay, so that the next caller waits for no new one.
 */
const PREPARED_POOL = { min: 2, idleTimeoutMillis: 5 * 60_000 }
/** Of a statement that PostgreSQL gives up because of others. */
const MOST_TRIES = 3

/** Every bigint of ours is below 2^53. */
const numbers: CustomTypesConfig = {
  getTypeParser: (type, format): unknown => (type === types.builtins.INT8 ? Number : types.getTypeParser(type, format)),
}

const SETTINGS = {
  search_path: 'wes',
  statement_timeout: STATEMENT_MS,
  lock_timeout: LOCKED_WITHIN_MS,
  // Longer, because it ends the connection.
  transaction_timeout: STATEMENT_MS + 1_000,
  idle_in_transaction_session_timeout: STATEMENT_MS,
  // What was acknowledged survives a kill of PostgreSQL, whatever the server would do by itself.
  synchronous_commit: 'on',
  // Statements look again at rows that they have waited for.
  default_transaction_isolation: 'read\\ committed',
  jit: 'off',
  // A plan that is made while tables are small stays until statistics are new, a minute or more: a start with a key read all
  // Executions meanwhile. Every statement has its indexes, so it uses them whatever PostgreSQL believes of the tables. A join of a list with
  // a table may still read a whole index: migrations/057-commit-many.ts and 059-confirm-by-key.ts do without.
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}

/**
 * By itself PostgreSQL plans a prepared statement again at each call whose arrays are short or whose LIMIT is low, because it
 * estimates that the kept plan costs more. Planning what a visit reads took longer than reading it.
 */
const PREPARED = { ...SETTINGS, plan_cache_mode: 'force_generic_plan' }

const configOf = (url: string, settings: Readonly<Record<string, string | number>>) => ({
  connectionString: url,
  keepAlive: true,
  // The system's default is two hours: until then nobody would know that a silent connection is gone.
  keepAliveInitialDelayMillis: 30_000,
  types: numbers,
  application_name: 'wes',
  options: Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
})

/**
 * The server to which a database's URL leads, as a URL of nothing else. `pg` takes it from `?host=` and `?port=`, then from what
 * stands before, then from PGHOST and PGPORT. One that is reached by a Unix socket is this machine's, and mostly listens on
 * that port, too.
 */
export const databaseServer = (url: string): string => {
  try {
    const { host, port } = new Client({ connectionString: url })
    const name = host.startsWith('/') ? '127.0.0.1' : host
    return `postgres://${isIPv6(name) ? `[${name}]` : name}:${port}`
  } catch (error) {
    // It may name a file that cannot be read.
    throw toStoreError(error)
  }
}

/** Whoever makes it connects it at once. */
class TimedClient extends Client {
  constructor(config?: ClientConfig) {
    super(config)
    const late = `no connection was made within ${CONNECT_WITHIN_MS} ms`
    const endWait = afterRunning(CONNECT_WITHIN_MS, () => this.connection.stream.destroy(new Error(late)))
    this.once('connect', endWait).once('end', endWait)
    this.on('error', () => {})
  }
}

type Query = { name?: string; text: string; values: unknown[] }

/** Each statement is a transaction of its own. */
const tryAgain = async <Row>(client: PoolClient, query: Query): Promise<Row[]> => {
  for (let tried = 1; ; tried += 1) {
    const endWait = afterRunning(ANSWER_MS, () => client.connection.stream.destroy(new SilenceError()))
    try {
      const { rows } = await client.query<Row & object>(query)
      return rows
    } catch (error) {
      if (!gaveUp(error) || tried === MOST_TRIES) throw error
    } finally {
      endWait()
    }
  }
}

export const openDatabase = (options: {
  readonly url: string
  readonly role: DatabaseRole
  /** For prepared statements. */
  readonly connections: number
  /** Databases of a process share it. */
  readonly lastUses?: LastUses
}): Database => {
  const { url, role, connections, lastUses = new Map() } = options
  const shared = { url, role, lastUses }
  const prepared = openConnections({
    ...shared,
    settings: PREPARED,
    connections,
    ...PREPARED_POOL,
    byWorkspace: role === 'wes_app',
  })
  const unprepared = openConnections({ ...shared, settings: SETTINGS, ...UNPREPARED_POOL, byWorkspace: true })
  const names = new Map<string, string>()
  let closing: Promise<unknown> | undefined

  const nameOf = (text: string): string => {
    const name = names.get(text) ?? `wes_${names.size}`
    if (names.size >= MOST_NAMES && !names.has(text)) throw new Error('a text that changes belongs into runOnce')
    names.set(text, name)
    return name
  }

  const ask = async <Row>(connected: Connections, query: Query): Promise<readonly Row[]> => {
    if (closing !== undefined) throw new StoreClosedError('the store is closed')
    return connected.ask<Row>(query)
  }

  return {
    run: (text, values = []) => ask(prepared, { name: nameOf(text), text, values: [...values] }),
    runOnce: (text, values) => ask(unprepared, { text, values: [...values] }),
    state: () => {
      const [one, other] = [prepared.state(), unprepared.state()]
      return {
        open: one.open + other.open,
        idle: one.idle + other.idle,
        waiting: one.waiting + other.waiting,
        answered: one.answered + other.answered,
      }
    },
    close: async () => void (await (closing ??= Promise.all([prepared.close(), unprepared.close()]))),
  }
}

type Connections = Pick<Database, 'state' | 'close'> & { ask<Row>(query: Query): Promise<readonly Row[]> }

/**
 * `byWorkspace`: their statements are for callers, and have the key of their workspace as their first parameter. No workspace takes more
 * than half of the connections then.
 */
const openConnections = (options: {
  readonly url: string
  readonly role: DatabaseRole
  readonly settings: Readonly<Record<string, string | number>>
  readonly connections: number
  /** So many stay open, however long they are idle. */
  readonly min: number
  readonly idleTimeoutMillis: number
  readonly byWorkspace: boolean
  readonly lastUses: LastUses
}): Connections => {
  const { url, role, settings, connections, min, idleTimeoutMillis, byWorkspace, lastUses } = options
  /** Those that are still being made, too. */
  const clients = new Set<Client>()
  const noteUse = (client: Client): void => {
    if (clients.has(client)) lastUses.set(client, performance.now())
  }
  class CountedClient extends TimedClient {
    constructor(config?: ClientConfig) {
      super(config)
      clients.add(this)
      noteUse(this)
      this.once('end', () => {
        clients.delete(this)
        lastUses.delete(this)
      })
    }
  }
  const config = { ...configOf(url, { role, ...settings }), Client: CountedClient }
  const pool = new Pool({ ...config, max: connections, min, idleTimeoutMillis })
  // The pool drops a broken connection. The statement that used it rejects.
  pool.on('error', () => {})
  const share = byWorkspace ? Math.ceil(connections / 2) : connections
  const turns = createFairPlaces(connections, () => share)
  let answered = 0
  return {
    ask: async <Row>(query: Query) => {
      let client: PoolClient | undefined
      let give: (() => void) | undefined
      let sentAt = Infinity
      try {
        give = await turns.take(byWorkspace ? String(query.values[0]) : '', UNLESS_LATE)
        if (pool.ending) throw new StoreClosedError('the store is closed')
        client = await pool.connect()
        sentAt = performance.now()
        noteUse(client)
        const rows = await tryAgain<Row>(client, query)
        noteUse(client)
        answered += 1
        client.release()
        return rows
      } catch (error) {
        if (leavesConnection(error)) answered += 1
        client?.release(!leavesConnection(error))
        if (error instanceof SilenceError) endUnusedSince(sentAt, lastUses)
        throw toStoreError(error)
      } finally {
        give?.()
      }
    },
    state: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: turns.waiting, answered }),
    close: async () => {
      const late = setTimeout(() => {
        for (const { connection } of clients) connection.stream.destroy()
      }, CLOSE_WITHIN_MS)
      await pool.end()
      clearTimeout(late)
    },
  }
}

/**
 * A proxy or firewall between falls silent on all connections at once. Each would otherwise be found by a statement that waits in vain.
 */
const endUnusedSince = (at: number, lastUses: LastUses): void => {
  for (const [client, usedAt] of lastUses) if (usedAt < at) client.connection.stream.destroy()
}

/** One connection of its own, for what belongs to a session. */
export type Session = {
  run<Row>(text: string, values?: Values): Promise<readonly Row[]>
  /** Settles when the connection is gone, whoever ended it. */
  readonly ended: Promise<void>
  /** Notifications, of the channels that the session listens to. */
  onNotice(listener: (payload: string) => void): void
  close(): Promise<void>
}

const end = async (client: Client): Promise<void> => {
  const late = setTimeout(() => client.connection.stream.destroy(), END_WITHIN_MS)
  await client.end().catch(() => {})
  clearTimeout(late)
}

/** `answerMs`: how long a statement may take; 0 for any time. */
export const openSession = async (
  url: string,
  settings: Readonly<Record<string, string | number>>,
  answerMs = ANSWER_MS,
): Promise<Session> => {
  const client = new TimedClient({ ...configOf(url, settings), query_timeout: answerMs })
  const ended = new Promise<void>((resolve) => client.once('end', resolve))
  try {
    await client.connect()
  } catch (error) {
    await end(client)
    throw toStoreError(error)
  }
  return {
    ended,
    run: async <Row>(text: string, values: Values = []) => {
      try {
        const { rows } = await client.query(text, [...values])
        return rows as Row[]
      } catch (error) {
        throw toStoreError(error)
      }
    },
    onNotice: (listener) => client.on('notification', ({ payload = '' }) => listener(payload)),
    close: () => end(client),
  }
}
