// Finds the process that listens on a port. Asks the operating system, never the process itself.

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

export type PortHolder = { readonly pid: number; readonly command: string }

const LOOK_UP_LIMIT_MS = 2_000
const LISTEN = '0A'

export const findPortHolder = async (port: number, platform = process.platform): Promise<PortHolder | undefined> => {
  try {
    return platform === 'linux' ? await fromProc(port) : await fromLsof(port)
  } catch {
    return undefined // the name is only for a message
  }
}

/** For a message: `node server.js (process 123)`. */
export const describeHolder = (holder: PortHolder | undefined): string =>
  holder === undefined ? 'another process' : `${holder.command} (process ${holder.pid})`

const fromProc = async (port: number): Promise<PortHolder | undefined> => {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  )
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`))
  if (sockets.size === 0) return undefined
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  for (const pid of pids) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []) // another user's, or gone
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
      if (sockets.has(target)) return { pid: Number(pid), command: await commandOf(pid) }
    }
  }
  return undefined
}

/** Rows of /proc/net/tcp: number, local address, remote address, state, …, inode in the tenth column. */
export const listeningInodes = (table: string, port: number): readonly string[] => {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return table
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', , state]) => local.endsWith(suffix) && state === LISTEN)
    .map((columns) => columns[9] ?? '')
}

const commandOf = async (pid: string): Promise<string> => {
  const line = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ').trim()
  return line === '' ? 'a process' : line.slice(0, 200)
}

const fromLsof = async (port: number): Promise<PortHolder | undefined> => {
  const { stdout } = await promisify(execFile)('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], {
    timeout: LOOK_UP_LIMIT_MS,
  })
  return parseLsof(stdout)
}

/** The output of `lsof -F`: one field per line, named by its first character. */
export const parseLsof = (output: string): PortHolder | undefined => {
  const field = (letter: string): string | undefined =>
    output
      .split('\n')
      .find((line) => line.startsWith(letter))
      ?.slice(1)
  const pid = Number(field('p'))
  return Number.isInteger(pid) && pid > 0 ? { pid, command: field('c') ?? 'a process' } : undefined
}
