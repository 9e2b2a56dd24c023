// Explains that a port cannot be had: another process has it, or the system refuses it.

import { describeHolder, findPortHolder } from '#runtime/identity/port-holder.ts'
import type { PortTakenError } from '#runtime/shared/runtime.ts'
import { CommandFailure } from './failures.ts'

/** `flag`: what chooses another port, and what follows from that. */
export const portTaken = async (
  { port, isRefused, message }: PortTakenError,
  flag: string,
): Promise<CommandFailure> => {
  const holder = await findPortHolder(port)
  if (isRefused && holder === undefined) {
    return new CommandFailure('port_taken', message, { hint: `Choose another port with ${flag}.` })
  }
  return new CommandFailure('port_taken', `port ${port} is taken by ${describeHolder(holder)}`, {
    hint: `Stop that process, or choose another port with ${flag}.`,
  })
}
