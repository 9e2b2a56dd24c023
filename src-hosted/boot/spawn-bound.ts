// Starts a program that ends when this process does, whichever way it ends. A small shell stands between the two: it reads
// a pipe whose other end only this process holds, and ends the program once the pipe is closed.

import { spawn } from 'node:child_process'
import { closeSync, openSync, statfsSync, statSync, truncateSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pause } from '../../src-runtime/shared/pause.ts'

export type BoundProcess = {
  readonly pid: number
  /** The folder in which it runs. */
  readonly folder: string
  /** Settles when the program has ended. */
  readonly ended: Promise<void>
  signal(signal: 'SIGTERM' | 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void
}

export type BoundProgram = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which it runs. */
  readonly folder: string
  /** Everything that it prints is appended here. */
  readonly logFile: string
  /** What it gets once this process is gone; if that does not end it soon, it is killed. Absent: it is killed at once. */
  readonly lastSignal?: 'QUIT'
}

const LOOK_EVERY_MS = 10
/** PostgreSQL does not start without room for one more file of its log. */
const LEAST_ROOM_BYTES = 16 * 1024 * 1024
/** A longer log is emptied before the program starts. */
const LOG_LIMIT_BYTES = 16 * 1024 * 1024

/**
 * Descriptor 0 is the pipe of this process, 3 takes the program's pid, and the first argument is the last signal. The reader is
 * a part of the shell, so that nothing is left when the program ends first. It gives the program 3 s to end after the signal.
 */
const SHELL = `
signal=$1
shift
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
program=$!
echo $program >&3
exec 3>&-
(
  while read -r _; do :; done <&4
  exec 4<&-
  kill -$signal $program
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    kill -0 $program && sleep 0.1
  done
  kill -KILL $program
) >/dev/null 2>&1 &
reader=$!
exec 4<&-
wait $program
kill -KILL $reader 2>/dev/null
`

/** Rejects when the program cannot be started. */
export const spawnBound = async (program: BoundProgram): Promise<BoundProcess> => {
  const { command, args, env, folder, logFile, lastSignal = 'KILL' } = program
  limitLog(logFile)
  const log = openSync(logFile, 'a', 0o600)
  const shell = spawn('/bin/sh', ['-c', SHELL, 'sh', lastSignal, command, ...args], {
    cwd: folder,
    env,
    // Ctrl-C in a terminal reaches every process of its group; this program stops when it is told to.
    detached: true,
    stdio: ['pipe', log, log, 'pipe'],
  })
  closeSync(log)
  const ended = new Promise<NodeJS.Signals | null>((resolve, reject) => {
    shell.once('close', (_code, signal) => resolve(signal))
    shell.once('error', reject)
  })
  if (shell.pid === undefined) await ended // rejects
  const pid = text(shell.stdio[3] as Readable).then(Number)
  shell.stdin?.on('error', () => {})
  return boundProcess(await pid, ended, program)
}

export const signalIfThere = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}

const boundProcess = async (
  pid: number,
  shellEnded: Promise<NodeJS.Signals | null>,
  { command, folder, logFile }: BoundProgram,
): Promise<BoundProcess> => {
  if (!(pid > 0)) {
    await shellEnded
    throw new Error(`${command} cannot be started; ${logFile} may say why`)
  }
  const signal: BoundProcess['signal'] = (which) => signalIfThere(pid, which)
  return {
    pid,
    folder,
    signal,
    ended: shellEnded.then((killedBy) => {
      // Where somebody killed the shell, its program would go on without it.
      if (killedBy !== null) signal('SIGKILL')
    }),
  }
}

const limitLog = (file: string): void => {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_LIMIT_BYTES) truncateSync(file)
}

/** Rejects when the program has ended, or is not ready by the deadline. */
export const untilReady = async (
  { ended, folder }: BoundProcess,
  isReady: () => boolean | Promise<boolean>,
  deadline?: AbortSignal,
): Promise<void> => {
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  while (!(await isReady())) {
    if (hasEnded) throw new Error(`it has ended${hasRoom(folder) ? '' : `: the disk that holds ${folder} is full`}`)
    deadline?.throwIfAborted()
    await pause(LOOK_EVERY_MS)
  }
}

/** Where there is none, the program's log says nothing about it. */
const hasRoom = (folder: string): boolean => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= LEAST_ROOM_BYTES
}
