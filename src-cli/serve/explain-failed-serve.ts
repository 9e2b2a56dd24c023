// Explains why the hosted service could not start.

import type { HostedOptions, HostedRole } from '#hosted/shared/hosted-options.ts'
import { describeHolder, findPortHolder } from '#runtime/identity/port-holder.ts'
import { DataDirectoryInUseError, PortTakenError } from '#runtime/shared/runtime.ts'
import { databaseHint } from '../database-url.ts'
import { CommandFailure, withCause } from '../failures.ts'

export const explainFailedServe = async (error: unknown, options: HostedOptions): Promise<unknown> => {
  if (error instanceof DataDirectoryInUseError) {
    return new CommandFailure('data_directory_in_use', error.message, {
      hint: 'Use that service, stop it, or choose another folder with --data-dir.',
    })
  }
  if (error instanceof PortTakenError) {
    const { port, isRefused, message } = error
    const flag = flagOf(port, options)
    const holder = await findPortHolder(port)
    if (isRefused && holder === undefined) {
      return new CommandFailure('port_taken', message, { hint: `Choose another port with ${flag}.` })
    }
    return new CommandFailure('port_taken', `port ${port} is taken by ${describeHolder(holder)}`, {
      hint: `Stop that process, or choose another port with ${flag}.`,
    })
  }
  if (!(error instanceof Error)) return error
  const hint = databaseHint(error.message)
  return new CommandFailure('start_failed', `the service could not start: ${withCause(error)}`, {
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
