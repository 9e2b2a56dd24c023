// Finds the process that listens on a port. Asks the operating system, never the process itself.

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

export type PortHolder = { readonly pid: number; readonly command: string }

const LOOK_UP_LIMIT_MS = 2_000
const LISTEN = '0A'

export const findPortHolder = async (port: number): Promise<PortHolder | undefined> => {
  try {
    switch (process.platform) {
      case 'linux':
        return await fromProc(port)
      case 'win32':
        return await fromNetstat(port)
      default:
        return await fromLsof(port)
    }
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

const outputOf = async (program: string, args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(program, args, { timeout: LOOK_UP_LIMIT_MS, windowsHide: true })
  return stdout
}

const fromLsof = async (port: number): Promise<PortHolder | undefined> =>
  parseLsof(await outputOf('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']))

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

const fromNetstat = async (port: number): Promise<PortHolder | undefined> => {
  const pid = listeningProcess(await outputOf('netstat', ['-ano', '-p', 'TCP']), port)
  if (pid === undefined) return undefined
  const list = await outputOf('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']).catch(() => '')
  return { pid, command: programInTaskList(list) ?? 'a process' }
}

/** The output of Windows' `netstat -ano`. Its states are words of the user's language, but nobody has connected to a listener. */
export const listeningProcess = (output: string, port: number): number | undefined => {
  const row = output
    .split(/\r?\n/)
    .map((line) => line.trim().split(/\s+/))
    .find(([protocol, local, remote]) => protocol === 'TCP' && local?.endsWith(`:${port}`) && remote?.endsWith(':0'))
  const pid = Number(row?.at(-1))
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

/** The first column of Windows' `tasklist /FO CSV`. */
export const programInTaskList = (output: string): string | undefined => /^"([^"]+)","\d+"/m.exec(output)?.[1]
