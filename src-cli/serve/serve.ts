// `wes serve`: runs the hosted service, or a part of it, until it is told to stop.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createHosted, type Hosted } from '#hosted/create-hosted.ts'
import { limitsWith, readLimits } from '#hosted/limits/limits.ts'
import type { HostedOptions, HostedRole, NamedServices } from '#hosted/shared/hosted-options.ts'
import { readTracingOptions, type TracingOptions } from '#hosted/tracing/tracing-options.ts'
import { checkedDatabaseUrl } from '../database-url.ts'
import { createLog, type LogLevel } from '../dev/log.ts'
import { stopInTime } from '../dev/stop-in-time.ts'
import { npmIsGone, stopRequest } from '../dev/stop-request.ts'
import { UsageError } from '../failures.ts'
import { reasonOf } from '../reason-of.ts'
import type { Terminal } from '../terminal.ts'
import { explainFailedServe } from './explain-failed-serve.ts'

export type ServeFlags = {
  readonly port: number
  readonly hooksPort: number
  readonly dataDir?: string
  readonly host: string
  readonly publicUrl?: string
  readonly hooksUrl?: string
  readonly allowOrigin?: readonly string[]
  readonly trustProxy?: true
  readonly allowEgress: string
  readonly unsafeEffects?: true
  readonly limits?: string
  readonly role: HostedRole
  readonly databaseUrl?: string
  readonly restateUrl?: string
  readonly restateAdminUrl?: string
  readonly workerPort?: number
  readonly workerUrl?: string
  readonly restateKey?: readonly string[]
  readonly metricsPort?: number
  readonly metricsHost: string
  readonly verbose?: true
  readonly logLevel?: LogLevel
}

const WORKER_PORT = 9080
const EFFECTS_GRACE_MS = 4_000
const STOP_LIMIT_MS = 10_000

export const serve = async (flags: ServeFlags, terminal: Terminal): Promise<number> => {
  const log = createLog(flags.logLevel ?? (flags.verbose === true ? 'info' : 'warn'), process.stderr)
  const options = { ...optionsOf(flags, process.env), log }
  const stopRequested = Promise.race([stopRequest(process), npmIsGone(process)])
  const stopping = new AbortController()
  const starting = createHosted(options, stopping.signal)
  let hosted: Hosted | undefined
  try {
    hosted = await Promise.race([starting, stopRequested.then(() => undefined)])
  } catch (error) {
    throw await explainFailedServe(error, options)
  }
  if (hosted === undefined) {
    stopping.abort(new Error('the service was stopped while it started'))
    const stopped = () =>
      starting.then(
        (started) => started.stop(),
        () => {},
      )
    return stopInTime('service', stopped, STOP_LIMIT_MS)
  }
  if (hosted.effectsWaitBecause !== undefined) {
    terminal.err(
      `effects wait, because this machine cannot isolate them: ${hosted.effectsWaitBecause}; --unsafe-effects runs them without isolation\n`,
    )
  }
  await terminal.out(
    [
      ...(hosted.url === undefined ? [] : [`ready ${hosted.url}`]),
      ...(hosted.hooksUrl === undefined ? [] : [`hooks ${hosted.hooksUrl}`]),
      ...(hosted.url === undefined && hosted.hooksUrl === undefined ? ['ready'] : []),
      ...(hosted.metricsUrl === undefined ? [] : [`metrics ${hosted.metricsUrl}/metrics`]),
      ...(hosted.token === undefined ? [] : [`token ${hosted.token}`]),
    ]
      .map((line) => `${line}\n`)
      .join(''),
  )
  if (hosted.token !== undefined && terminal.hints) {
    terminal.err('The token is shown until it is used: keep it safe, and sign in to the dashboard with it.\n')
  }
  await stopRequested
  return stopInTime('service', () => hosted.stop(), STOP_LIMIT_MS)
}

const DEFAULT_DATA_DIR = 'wes-data'

