// Boots the measured system in a folder, one boot at a time.

import { mkdirSync, rmSync } from 'node:fs'
import { dropPools } from './http.ts'
import { bytesWrittenBy, memoryOf } from './machine.ts'
import type { BenchProcess, Memory, Peer, PeerApi, Running } from './peer.ts'
import { killProcesses, pidsOf, refuseTakenPorts } from './processes.ts'

export type Bench = {
  readonly dir: string
  readonly quick: boolean
  boot(how: { fresh: boolean }): Promise<PeerApi>
  /** Of the newest boot. */
  processes(): readonly BenchProcess[]
  memory(): Memory
  /** Bytes that its processes have written since the boot. */
  bytesWritten(): number
  down(): Promise<void>
}

export const openBench = (peer: Peer, dir: string, quick: boolean): Bench => {
  let running: Running | undefined
  let ending = false
  const processes = () => running?.procs ?? []
  return {
    dir,
    quick,
    boot: async ({ fresh }) => {
      if (fresh) rmSync(dir, { recursive: true, force: true })
      mkdirSync(dir, { recursive: true })
      await refuseTakenPorts(peer.ports)
      ending = false
      running = await peer.boot(dir, { fresh })
      for (const one of running.procs) {
        one.on('exit', (code) => {
          if (!ending)
            console.error(`  [${peer.name}] a process ended by itself, code ${code}: ${one.tail.slice(-600)}`)
        })
      }
      return peer.api(running.urls)
    },
    processes,
    memory: () => memoryOf(pidsOf(processes())),
    bytesWritten: () => bytesWrittenBy(pidsOf(processes())),
    down: async () => {
      if (running === undefined) return
      ending = true
      await dropPools()
      await killProcesses(running.procs)
      running = undefined
    },
  }
}
