// Explains that a port cannot be had: another process has it, or the system refuses it.

import type { OtherRuntime } from '#runtime/identity/other-runtime.ts'
import { describeHolder } from '#runtime/identity/port-holder.ts'
import { findPortUser } from '#runtime/identity/port-user.ts'
import type { PortTakenError } from '#runtime/shared/runtime.ts'
import { CommandFailure } from './failures.ts'

/** `flag`: what chooses another port, and what follows from that. */
export const portTaken = async (
  { port, isRefused, message }: PortTakenError,
  flag: string,
): Promise<CommandFailure> => {
  const { holder, runtime } = await findPortUser(port)
  if (runtime !== undefined) {
    return new CommandFailure('port_taken', `port ${port} is taken by another WES runtime${aboutRuntime(runtime)}`, {
      hint:
        `Its dashboard is at http://localhost:${port}. ` +
        `Use that runtime, stop it, or choose another port with ${flag}.`,
    })
  }
  if (isRefused && holder === undefined) {
    return new CommandFailure('port_taken', message, { hint: `Choose another port with ${flag}.` })
  }
  return new CommandFailure('port_taken', `port ${port} is taken by ${describeHolder(holder)}`, {
    hint: `Stop that process, or choose another port with ${flag}.`,
  })
}

const aboutRuntime = ({ version, pid, dataDirectory, projectFolder }: OtherRuntime): string => {
  const facts = [version !== null && `version ${version}`, pid !== null && `process ${pid}`].filter(Boolean)
  return [
    facts.length > 0 && ` (${facts.join(', ')})`,
    projectFolder !== null && `, for the project ${projectFolder}`,
    dataDirectory !== null && `, with its data in ${dataDirectory}`,
  ]
    .filter((part) => part !== false)
    .join('')
}
