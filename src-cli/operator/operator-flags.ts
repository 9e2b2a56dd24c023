// The flags of commands that work on a service's database itself, and which database they mean.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkedDatabaseUrl } from '../database-url.ts'
import { UsageError } from '../failures.ts'
import type { ClientFlags } from '../session.ts'

export type DatabaseFlags = { readonly dataDir?: string; readonly databaseUrl?: string }
export type OperatorFlags = DatabaseFlags & { readonly workspace?: string }

export const withDatabaseFlags = (command: Command): Command =>
  command
    .optionsGroup('Without a token, on the database of the service:')
    .option('--data-dir <DIR>', 'the data folder of `wes serve`, which need not run')
    .option('--database-url <URL>', 'the PostgreSQL of the service')
    .optionsGroup('Options:')

export const withOperatorFlags = (command: Command): Command =>
  withDatabaseFlags(command)
    .optionsGroup('Without a token, on the database of the service:')
    .option(
      '--workspace <WORKSPACE>',
      'the id or name of a workspace (default: default); without the other two, on the database of WES_DATABASE_URL, else through the API with a token of that workspace',
    )
    .optionsGroup('Options:')

type FlaggedPlace = { readonly folder: string } | { readonly databaseUrl: string }

/** For commands that do not go through the API. */
export const databasePlaceOf = (flags: DatabaseFlags & ClientFlags, env: NodeJS.ProcessEnv): FlaggedPlace => {
  const databaseUrl = flags.dataDir === undefined ? env['WES_DATABASE_URL'] : undefined
  const place = placeOf({ ...(databaseUrl !== undefined && { databaseUrl }), ...flags }, env)
  if (place === undefined) throw new UsageError('pass --data-dir or --database-url, or set WES_DATABASE_URL')
  return place
}

/** Undefined: the command goes through the API. */
export const placeOf = (flags: OperatorFlags & ClientFlags, env: NodeJS.ProcessEnv): FlaggedPlace | undefined => {
  const { dataDir, databaseUrl, workspace, url, token } = flags
  if (dataDir !== undefined && databaseUrl !== undefined) {
    throw new UsageError('pass either --data-dir or --database-url, not both')
  }
  const namesApi = url !== undefined || token !== undefined
  if (namesApi && (dataDir !== undefined || databaseUrl !== undefined)) {
    throw new UsageError('--url and --token are for the API; with --data-dir or --database-url there is none')
  }
  if (dataDir === '') throw new UsageError('--data-dir needs a folder')
  if (dataDir !== undefined) return { folder: resolve(dataDir) }
  if (databaseUrl !== undefined) return { databaseUrl: checkedDatabaseUrl('--database-url', databaseUrl) }
  const ofEnvironment = workspace === undefined || namesApi ? undefined : env['WES_DATABASE_URL']
  return ofEnvironment ? { databaseUrl: checkedDatabaseUrl('WES_DATABASE_URL', ofEnvironment) } : undefined
}
