// The data folder of `wes serve`: its owner, the ports that the processes of its own had before, and whether it is a copy.

import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { ownDirectory } from '../../src-runtime/data-directory/own-directory.ts'
import { readFormedFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import { freePorts } from './free-ports.ts'

export type ServeFolder = {
  /** An absolute path. */
  readonly path: string
  /** Gives the folder up. May be called twice. */
  release(): void
}

const OWNER = 'serve.json'
const PORTS = 'ports.json'
const ORIGINAL = 'original.json'
/** Never written again once the database is made. */
const OLDEST_FILE = join('postgres', 'data', 'PG_VERSION')

const Owner = Type.Object({ pid: Type.Integer({ minimum: 1 }), url: Type.Optional(Type.String()) })
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const Ports = Type.Object({ postgres: Port, node: Port, ingress: Port, admin: Port, worker: Port })

const Original = Type.Object({ postgresMade: Type.String() })

export type ServePorts = Readonly<Static<typeof Ports>>

/** Makes the folder and owns it. Throws DataDirectoryInUseError when another process owns it. */
export const openServeFolder = (folder: string): ServeFolder => {
  const path = resolve(folder)
  const release = ownDirectory({ directory: path, files: [OWNER, PORTS, ORIGINAL], privateFiles: [], ownerOf })
  writeOwner(path, undefined)
  return { path, release }
}

/** Tells those who cannot have the folder who has it. */
export const writeOwner = (folder: string, url: string | undefined): void =>
  writeJsonFile(join(folder, OWNER), { pid: process.pid, ...(url !== undefined && { url }) })

/** A worker that comes back at its old port goes on with what it had begun. */
export const choosePorts = async (folder: string): Promise<ServePorts> => {
  const known = portsIn(folder) ?? { postgres: 0, node: 0, ingress: 0, admin: 0, worker: 0 }
  const { postgres, node, ingress, admin, worker } = known
  const chosen = await freePorts([postgres, node, ingress, admin, worker])
  const ports = Object.fromEntries(Object.keys(known).map((name, index) => [name, chosen[index]]))
  if (!Check(Ports, ports)) throw new Error('there are no free ports')
  writeJsonFile(join(folder, PORTS), ports)
  return ports
}

/** Those that its service has now, or had last. */
export const portsIn = (folder: string): ServePorts | undefined => {
  const read = readFormedFile(join(folder, PORTS), (content) => Check(Ports, content))
  return 'content' in read ? read.content : undefined
}

/** Whether its database is not the one that was noted here last: a backup that was restored, as far as anybody can tell. */
export const isCopy = (folder: string): boolean => {
  const read = readFormedFile(join(folder, ORIGINAL), (content) => Check(Original, content))
  return ('content' in read ? read.content?.postgresMade : undefined) !== postgresMade(folder)
}

export const noteOriginal = (folder: string): void =>
  writeJsonFile(join(folder, ORIGINAL), { postgresMade: postgresMade(folder) })

/** The system sets this time by itself, so no copy has it, however it is made. */
const postgresMade = (folder: string): string => String(statSync(join(folder, OLDEST_FILE), { bigint: true }).ctimeNs)

const ownerOf = (folder: string): { readonly pid?: number; readonly url?: string } => {
  const read = readFormedFile(join(folder, OWNER), (content) => Check(Owner, content))
  return ('content' in read ? read.content : undefined) ?? {}
}
