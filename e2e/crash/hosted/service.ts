// One hosted service of separate processes, set up for the campaign: its Programs, its Triggers, its token.

import { randomBytes } from 'node:crypto'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { createClient, type ProgramArtifact, type ServiceClient, type Trigger } from '#sdk/index.ts'
import { LEDGER_HOST, startLedger, type Ledger } from './ledger.ts'
import { postgresPart, restatePart, wesPart, WES, type Part } from './processes.ts'
import { makeArtifacts } from './project.ts'

export type ChaosService = {
  readonly folder: string
  readonly client: ServiceClient
  /** Of PostgreSQL's owner, for the checker. */
  ownerUrl(): string
  readonly ledger: Ledger
  readonly postgres: Part
  readonly restates: readonly Part[]
  readonly api: Part
  readonly ingress: Part
  /** One for each release of workers; the last is the newest. */
  readonly workers: WorkerPart[]
  readonly restateAdminUrls: readonly string[]
  /** A worker at a new address, which is not started yet. */
  newWorker(): Promise<WorkerPart>
  /** Its Programs are deployed, and a schedule fires. */
  newWorkspace(name: string): Promise<ServiceClient>
  /** Whether it is gone. The command is killed after `killAfterMs`. */
  removeWorkspace(name: string, killAfterMs?: number): Promise<boolean>
  readonly webhook: Trigger
  readonly signedWebhook: Trigger
  readonly schedule: Trigger
  /** Secrets by their descriptions. */
  readonly secrets: Readonly<Record<string, string>>
  /** Secrets that answers contained. */
  readonly leaks: readonly string[]
  /** Looks for secrets in an answer of `where`. */
  noteLeaks(where: string, text: string): void
  /** An answer of the API to a GET, its headers included; of a stream, what it sends at first. */
  read(path: string): Promise<string>
  /** Kills everything. `keep`: the data stays. */
  dispose(keep: boolean): Promise<void>
}

/** `url`: where Restate reaches it. */
export type WorkerPart = Part & { readonly url: string }

export const ANSWER_LIMIT_MS = 8_000
export const SCHEDULE_MS = 2_000
const LOGIN = { user: 'wes_chaos', password: randomBytes(18).toString('base64url') }
/** The checks at the end read everything with one token. */
const LIMITS = { default: { requestsPerSecond: 1_000_000, requestBurst: 1_000_000 } }

export const startChaosService = async ({ isCluster }: { readonly isCluster: boolean }): Promise<ChaosService> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-chaos-'))
  const logs = join(folder, 'logs')
  mkdirSync(logs)
  const parts: Part[] = []
  const add = (part: Part): Part => {
    parts.push(part)
    return part
  }
  let ledger: Ledger | undefined
  const dispose = async (keep: boolean): Promise<void> => {
    await Promise.all(parts.map((part) => part.kill()))
    await ledger?.stop()
    if (!keep) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const ledgerKey = randomBytes(24).toString('base64url')
    ledger = await startLedger(ledgerKey)
    const stores = await startStores(folder, isCluster, add)
    const made = await startRoles({ folder, logs, ...stores, add })
    const set = await setUp(made, folder, { LEDGER_URL: ledger.url, LEDGER_KEY: ledgerKey })
    return { ...stores, ...made, ...set, folder, ledger, dispose }
  } catch (error) {
    await dispose(true)
    throw new Error(`the service did not start; ${folder} has its logs`, { cause: error })
  }
}

