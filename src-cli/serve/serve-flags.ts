// The commands that run the hosted service.

import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HostedRole } from '#hosted/shared/hosted-options.ts'
import { parsePort } from '../flags.ts'
import type { Terminal } from '../terminal.ts'
import type { MigrateFlags } from './migrate.ts'
import type { ServeFlags } from './serve.ts'

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

export const addServe = (program: Command, terminal: Terminal, outcome: { exitCode: number }): void => {
  program
    .command('serve')
    .summary('run the hosted service')
    .description(
      'Run the hosted service until it is interrupted. Alone, it starts a PostgreSQL and a Restate of its own. It prints `ready http://localhost:PORT` when it accepts requests, `hooks http://localhost:PORT` for webhooks and, until it is used, `token wes_…` for the first admin; logs go to standard error as JSON. WES_SECRET_KEY (`id:base64` of 32 bytes, comma-separated, the first one seals) protects what is kept secret; alone, the service makes one in its folder. OTEL_EXPORTER_OTLP_ENDPOINT (such as http://localhost:4318) sends traces to an OpenTelemetry collector; the other OTEL_ variables count too.',
    )
    .option('--port <PORT>', 'listen on this port; 0 lets the system choose', parsePort, 8080)
    .option('--hooks-port <PORT>', 'accept webhooks on this port', parsePort, 8081)
    .option('--data-dir <DIR>', 'keep everything in this folder (default: WES_SERVE_DATA_DIR, else ./wes-data)')
    .option('--host <ADDRESS>', 'listen on this address instead of this machine alone', 'localhost')
    .optionsGroup('Addresses:')
    .option('--public-url <URL>', 'where browsers find the dashboard (default: http://localhost:PORT)', parseUrl)
    .option('--hooks-url <URL>', 'where webhooks are called (default: http://localhost:HOOKS_PORT)', parseUrl)
    .option('--allow-origin <ORIGIN>', 'a web origin whose pages may call /v1 with a token; may be repeated', addOrigin)
    .option('--trust-proxy', 'take the caller’s address from X-Forwarded-For, which a proxy in front sets')
    .optionsGroup('Effects and limits:')
    .addOption(
      new Option(
        '--allow-egress <RANGES>',
        'addresses that effects may connect to although they are not public, such as 10.1.0.0/16,fd00::/8',
      ).default('', 'none'),
    )
    .option('--unsafe-effects', 'where this machine cannot isolate effects, run them as ordinary processes')
    .option('--limits <FILE>', 'limits of workspaces, as JSON')
    .optionsGroup('With a PostgreSQL and a Restate that you run:')
    .addOption(
      new Option('--role <ROLE>', 'which part to run').choices(['all', 'api', 'ingress', 'worker']).default('all'),
    )
    .option('--database-url <URL>', 'a PostgreSQL to use (default: WES_DATABASE_URL)')
    .option(
      '--restate-url <URLS>',
      'the ingress of a Restate to use, of each node, comma-separated (default: WES_RESTATE_URL)',
    )
    .option(
      '--restate-admin-url <URLS>',
      'the admin address of that Restate, of each node, comma-separated (default: WES_RESTATE_ADMIN_URL)',
    )
    .option('--worker-port <PORT>', 'accept work of Restate on this port (default: 9080)', parsePort)
    .option('--worker-url <URL>', 'where Restate reaches this worker (default: http://127.0.0.1:WORKER_PORT)', parseUrl)
    .option(
      '--restate-key <KEY>',
      'a public key of Restate (publickeyv1_…): only requests that it signed are accepted; may be repeated',
      addText,
    )
    .optionsGroup('Watching it:')
    .option('--metrics-port <PORT>', 'answer /metrics (Prometheus), /ready and /healthz on this port', parsePort)
    .option('--metrics-host <ADDRESS>', 'and on this address: callers need no token', '127.0.0.1')
    .optionsGroup('Logs:')
    .option('--verbose', 'the same as --log-level info')
    .addOption(
      new Option('--log-level <LEVEL>', 'the lowest level to log (default: warn)')
        .choices(LOG_LEVELS)
        .conflicts('verbose'),
    )
    .action(async (flags: ServeFlags, command: Command) => {
      for (const text of unusedFlags(flags.role, command)) terminal.err(`${text}\n`)
      const { serve } = await import('./serve.ts')
      outcome.exitCode = await serve(flags, terminal)
    })

  program
    .command('migrate')
    .summary('bring the database of the hosted service up to date')
    .description(
      'Bring the database of the hosted service up to date, and make the user as whom its processes connect. Run it before the processes of a new release; those of the release before go on working.',
    )
    .option('--migration-url <URL>', 'the PostgreSQL, as its owner (default: WES_MIGRATION_URL)')
    .option('--database-url <URL>', 'the user and password that processes will use (default: WES_DATABASE_URL)')
    .option('--restored', 'the database was restored to an earlier moment')
    .action(async (flags: MigrateFlags) => {
      const { migrate } = await import('./migrate.ts')
      await migrate(flags, terminal)
    })
}

/** The flags that not every role uses. A worker keeps effects from the service's own addresses. */
const ROLES_OF_FLAGS: Readonly<Record<string, readonly HostedRole[]>> = {
  '--port': ['api'],
  '--hooks-port': ['ingress', 'api'],
  '--public-url': ['api', 'worker'],
  '--allow-origin': ['api'],
  '--trust-proxy': ['api'],
  '--allow-egress': ['worker'],
  '--unsafe-effects': ['worker'],
  '--worker-port': ['worker'],
  '--worker-url': ['worker'],
  '--restate-key': ['worker'],
}

/** Said, not refused: processes of several roles are often given the same flags. */
const unusedFlags = (role: HostedRole, command: Command): readonly string[] => {
  const given = command.options.flatMap((option) =>
    command.getOptionValueSource(option.attributeName()) === 'cli' ? [option.long!] : [],
  )
  const texts = given.flatMap((flag) => {
    const roles = ROLES_OF_FLAGS[flag]
    if (role === 'all' || roles === undefined || roles.includes(role)) return []
    return [`${flag} does nothing with --role ${role}, only with --role ${roles.join(' and --role ')}`]
  })
  const isAlone = given.includes('--metrics-host') && !given.includes('--metrics-port')
  return isAlone ? [...texts, '--metrics-host does nothing without --metrics-port'] : texts
}

const parseUrl = (value: string): string => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) throw new InvalidArgumentError('It must be an http(s) URL.')
  return value.replace(/\/+$/, '')
}

const addOrigin = (value: string, previous: readonly string[] | undefined): readonly string[] => {
  const url = parseUrl(value)
  if (new URL(url).origin !== url)
    throw new InvalidArgumentError('It must be an origin such as https://app.example.com.')
  return addText(url, previous)
}

const addText = (value: string, previous: readonly string[] | undefined): readonly string[] => [
  ...(previous ?? []),
  value,
]
