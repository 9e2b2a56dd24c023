// Whose process is at the other end of a connection within this computer. Only Linux is asked, because only there pages are opened
// by command lines that other users can read.

import { readFileSync } from 'node:fs'

type Ends = { readonly localPort?: number | undefined; readonly remotePort?: number | undefined }

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const ROOT = 0

/** False if the peer is another user's. Root may read everything anyway; a runtime of root is used in browsers of others. */
export const isOfThisUser = (connection: Ends): boolean => {
  const own = process.getuid?.()
  if (process.platform !== 'linux' || own === undefined || own === ROOT) return true
  return TABLES.flatMap((file) => usersOfPeer(textOf(file), connection)).every((user) => user === own || user === ROOT)
}

/** Rows of /proc/net/tcp: number, local address, remote address, …, user in the eighth column. The peer's row is the other way round. */
export const usersOfPeer = (table: string, { localPort, remotePort }: Ends): readonly number[] =>
  table
    .split('\n')
    .slice(1)
    .map((row) => row.trim().split(/\s+/))
    .filter(([, local = '', remote = '']) => portOf(local) === remotePort && portOf(remote) === localPort)
    .map((columns) => Number(columns[7]))

const portOf = (address: string): number => parseInt(address.slice(address.lastIndexOf(':') + 1), 16)

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
