// The flags of commands that work on a service's database itself, and which database they mean.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { UsageError } from '../failures.ts'
import type { ClientFlags } from '../session.ts'

export type DatabaseFlags = { readonly dataDir?: string; readonly databaseUrl?: string }
export type OperatorFlags = DatabaseFlags & { readonly workspace?: string }

export const withDatabaseFlags = (command: Command): Command =>
  command
    .optionsGroup('Without a token, on the database of the service:')
    .option('--data-dir <DIR>', 'the data folder of `wes serve`, whether that runs or not')
    .option('--database-url <URL>', 'the PostgreSQL of the service')
    .optionsGroup('Options:')

export const withOperatorFlags = (command: Command): Command =>
  withDatabaseFlags(command)
    .optionsGroup('Without a token, on the database of the service:')
    .option(
      '--workspace <WORKSPACE>',
      'the id or name of a workspace (default: default); without the other two, on the database of WES_DATABASE_URL',
    )
    .optionsGroup('Options:')

/** Undefined: the command goes through the API. */
export const placeOf = (
  flags: OperatorFlags & ClientFlags,
  env: NodeJS.ProcessEnv,
): { readonly folder: string } | { readonly databaseUrl: string } | undefined => {
  const { dataDir, databaseUrl, workspace, url, token } = flags
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError('pass either --data-dir or --database-url, not both')
  }
  const named = databaseUrl ?? (dataDir === undefined && workspace !== undefined ? env['WES_DATABASE_URL'] : undefined)
  if (dataDir === undefined && !named) {
    if (workspace === undefined && databaseUrl === undefined) return undefined
    throw new UsageError('--workspace needs --data-dir, --database-url or WES_DATABASE_URL; a token has a workspace')
  }
  if (url !== undefined || token !== undefined) {
    throw new UsageError('--url and --token are for the API; with --data-dir or --database-url there is none')
  }
  if (named) return { databaseUrl: checkedDatabaseUrl(named) }
  if (dataDir === '') throw new UsageError('--data-dir needs a folder')
  return { folder: resolve(dataDir ?? '') }
}

/** The text is not repeated: it may hold a password. */
const checkedDatabaseUrl = (text: string): string => {
  if (URL.canParse(text) && /^postgres(?:ql)?:$/.test(new URL(text).protocol)) return text
  throw new UsageError('--database-url is not a URL of that kind')
}
