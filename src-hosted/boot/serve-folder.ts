// The data folder of `wes serve`: its owner, and the ports that the processes of its own had before.

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

const Owner = Type.Object({ pid: Type.Integer({ minimum: 1 }), url: Type.Optional(Type.String()) })
const Port = Type.Integer({ minimum: 1, maximum: 65_535 })
const Ports = Type.Object({ postgres: Port, node: Port, ingress: Port, admin: Port, worker: Port })

export type ServePorts = Readonly<Static<typeof Ports>>

/** Makes the folder and owns it. Throws DataDirectoryInUseError when another process owns it. */
export const openServeFolder = (folder: string): ServeFolder => {
  const path = resolve(folder)
  const release = ownDirectory({ directory: path, files: [OWNER, PORTS], privateFiles: [], ownerOf })
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

const ownerOf = (folder: string): { readonly pid?: number; readonly url?: string } => {
  const read = readFormedFile(join(folder, OWNER), (content) => Check(Owner, content))
  return ('content' in read ? read.content : undefined) ?? {}
}
