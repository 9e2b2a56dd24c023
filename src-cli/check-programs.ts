// Loads Programs as the runtime does before it stores them.

import pino from 'pino'
import { createProgramHosts } from '#runtime/sandbox/create-program-hosts.ts'
import type { ProgramHosts } from '#runtime/sandbox/program-hosts.ts'

/** `work` gets a function that checks a Program. */
export const checkingPrograms = async <Result>(
  work: (check: ProgramHosts['check']) => Promise<Result>,
): Promise<Result> => {
  const loadProgram = (versionId: string): never => {
    throw new Error(`version ${versionId} is only checked, not run`)
  }
  const hosts = createProgramHosts({ loadProgram, log: pino({ level: 'silent' }) })
  try {
    return await work((program) => hosts.check(program))
  } finally {
    await hosts.stop()
  }
}
