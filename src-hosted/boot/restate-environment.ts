// How a Restate node is configured. Each value differs from Restate's own for a reason; docs/operating.md names those that
// whoever runs a Restate of one's own must keep.

export type RestatePorts = {
  /** For other nodes. */
  readonly node: number
  /** For messages to handlers. */
  readonly ingress: number
  /** Asks nobody who they are: it must be out of reach of effects and of other machines. */
  readonly admin: number
}

const HOST = '127.0.0.1'

/** What every node needs, in a cluster too. */
const RULES: Readonly<Record<string, string>> = {
  DO_NOT_TRACK: '1',
  RESTATE_DISABLE_TELEMETRY: 'true',
  RESTATE_LOG_FILTER: 'warn',
  RESTATE_LOG_DISABLE_ANSI_CODES: 'true',
  // By default, an invocation that failed 70 times is paused for ever, and its object with it.
  RESTATE_DEFAULT_RETRY_POLICY__MAX_ATTEMPTS: 'unlimited',
  RESTATE_DEFAULT_RETRY_POLICY__INITIAL_INTERVAL: '50ms',
  RESTATE_DEFAULT_RETRY_POLICY__MAX_INTERVAL: '2s',
  // A half-dead connection to a worker would stall everything on it for a minute. With less than 20 s, Restate calls all handlers of a
  // worker again that has too little processor time, which is too slow to answer these, too, before the next connections are closed.
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '5s',
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '20s',
  RESTATE_WORKER__INVOKER__CONNECT_TIMEOUT: '2s',
  // Workers let Restate wait for 256 long effects each, and all of them together must leave room for visits.
  RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: '4000',
  // Nothing of an invocation is kept: what it did stands in PostgreSQL.
  RESTATE_DEFAULT_JOURNAL_RETENTION: '0s',
  RESTATE_DEFAULT_IDEMPOTENCY_RETENTION: '0s',
  RESTATE_WORKER__TRIM_DELAY_INTERVAL: '1m',
  RESTATE_WORKER__CLEANUP_INTERVAL: '1m',
  // It would look for newer versions of itself on the internet.
  RESTATE_ADMIN__DISABLE_WEB_UI: 'true',
}

/** One node of a cluster on this machine. */
export type RestateCluster = {
  /** From 1. The first node makes the cluster. */
  readonly number: number
  /** Of all nodes, as `RestatePorts.node`. */
  readonly nodePorts: readonly number[]
}

export const restateEnvironment = (
  ports: RestatePorts,
  cluster?: RestateCluster,
): Readonly<Record<string, string>> => ({
  ...RULES,
  RESTATE_NODE_NAME: cluster === undefined ? 'wes' : `wes-${cluster.number}`,
  RESTATE_CLUSTER_NAME: 'wes',
  RESTATE_LISTEN_MODE: 'tcp',
  RESTATE_BIND_IP: HOST,
  RESTATE_ADVERTISED_HOST: HOST,
  RESTATE_BIND_PORT: String(ports.node),
  RESTATE_INGRESS__BIND_ADDRESS: `${HOST}:${ports.ingress}`,
  RESTATE_ADMIN__BIND_ADDRESS: `${HOST}:${ports.admin}`,
  RESTATE_DEFAULT_NUM_PARTITIONS: '8',
  RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: '256MB',
  ...(cluster !== undefined && clusterEnvironment(cluster)),
})

/** Each record is on two nodes, so one may be lost. */
const clusterEnvironment = ({ number, nodePorts }: RestateCluster): Readonly<Record<string, string>> => ({
  RESTATE_DEFAULT_REPLICATION: '2',
  RESTATE_METADATA_CLIENT__ADDRESSES: `[${nodePorts.map((port) => `"http://${HOST}:${port}"`).join(',')}]`,
  RESTATE_AUTO_PROVISION: String(number === 1),
})
