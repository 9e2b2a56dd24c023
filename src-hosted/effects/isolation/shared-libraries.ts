// The shared libraries of a program, as the dynamic linker finds them.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Linkage = {
  /** The dynamic linker. */
  readonly linker: string
  /** Absolute paths, the linker's own included. */
  readonly libraries: readonly string[]
}

/** Of Node's executable. With this variable the linker lists the libraries and does not start the program. */
export const linkageOf = async (program: string): Promise<Linkage> => {
  const { stdout } = await run(program, ['--version'], { env: { LD_TRACE_LOADED_OBJECTS: '1' } })
  const linker = /^\s*(\/\S+) \(0x/m.exec(stdout)?.[1]
  if (linker === undefined) throw new Error(`the shared libraries of ${program} are unknown`)
  return { linker, libraries: pathsIn(stdout) }
}

/** Of any program: also of one that the variable has no effect on because it changes the user. */
export const librariesOf = async (program: string, { linker }: Linkage): Promise<readonly string[]> =>
  pathsIn((await run(linker, ['--list', program])).stdout)

const pathsIn = (listed: string): readonly string[] =>
  [...listed.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