/** Secrets are taken out of the environment, so that no process that is started can read them. */
const optionsOf = (flags: ServeFlags, env: NodeJS.ProcessEnv): Omit<HostedOptions, 'log'> => {
  const { host, port, hooksPort, role } = flags
  const services = namedServices(flags, env)
  if (role !== 'all' && services === undefined) {
    throw new UsageError(`--role ${role} needs ${SERVICE_FLAGS}`)
  }
  const ofWorkers = flagOfWorkers(flags)
  if (services === undefined && ofWorkers !== undefined) {
    throw new UsageError(
      `${ofWorkers} needs ${SERVICE_FLAGS}: a Restate that the service starts finds its worker by itself`,
    )
  }
  if (role === 'all' && port !== 0 && port === hooksPort) {
    throw new UsageError(`--port and --hooks-port are both ${port}: give them different ports`)
  }
  const secretKeys = taken(env, 'WES_SECRET_KEY')
  if (services !== undefined && secretKeys === undefined) {
    throw new UsageError(
      'WES_SECRET_KEY is missing: id:base64 of 32 bytes, the same for all processes (`echo k1:$(openssl rand -base64 32)` makes one)',
    )
  }
  const dataDir = flags.dataDir ?? env['WES_SERVE_DATA_DIR'] ?? DEFAULT_DATA_DIR
  if (dataDir === '') throw new UsageError('--data-dir needs a folder')
  const tracing = tracingIn(env)
  return {
    role,
    ...(services !== undefined && { services }),
    dataDir: resolve(dataDir),
    api: {
      host,
      port,
      ...(flags.publicUrl !== undefined && { publicUrl: flags.publicUrl }),
      allowOrigins: flags.allowOrigin ?? [],
      trustProxy: flags.trustProxy === true,
    },
    hooks: { host, port: hooksPort, ...(flags.hooksUrl !== undefined && { publicUrl: flags.hooksUrl }) },
    worker: {
      // A Restate of its own calls it on this machine.
      host: services === undefined || host === 'localhost' ? '127.0.0.1' : host,
      port: flags.workerPort ?? WORKER_PORT,
      ...(flags.workerUrl !== undefined && { url: flags.workerUrl }),
      identityKeys: flags.restateKey ?? [],
    },
    effects: { allowEgress: flags.allowEgress, unsafe: flags.unsafeEffects === true, graceMs: EFFECTS_GRACE_MS },
    ...(flags.limits === undefined ? { limits: limitsWith({}) } : limitsIn(flags.limits)),
    ...(secretKeys !== undefined && { secretKeys }),
    ...(flags.metricsPort !== undefined && { metrics: { host: flags.metricsHost, port: flags.metricsPort } }),
    ...(tracing !== undefined && { tracing }),
  }
}

const SERVICE_FLAGS = '--database-url, --restate-url and --restate-admin-url'

/** One that is given, of those that say how a Restate that somebody else runs finds a worker, and the worker it. */
const flagOfWorkers = ({ workerPort, workerUrl, restateKey }: ServeFlags): string | undefined => {
  if (workerPort !== undefined) return '--worker-port'
  if (workerUrl !== undefined) return '--worker-url'
  return restateKey === undefined ? undefined : '--restate-key'
}

const namedServices = (flags: ServeFlags, env: NodeJS.ProcessEnv): NamedServices | undefined => {
  const databaseUrl = flags.databaseUrl ?? taken(env, 'WES_DATABASE_URL')
  const restateUrl = flags.restateUrl ?? taken(env, 'WES_RESTATE_URL')
  const restateAdminUrl = flags.restateAdminUrl ?? taken(env, 'WES_RESTATE_ADMIN_URL')
  const given = [databaseUrl, restateUrl, restateAdminUrl].filter((url) => url !== undefined)
  if (given.length === 0) return undefined
  if (databaseUrl === undefined || restateUrl === undefined || restateAdminUrl === undefined) {
    throw new UsageError(`${SERVICE_FLAGS} belong together: give all three or none`)
  }
  return {
    databaseUrl: checkedDatabaseUrl('--database-url', databaseUrl),
    restateUrls: checkedUrls('--restate-url', restateUrl),
    restateAdminUrls: checkedUrls('--restate-admin-url', restateAdminUrl),
  }
}

const checkedUrls = (flag: string, text: string): readonly string[] =>
  text.split(',').map((url) => checkedUrl(flag, url.trim()))

/** The text is not repeated: it may hold a password. */
const checkedUrl = (flag: string, text: string): string => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '')
  throw new UsageError(`${flag} is not a URL such as http://HOST:PORT`)
}

const taken = (env: NodeJS.ProcessEnv, name: string): string | undefined => {
  const value = env[name]
  delete env[name]
  return value === '' ? undefined : value
}

const tracingIn = (env: NodeJS.ProcessEnv): TracingOptions | undefined => {
  try {
    return readTracingOptions(env)
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

const limitsIn = (file: string): ReturnType<typeof readLimits> => {
  let content: string
  try {
    content = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--limits: cannot read ${file}: ${reasonOf(error)}`)
  }
  try {
    return readLimits(content)
  } catch (error) {
    throw new UsageError(`--limits: ${(error as Error).message}`)
  }
}