const startStores = async (folder: string, isCluster: boolean, add: (part: Part) => Part) => {
  const count = isCluster ? 3 : 1
  const [postgresPort = 0, ...ports] = await freePorts(Array.from({ length: 1 + 3 * count }, () => 0))
  let ownerUrl = ''
  const postgres = add(postgresPart(join(folder, 'postgres'), postgresPort, (url) => (ownerUrl = url)))
  const nodes = Array.from({ length: count }, (_, index) => {
    const [node = 0, ingress = 0, admin = 0] = ports.slice(3 * index)
    return { node, ingress, admin }
  })
  const nodePorts = nodes.map(({ node }) => node)
  const restates = nodes.map((own, index) =>
    add(
      restatePart(
        `restate-${index + 1}`,
        join(folder, `restate-${index + 1}`),
        own,
        isCluster ? { number: index + 1, nodePorts } : undefined,
      ),
    ),
  )
  await Promise.all([postgres.start(), ...restates.map((node) => node.start())])
  return {
    ownerUrl: () => ownerUrl,
    postgres,
    restates,
    restateUrls: nodes.map(({ ingress }) => `http://127.0.0.1:${ingress}`),
    restateAdminUrls: nodes.map(({ admin }) => `http://127.0.0.1:${admin}`),
  }
}

const startRoles = async (given: {
  readonly folder: string
  readonly logs: string
  readonly ownerUrl: () => string
  readonly restateUrls: readonly string[]
  readonly restateAdminUrls: readonly string[]
  readonly add: (part: Part) => Part
}) => {
  const { folder, logs, ownerUrl, restateUrls, restateAdminUrls, add } = given
  const url = new URL(ownerUrl())
  Object.assign(url, { username: LOGIN.user, password: LOGIN.password })
  const env = {
    WES_DATABASE_URL: url.href,
    WES_RESTATE_URL: restateUrls.join(','),
    WES_RESTATE_ADMIN_URL: restateAdminUrls.join(','),
    WES_SECRET_KEY: `k1:${randomBytes(32).toString('base64')}`,
    WES_MIGRATION_URL: ownerUrl(),
  }
  const migrated = spawnSync(process.execPath, [WES, 'migrate'], { env: { ...process.env, ...env }, encoding: 'utf8' })
  if (migrated.status !== 0) throw new Error(`wes migrate failed: ${migrated.stderr}`)

  const [apiPort = 0, hooksPort = 0] = await freePorts([0, 0])
  const limits = join(folder, 'limits.json')
  writeFileSync(limits, JSON.stringify(LIMITS))
  let token = ''
  const wes = (name: string, args: readonly string[]): Part =>
    add(
      wesPart(name, {
        folder: logs,
        env,
        args: ['serve', '--data-dir', folder, '--limits', limits, '--log-level', 'debug', ...args],
        onLine: (line) => {
          if (line.startsWith('token ')) token = line.slice('token '.length)
        },
      }),
    )
  let releases = 0
  const newWorker = async (): Promise<WorkerPart> => {
    const [port = 0] = await freePorts([0])
    const effects = ['--allow-egress', LEDGER_HOST, '--unsafe-effects'] // where this machine cannot isolate them
    const part = wes(`worker-${(releases += 1)}`, ['--role', 'worker', '--worker-port', String(port), ...effects])
    return Object.assign(part, { url: `http://127.0.0.1:${port}/` })
  }
  const command = async (args: readonly string[], killAfterMs?: number): Promise<string> => {
    const child = spawn(process.execPath, [WES, ...args, '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { ...process.env, ...env },
    })
    const late = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
    clearTimeout(late)
    return said
  }
  const hooks = ['--hooks-url', `http://localhost:${hooksPort}`]
  const api = wes('api', ['--role', 'api', '--port', String(apiPort), ...hooks])
  const ingress = wes('ingress', ['--role', 'ingress', '--hooks-port', String(hooksPort), ...hooks])
  const workers = [await newWorker(), await newWorker()]
  await Promise.all([api.start(), ingress.start(), workers[0]!.start()])
  await workers[1]!.start()
  if (token === '') throw new Error('the API printed no token')
  return {
    api,
    ingress,
    workers,
    newWorker,
    command,
    token,
    apiUrl: `http://127.0.0.1:${apiPort}`,
    secretKey: env.WES_SECRET_KEY,
  }
}

