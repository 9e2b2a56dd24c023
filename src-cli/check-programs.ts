// Loads Programs as the runtime does before it stores them.

import { constants } from 'node:os'
import pino from 'pino'
import { createProgramHosts } from '#runtime/sandbox/create-program-hosts.ts'
import type { ProgramHosts } from '#runtime/sandbox/program-hosts.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type System = Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void }

/**
 * `work` gets a function that checks a Program. A signal meanwhile exits: if it just ended this process, a Program whose code
 * does not poll would run on.
 */
export const checkingPrograms = async <Result>(
  work: (check: ProgramHosts['check']) => Promise<Result>,
  system: System = process,
): Promise<Result> => {
  const loadProgram = (versionId: string): never => {
    throw new Error(`version ${versionId} is only checked, not run`)
  }
  const hosts = createProgramHosts({ loadProgram, log: pino({ level: 'silent' }) })
  const exit = (signal: (typeof SIGNALS)[number]): void => system.exit(128 + constants.signals[signal])
  for (const signal of SIGNALS) system.on(signal, exit)
  try {
    return await work((program) => hosts.check(program))
  } finally {
    await hosts.stop()
    for (const signal of SIGNALS) system.off(signal, exit)
  }
}
