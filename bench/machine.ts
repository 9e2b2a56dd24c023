// Reads figures about processes and the disk from Linux. On other systems they are NaN, and reported as not measured.

import {
  closeSync,
  fdatasyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import type { Memory } from './peer.ts'
import { percentile } from './statistics.ts'

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The processes and all their descendants. */
export const processTree = (roots: readonly number[]): readonly number[] => {
  const parents = new Map<number, number>()
  const names = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const name of names) {
    const stat = read(`/proc/${name}/stat`)
    if (stat !== undefined) parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
  }
  if (parents.size === 0) return roots
  const found = new Set(roots)
  for (let grew = true; grew;) {
    grew = false
    for (const [child, parent] of parents) {
      if (!found.has(parent) || found.has(child)) continue
      found.add(child)
      grew = true
    }
  }
  return [...found].filter((pid) => parents.has(pid))
}

/** RSS counts a shared page once per process, PSS counts it once. */
export const memoryOf = (pids: readonly number[]): Memory => {
  if (process.platform !== 'linux') return { rss: Number.NaN, pss: Number.NaN }
  let rss = 0
  let pss = 0
  for (const pid of processTree(pids)) {
    const text = read(`/proc/${pid}/smaps_rollup`) ?? ''
    rss += Number(/^Rss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024
    pss += Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024
  }
  return { rss, pss }
}

/** The bytes that these processes have written to disks since they started. */
export const bytesWrittenBy = (pids: readonly number[]): number => {
  const counters = processTree(pids).map((pid) => /^write_bytes: (\d+)/m.exec(read(`/proc/${pid}/io`) ?? '')?.[1])
  return counters.reduce((sum, bytes) => sum + Number(bytes ?? Number.NaN), 0)
}

/** The processor time that these processes and their descendants have used, in ms, by what `partOf` makes of their command lines. */
export const processorTimes = (
  roots: readonly number[],
  partOf: (commandLine: string) => string,
): ReadonlyMap<string, number> => {
  const times = new Map<string, number>()
  for (const pid of processTree(roots)) {
    const stat = read(`/proc/${pid}/stat`)
    const commandLine = read(`/proc/${pid}/cmdline`)
    if (stat === undefined || commandLine === undefined) continue
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ms = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
    const part = partOf(commandLine)
    times.set(part, (times.get(part) ?? 0) + ms)
  }
  return times
}

/** The same of these processes alone, in all and to the microsecond; without threads that have ended. */
export const processorMs = (pids: readonly number[]): number => {
  let ns = 0
  for (const pid of pids) {
    for (const thread of threadsOf(pid)) ns += Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0)
  }
  return ns === 0 ? Number.NaN : ns / 1e6
}

const threadsOf = (pid: number): readonly string[] => {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

/** Linux counts processor time in hundredths of a second. */
const MS_PER_TICK = 10

/** A killed process is gone when all of its threads are: a zombie with live threads still holds ports and locks. */
export const isGone = (pid: number): boolean => {
  const status = read(`/proc/${pid}/status`)
  if (status === undefined) return true
  if (!/^State:\s+Z/m.test(status)) return false
  try {
    return readdirSync(`/proc/${pid}/task`).length === 1
  } catch {
    return true
  }
}

/** The sum of file sizes, not of blocks. */
export const fileBytes = (folder: string): number => {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isDirectory()) continue
    try {
      bytes += lstatSync(join(entry.parentPath, entry.name)).size
    } catch {
      // The file was deleted after it was listed.
    }
  }
  return bytes
}

/** The work of the folder's disk since the machine started, by all processes. */
export const diskCounters = (folder: string): { readonly flushes: number; readonly bytes: number } => {
  const { dev } = statSync(folder)
  const device = `${Math.floor(dev / 256)} ${dev % 256}`
  for (const line of (read('/proc/diskstats') ?? '').split('\n')) {
    const fields = line.trim().split(/\s+/)
    if (`${fields[0]} ${fields[1]}` === device) {
      return { flushes: Number(fields[18] ?? Number.NaN), bytes: Number(fields[9]) * 512 }
    }
  }
  return { flushes: Number.NaN, bytes: Number.NaN }
}

/** How busy the machine is: its load, and the time to write 4 KiB durably. */
export const busyness = (folder: string) => {
  const path = join(folder, 'fdatasync-probe')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4_096)
  const took = Array.from({ length: 200 }, () => {
    writeSync(file, block)
    const from = performance.now()
    fdatasyncSync(file)
    return performance.now() - from
  })
  closeSync(file)
  rmSync(path)
  return {
    load: loadavg()[0] ?? Number.NaN,
    fdatasyncP50Ms: percentile(took, 50),
    fdatasyncP99Ms: percentile(took, 99),
  }
}

export const describeMachine = () => ({
  cores: availableParallelism(),
  cpu: cpus()[0]?.model ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  os: `${type()} ${release().split('-')[0]}`,
  node: process.versions.node,
})
