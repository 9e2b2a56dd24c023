// The commands for what only the hosted service has, through its API: tokens, the environment of effects, usage.

import { parseEnv } from 'node:util'
import { durationMs } from '#runtime/shared/durations.ts'
import type { Role, ServiceClient, UsageGrouping } from '#sdk/index.ts'
import { tokenColumns, usageColumns, variableColumns } from './columns.ts'
import { UsageError } from './failures.ts'
import type { Sources } from './json-argument.ts'
import { reasonOf } from './reason-of.ts'
import { type ListSession, type PageFlags, printList, projectNames } from './list-commands.ts'
import { type ClientFlags, printAnswer, readAnswer, type Session } from './session.ts'
import { renderTable } from './table.ts'
import { printable } from './text.ts'

export type TokenFlags = { readonly role: Role; readonly expires?: string }
export type UsageFlags = {
  readonly from?: string
  readonly to?: string
  readonly groupBy?: readonly UsageGrouping[]
}

/** Tokens are listed, made and revoked through the API, or on the database itself. */
export type TokenSession = ListSession & {
  readonly client: Pick<ServiceClient, 'listTokens' | 'createToken' | 'revokeToken'>
}

export const projectOf = ({ projectId }: ClientFlags): string => projectId ?? 'default'

export const tokens = (session: TokenSession, flags: PageFlags): Promise<void> =>
  printList(session, flags, tokenColumns, 'No tokens.', (page) => session.client.listTokens(page))

/** Prints the secret alone, for shell variables. */
export const createToken = async (
  session: TokenSession,
  name: string,
  { role, expires }: TokenFlags,
): Promise<void> => {
  const expiresAt = expires === undefined ? undefined : endOf(expires)
  const token = await session.client.createToken({ name, role, expiresAt })
  if (session.json) return printAnswer(session)
  await session.terminal.out(`${readAnswer(() => printable(token.secret))}\n`)
  if (session.terminal.hints) session.terminal.err(`This is the only time that ${token.id} is shown: keep it safe.\n`)
}

const endOf = (expires: string): Date => {
  const ms = durationMs(expires)
  if (ms === undefined) throw new UsageError(`--expires: ${expires} is not a duration such as 90d or 12h`)
  if (ms < SHORTEST_MS) throw new UsageError(`--expires: ${expires} is shorter than 1s`)
  const at = Date.now() + ms
  if (at > LATEST_MS)
    throw new UsageError(`--expires: ${expires} ends after the year 9999; without it, a token never expires`)
  return new Date(at)
}

/** One that lasts less has expired by the time it is shown. */
const SHORTEST_MS = 1_000
/** The API has no times after it. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z')

export const revokeToken = async (session: TokenSession, id: string): Promise<void> => {
  await session.client.revokeToken(id)
  if (!session.json) await session.terminal.out(`revoked ${printable(id)}\n`)
}

export const environment = (session: Session, flags: ClientFlags): Promise<void> =>
  printList(session, {}, variableColumns, 'Nothing is set.', () => session.client.getEnvironment(projectOf(flags)))

/** What is named on the command line replaces what the file has of the same name. */
export const setEnvironment = async (
  session: Session,
  given: readonly string[],
  { file, ...flags }: ClientFlags & { readonly file?: string },
): Promise<void> => {
  const unsaid = given.filter((one) => !one.includes('='))
  // What was typed may be a secret.
  if (unsaid.length > 1) throw new UsageError('write NAME=VALUE: only one value can come from standard input')
  if (given.length === 0 && file === undefined) throw new UsageError('name what to set: NAME=VALUE, or --file .env')
  const named = Object.fromEntries(
    await Promise.all(
      given.map(async (one): Promise<[string, string]> => {
        const at = one.indexOf('=')
        if (at >= 0) return [one.slice(0, at), one.slice(at + 1)]
        const value = (await session.sources.readStdin()).replace(/\r?\n$/, '')
        // Most likely, the command that was to write it failed.
        if (value === '') throw new UsageError(`standard input has no value for ${one}; ${one}= sets an empty one`)
        return [one, value]
      }),
    ),
  )
  const set = { ...(file === undefined ? {} : await readEnvFile(file, session.sources)), ...named }
  if (Object.keys(set).length === 0) throw new UsageError(`--file: ${file ?? ''} has no NAME=value`)
  await session.client.changeEnvironment(projectOf(flags), { set })
  return told(session, `set ${Object.keys(set).join(', ')}`)
}

/** As Node.js reads a `.env`. */
const readEnvFile = async (file: string, sources: Sources): Promise<Readonly<Record<string, string>>> => {
  try {
    return { ...(parseEnv(await sources.readFile(file)) as Record<string, string>) }
  } catch (error) {
    throw new UsageError(`--file: cannot read ${file}: ${reasonOf(error)}`)
  }
}

export const removeEnvironment = async (
  session: Session,
  names: readonly string[],
  flags: ClientFlags,
): Promise<void> => {
  const { client, terminal, json } = session
  const project = projectOf(flags)
  const before = json ? undefined : await client.getEnvironment(project)
  await client.changeEnvironment(project, { remove: names })
  const others = readAnswer(() => {
    const wereSet = before && new Set(before.items.map(({ name }) => name))
    return wereSet === undefined ? [] : names.filter((name) => !wereSet.has(name))
  })
  const removed = names.filter((name) => !others.includes(name))
  if (removed.length > 0) await told(session, `removed ${removed.join(', ')}`)
  if (others.length > 0)
    terminal.err(`${printable(`${others.join(', ')} ${others.length === 1 ? 'was' : 'were'} not set`)}\n`)
}

export const told = async (session: Session, text: string): Promise<void> => {
  if (session.json) return printAnswer(session)
  await session.terminal.out(`${readAnswer(() => printable(text))}\n`)
}

export const usage = async (session: Session, { from, to, groupBy = ['day'] }: UsageFlags): Promise<void> => {
  const answer = await session.client.getUsage({ from, to, groupBy })
  if (session.json) return printAnswer(session)
  const { terminal } = session
  const names = groupBy.includes('project') ? await projectNames(session) : new Map<string, string>()
  const text = readAnswer(() => {
    const rows = [...answer.items, { ...answer.total, isTotal: true as const }]
    const style = { columns: terminal.columns, colour: terminal.outColour }
    return renderTable(usageColumns(groupBy, names, answer.from === answer.to), rows, style)
  })
  await terminal.out(text)
}
