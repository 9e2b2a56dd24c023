// Tries whether effects can be loaded from an artifact, which contains only code: in an empty folder, in a process without rights.

import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import { nodeFork } from '../shared/fork.ts'
import { restrictedProcess } from './restricted-process.ts'

const Failure = Type.Object({ message: Type.String(), stack: Type.String() })
/** What loading them has thrown. */
export type LoadFailure = Static<typeof Failure>

const answers = Compile(Type.Object({ failure: Type.Optional(Failure) }))

const LIMIT_MS = 20_000

/** Beside this module, in the sources and in a bundle. */
const ENDING = extname(import.meta.filename)
const ENTRY = join(import.meta.dirname, `try-effects-main${ENDING}`)

/** The process may read its own code. */
const READABLE = ['.', '../shared', '../../package.json'].map((path) => join(import.meta.dirname, path))

/** So deep that a package above the project, as in a workspace, has no place outside. */
const DEEP = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']

const PREFIX = 'wes-trial-'
/** No trial takes so long. */
const OLD_MS = 60_000

/** Once in a process: a build may try many effects, and the folder for temporary files may be large. */
const cleared = new Set<string>()

/** Those that builds have left which were killed. */
const removeAbandoned = (parent: string): void => {
  if (cleared.has(parent)) return
  cleared.add(parent)
  try {
    for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
      const path = join(parent, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      const isOwn = found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid)
      if (isOwn && Date.now() - found.mtimeMs > OLD_MS) rmSync(path, { recursive: true, force: true })
    }
  } catch {
    // The next build tries it again.
  }
}

/**
 * Undefined if they can be loaded. Paths in the empty folder are relative in its message. Rejects if they cannot be tried.
 * `replaced`: packages in whose place they get something that does whatever is done with it.
 */
export const failureInEmptyFolder = async (
  code: string,
  replaced: readonly string[] = [],
): Promise<LoadFailure | undefined> => {
  removeAbandoned(tmpdir())
  const root = realpathSync(mkdtempSync(join(tmpdir(), PREFIX)))
  const folder = join(root, ...DEEP)
  try {
    mkdirSync(folder, { recursive: true })
    const failure = await failureIn(folder, code, [root], replaced)
    return failure && { ...failure, message: failure.message.replaceAll(root, '').replaceAll(LEVELS, '') }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const LEVELS = /(?:[\\/]\d){1,10}[\\/]/g

/** Also rejects if they take too long, or end their process. */
export const failureIn = (
  folder: string,
  code: string,
  readable: readonly string[],
  replaced: readonly string[] = [],
): Promise<LoadFailure | undefined> =>
  new Promise((resolve, reject) => {
    const child = nodeFork.start(ENTRY, [], {
      cwd: folder,
      ...restrictedProcess([...READABLE, ...readable], ['--allow-worker']),
      serialization: 'advanced',
    })
    /** Only when the process has ended: Windows removes no folder that one is in. */
    let settle = (): void => reject(new Error('loading ends the process'))
    const end = (settleSo: () => void) => {
      settle = settleSo
      child.kill('SIGKILL')
    }
    const takesTooLong = (): void => reject(new Error(`loading takes longer than ${LIMIT_MS / 1_000} s`))
    const limit = setTimeout(end, LIMIT_MS, takesTooLong)
    child.on('message', (answer) => {
      // Code of the effects may send anything.
      if (answers.Check(answer)) end(() => resolve(answer.failure))
    })
    child.on('exit', () => {
      clearTimeout(limit)
      settle()
    })
    child.on('error', (error) => {
      clearTimeout(limit)
      reject(new Error(`no process starts: ${error.message}`))
    })
    child.send({ folder, code, replaced }, () => undefined)
  })
