// How the runtime's child processes are started in this app, and what to call that.

import { utilityProcess } from 'electron'
import { homedir } from 'node:os'
import type { Forks } from '../../src-runtime/shared/fork.ts'
import { unpacked } from '../app-folders.ts'
import { findNode } from './find-node.ts'
import { nodeForkAt } from './node-fork.ts'
import { utilityFork, type StartUtility } from './utility-fork.ts'

export type ChildProcesses = { readonly forks: Forks; readonly effectsRunOn: string }

const startUtility: StartUtility = (file, args, options) => utilityProcess.fork(file, args, options)

export const findChildProcesses = async (): Promise<ChildProcesses> => {
  const node = await findNode(process.env, homedir())
  return {
    forks: {
      programs: utilityFork(startUtility, 'programs', unpacked),
      schemas: utilityFork(startUtility, 'schemas', unpacked),
      effects: node === undefined ? utilityFork(startUtility, 'effects', unpacked) : nodeForkAt(node.path, unpacked),
    },
    effectsRunOn:
      node === undefined ? `Electron’s own Node ${process.versions.node}` : `Node ${node.version} (${node.path})`,
  }
}
