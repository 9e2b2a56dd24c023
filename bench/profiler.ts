// Loaded into the runtime's process with `--import`, and from there into the processes that it starts: records a CPU profile
// between two signals, and writes it to the folder that the URL of this module names.

import childProcess, { type ForkOptions } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { basename, join } from 'node:path'

const SAMPLE_EVERY_US = 200
const folder = new URL(import.meta.url).searchParams.get('folder')
if (folder === null) throw new Error('the URL of the profiler names no folder')

/** A process with permissions of its own may not be inspected. */
const FORBIDS = /^--(?:permission|allow-fs-read)/

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_US })
let isRecording = false

const record = (): void => {
  isRecording = !isRecording
  if (isRecording) return session.post('Profiler.start')
  session.post('Profiler.stop', (error, { profile }) => {
    if (error !== null) throw error
    const name = basename(process.argv[1] ?? 'node').replace(/\.[cm]?[jt]s$/, '')
    writeFileSync(join(folder, `${name}-${process.pid}.cpuprofile`), JSON.stringify(profile))
  })
}
process.on('SIGUSR2', record)

const { fork } = childProcess
childProcess.fork = ((file: string | URL, args: readonly string[], options: ForkOptions) => {
  const execArgv = (options.execArgv ?? []).filter((flag) => !FORBIDS.test(flag))
  return fork(file, args, { ...options, execArgv: ['--import', import.meta.url, ...execArgv] })
}) as typeof fork
