// Starts and kills the measured processes. Signals only processes that it started.

import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { isGone, processTree } from './machine.ts'
import type { BenchProcess } from './peer.ts'
import { sleep, until } from './waiting.ts'

const TAIL_LENGTH = 4_000
const started = new Set<BenchProcess>()

export const startProcess = (
  args: readonly string[],
  options: { readonly cwd: string; readonly ipc?: boolean },
): BenchProcess => {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    stdio: options.ipc ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  })
  const made: BenchProcess = Object.assign(child, { tail: '' })
  const keep = (bytes: Buffer) => {
    made.tail = (made.tail + bytes.toString()).slice(-TAIL_LENGTH)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  child.on('exit', () => started.delete(made))
  started.add(made)
  return made
}

export const pidsOf = (procs: Iterable<BenchProcess>): readonly number[] =>
  [...procs].flatMap(({ pid }) => (pid === undefined ? [] : [pid]))

const killTree = (procs: Iterable<BenchProcess>): readonly number[] => {
  const pids = processTree(pidsOf(procs))
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
  return pids
}

/** Sends SIGKILL to all processes. Settles when all have ended. */
export const killProcesses = async (procs: readonly BenchProcess[]): Promise<void> => {
  await sleep(30) // for sockets that were just closed
  const pids = killTree(procs)
  const ended = () => procs.every((one) => one.exitCode !== null || one.signalCode !== null) && pids.every(isGone)
  await until(async () => ended(), { what: 'processes gone' })
}

/** Kills the processes if the benchmark is interrupted. */
export const endWithUs = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      killTree(started)
      process.exit(1)
    })
  }
  process.on('exit', () => void killTree(started))
}

export const refuseTakenPorts = async (ports: readonly number[]): Promise<void> => {
  for (const port of ports) {
    const taken = await new Promise<boolean>((answer) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        answer(true)
      }).on('error', () => answer(false))
    })
    if (taken) throw new Error(`port ${port} is already taken: a stray process would be measured`)
  }
}
