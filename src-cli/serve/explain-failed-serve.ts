// Explains why the hosted service could not start.

import type { HostedOptions, HostedRole } from '#hosted/shared/hosted-options.ts'
import { explainFullDisk } from '#runtime/data-directory/full-disk.ts'
import { DataDirectoryInUseError, PortTakenError } from '#runtime/shared/runtime.ts'
import { databaseHint } from '../database-url.ts'
import { CommandFailure, withCause } from '../failures.ts'
import { portTaken } from '../port-taken.ts'

export const explainFailedServe = async (error: unknown, options: HostedOptions): Promise<unknown> => {
  if (error instanceof DataDirectoryInUseError) {
    return new CommandFailure('data_directory_in_use', error.message, {
      hint: 'Use that service, stop it, or choose another folder with --data-dir.',
    })
  }
  if (error instanceof PortTakenError) return portTaken(error, flagOf(error.port, options))
  if (!(error instanceof Error)) return error
  const explained = explainFullDisk(error, options.dataDir)
  const reason = explained instanceof Error && explained !== error ? explained.message : withCause(error)
  const hint = databaseHint(reason)
  return new CommandFailure('start_failed', `the service could not start: ${reason}`, {
    ...(hint !== undefined && { hint }),
  })
}

/** Of the part that this process runs at the port: the other ones have ports that are not used. */
const flagOf = (port: number, { role, api, hooks, metrics }: HostedOptions): string => {
  const runs = (part: HostedRole): boolean => role === 'all' || role === part
  if (runs('api') && port === api.port) return '--port'
  if (runs('ingress') && port === hooks.port) return '--hooks-port'
  return port === metrics?.port ? '--metrics-port' : '--worker-port'
}
