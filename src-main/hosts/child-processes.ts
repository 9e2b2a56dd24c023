// How this app starts the runtime's child processes, and the name that it shows for that.

import { utilityProcess } from 'electron'
import { homedir } from 'node:os'
import type { ChildRole, Fork, Forks } from '../../src-runtime/shared/fork.ts'
import { unpacked } from '../app-folders.ts'
import { findNode } from './find-node.ts'
import { nodeForkAt } from './node-fork.ts'
import { utilityFork, type StartUtility } from './utility-fork.ts'

export type ChildProcesses = {
  readonly forks: Forks
  readonly effectsRunOn: string
  /** Whether a project's config and schemas are evaluated without access to files and the network. */
  readonly deniesSchemas: boolean
}

const startUtility: StartUtility = (file, args, options) => utilityProcess.fork(file, args, options)

export const findChildProcesses = async (): Promise<ChildProcesses> => {
  const node = await findNode(process.env, homedir())
  const inNode = (role: ChildRole): Fork =>
    node === undefined ? utilityFork(startUtility, role, unpacked) : nodeForkAt(node.path, unpacked)
  return {
    forks: {
      programs: utilityFork(startUtility, 'programs', unpacked),
      upgrade: utilityFork(startUtility, 'upgrade', unpacked),
      schemas: inNode('schemas'),
      effects: inNode('effects'),
    },
    deniesSchemas: node !== undefined,
    effectsRunOn:
      node === undefined ? `Electron’s own Node ${process.versions.node}` : `Node ${node.version} (${node.path})`,
  }
}
