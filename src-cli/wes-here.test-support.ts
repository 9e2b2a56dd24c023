import { PassThrough, Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { run } from './run.ts'
import { environment, type WesOptions, type WesRun } from './wes.test-support.ts'

/** One runs after the other, because this process has one folder and one environment. */
let lastHere: Promise<unknown> = Promise.resolve()

/**
 * Runs the command line in this process, which is much faster than starting one. For commands that end by themselves. It
 * does not show whether they leave anything open.
 */
export const wesHere = (args: readonly string[], options: WesOptions = {}): Promise<WesRun> => {
  const result = lastHere.then(() => runHere(args, options))
  lastHere = result.catch(() => {})
  return result
}

const runHere = async (args: readonly string[], { env, stdin = '', cwd }: WesOptions): Promise<WesRun> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const printed = Promise.all([readText(stdout), readText(stderr)])
  const streams = { stdout, stderr, stdin: Readable.from([Buffer.from(stdin)]) }
  const before = Object.getOwnPropertyDescriptors(process)
  const folder = process.cwd()
  const replace = (name: keyof typeof streams | 'env', value: unknown): void => {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true })
  }
  let code: number
  try {
    for (const name of ['stdout', 'stderr', 'stdin'] as const) replace(name, streams[name])
    replace('env', environment(env))
    if (cwd !== undefined) process.chdir(cwd)
    code = await run(args)
  } finally {
    process.chdir(folder)
    for (const name of ['stdout', 'stderr', 'stdin', 'env'] as const) Object.defineProperty(process, name, before[name])
  }
  stdout.end()
  stderr.end()
  const [out, err] = await printed
  return { code, out, err }
}