type Made = {
  readonly apiUrl: string
  readonly token: string
  readonly secretKey: string
  /** What a command of `wes` prints. */
  readonly command: (args: readonly string[], killAfterMs?: number) => Promise<string>
}

const setUp = async (
  { apiUrl, token, secretKey, command }: Made,
  folder: string,
  environment: Readonly<Record<string, string>> & { readonly LEDGER_KEY: string },
) => {
  const secrets: Record<string, string> = {
    'the token': token,
    'a value of the environment': environment.LEDGER_KEY,
    'the secret key': secretKey,
    'the password of the database': LOGIN.password,
  }
  const leaks: string[] = []
  const noteLeaks = (where: string, text: string): void => {
    for (const [what, secret] of Object.entries(secrets)) {
      // Triggers show where webhooks are called.
      const isShown = what.startsWith('a publicId') && where.includes('/triggers')
      if (text.includes(secret) && !isShown) leaks.push(`the answer of ${where} has ${what}`)
    }
  }
  const clientWith = (ofToken: string): ServiceClient =>
    createClient({
      url: apiUrl,
      token: ofToken,
      fetch: async (url, init) => {
        const answer = await fetch(url, { ...(init as RequestInit), signal: AbortSignal.timeout(ANSWER_LIMIT_MS) })
        const said = await answer.text()
        noteLeaks(`${init?.method} ${url}`, JSON.stringify([...answer.headers]) + said)
        const body = [204, 304].includes(answer.status) ? null : said
        return new Response(body, { status: answer.status, headers: answer.headers })
      },
    })
  const client = clientWith(token)
  const schedule = {
    programId: 'triggered',
    type: 'schedule',
    cron: `*/${SCHEDULE_MS / 1_000} * * * * *`,
    input: { n: 0 },
    name: 'every 2 s',
  } as const
  const prepare = async (one: ServiceClient, artifacts: readonly ProgramArtifact[]): Promise<void> => {
    for (const artifact of artifacts) await one.deployProgram(artifact)
    await one.changeEnvironment('default', { set: environment })
  }
  const artifacts = await makeArtifacts(join(folder, 'project'))
  await prepare(client, artifacts)
  const { items } = await client.replaceTriggers('default', [
    { programId: 'triggered', type: 'webhook', name: 'hook' },
    { programId: 'triggered', type: 'webhook', name: 'signed', secret: 'generate' },
    schedule,
  ])
  const newWorkspace = async (name: string): Promise<ServiceClient> => {
    const made = await command(['tokens', 'create', '--workspace', name, '--role', 'admin'])
    const one = clientWith((JSON.parse(made) as { readonly secret: string }).secret)
    await prepare(
      one,
      artifacts.filter(({ id }) => id === 'untouched' || id === 'triggered'),
    )
    await one.replaceTriggers('default', [schedule])
    return one
  }
  const removeWorkspace = async (name: string, killAfterMs?: number): Promise<boolean> =>
    (await command(['workspaces', 'remove', name, '--yes'], killAfterMs)).includes('workspace_not_found')
  const [webhook, signedWebhook, shownSchedule] = ['hook', 'signed', 'every 2 s'].map((name) =>
    items.find((one) => one.name === name)!,
  )
  secrets['a publicId'] = webhook!.publicId!
  secrets['a publicId of a signed webhook'] = signedWebhook!.publicId!
  secrets['a signing secret'] = signedWebhook!.secret!.slice('whsec_'.length)
  const read = async (path: string): Promise<string> => {
    const answer = await fetch(`${apiUrl}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    })
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    return JSON.stringify([...answer.headers]) + (isStream ? await beginningOf(answer) : await answer.text())
  }
  return {
    client,
    newWorkspace,
    removeWorkspace,
    webhook: webhook!,
    signedWebhook: signedWebhook!,
    schedule: shownSchedule!,
    secrets,
    leaks,
    noteLeaks,
    read,
  }
}

const beginningOf = async ({ body }: Response): Promise<string> => {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  const { value = '' } = await reader.read()
  await reader.cancel()
  return value
}
