// Checks artifacts as the runtime does before it stores them.

import { constants } from 'node:os'
import pino from 'pino'
import type { Artifact } from '#runtime/contract/models.ts'
import { artifactFault } from '#runtime/operations/check-artifact.ts'
import { manifestFault } from '#runtime/operations/manifest-fault.ts'
import { createProgramHosts } from '#runtime/sandbox/create-program-hosts.ts'
import type { BuildOptions } from '#runtime/source/build-project.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

type System = Pick<NodeJS.EventEmitter, 'on' | 'off'> & { exit(code: number): void }

/**
 * `work` gets a function that checks an artifact. A signal meanwhile exits: if it just ended this process, a Program whose code
 * does not poll would run on.
 */
export const checkingPrograms = async <Result>(
  work: (check: NonNullable<BuildOptions['check']>) => Promise<Result>,
  system: System = process,
): Promise<Result> => {
  const loadProgram = (versionId: string): never => {
    throw new Error(`version ${versionId} is only checked, not run`)
  }
  const hosts = createProgramHosts({ loadProgram, log: pino({ level: 'silent' }) })
  const exit = (signal: (typeof SIGNALS)[number]): void => system.exit(128 + constants.signals[signal])
  for (const signal of SIGNALS) system.on(signal, exit)
  try {
    return await work((artifact) =>
      // The same, but for `readonly`.
      artifactFault(
        { hosts, schemas: { faultOf: manifestFault } },
        artifact as Artifact,
        JSON.stringify(artifact.manifest),
      ),
    )
  } finally {
    await hosts.stop()
    for (const signal of SIGNALS) system.off(signal, exit)
  }
}
