// Flags that several commands share, and how their values are read.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { parseTime as parseIsoTime } from '#runtime/operations/parse-time.ts'
import { DEFAULT_PORT } from '#runtime/shared/default-port.ts'
import { durationMs } from '#runtime/shared/durations.ts'
import { isRefusedPort } from '#runtime/shared/refused-ports.ts'
import type { ClientFlags, Session } from './session.ts'

/**
 * Makes the action of a command that runs with a session on the service which its flags choose. `args` and `flags` have the
 * types that the command's arguments and options say.
 */
export type OnService = <Args extends readonly unknown[], Flags extends ClientFlags>(
  act: (session: Session, args: Args, flags: Flags) => Promise<number | void>,
) => (...given: unknown[]) => Promise<void>

export const withClientFlags = (command: Command): Command =>
  command
    .optionsGroup('Service:')
    .option(
      '--url <URL>',
      `the service’s URL (default: SERVICE_API_BASE_URL with a token, else SERVICE_RUNTIME_URL, else http://localhost:${DEFAULT_PORT})`,
    )
    .option('--token <TOKEN>', 'the API token; SERVICE_TOKEN keeps it out of the process list')
    .option('--project-id <ID>', 'the project (default: the workspace’s default project)')
    .optionsGroup('Output:')
    .option('--json', 'print the API’s JSON unchanged, and errors as JSON')
    .option('--iso', 'print times as ISO 8601 instead of relative to now')
    .optionsGroup('Options:')

/** For commands that ask no service: scripts pass the same flags to every command. They mean nothing there, so no help shows them. */
export const withUnusedClientFlags = (command: Command): Command =>
  ['--url <URL>', '--token <TOKEN>', '--project-id <ID>'].reduce(
    (changed, flag) => changed.addOption(new Option(flag).hideHelp()),
    command,
  )

export const withPageFlags = (command: Command): Command =>
  command
    .option('--limit <N>', 'items per page, 1–200 (default: 50)', (value) => parseInteger(value, 1, 200))
    .option('--cursor <CURSOR>', 'continue after a page')
    .option('--all', 'print all pages')

/** An option with the same choices each time that it is repeated. */
export const repeatedChoice = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description)
    .choices(choices)
    .argParser((value: string, previous: readonly string[] | undefined) => {
      if (!choices.includes(value)) throw new InvalidArgumentError(`It must be one of ${choices.join(', ')}.`)
      return [...(previous ?? []), value]
    })

/** By its name or another one that it has. */
export const isCalled = (command: Command, name: string): boolean =>
  command.name() === name || command.aliases().includes(name)

const parseInteger = (value: string, from: number, to: number): number => {
  const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN
  if (!(number >= from && number <= to)) throw new InvalidArgumentError(`It must be an integer from ${from} to ${to}.`)
  return number
}

export const parsePort = (value: string): number => {
  const port = parseInteger(value, 0, 65_535)
  if (isRefusedPort(port)) {
    throw new InvalidArgumentError('Browsers and Node connect to no server on this port: choose another one.')
  }
  return port
}
export const parsePositive = (value: string): number => parseInteger(value, 1, 2 ** 31 - 1)

/** A time, or a duration back from now. Returns ISO 8601. */
export const parseTime = (value: string): string => {
  if (parseIsoTime(value) !== undefined) return value
  const backMs = durationMs(value)
  // There is nothing from before the epoch.
  if (backMs !== undefined) return new Date(Math.max(0, Date.now() - backMs)).toISOString()
  throw new InvalidArgumentError(
    'It must be an ISO 8601 time such as 2026-01-31T12:00:00Z, or a duration back from now such as 2h or "3 days".',
  )
}
