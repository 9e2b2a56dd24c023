// A Restate node in a temporary folder.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { startRestateNode, type RestateNode } from './restate-node.ts'

/** `settings`: beside the usual ones, or instead of them. */
export const startTestRestate = async (settings: Readonly<Record<string, string>> = {}): Promise<RestateNode> => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-restate-'))
  const [node = 0, ingress = 0, admin = 0] = await freePorts([0, 0, 0])
  const started = await startRestateNode({ folder, ports: { node, ingress, admin }, settings })
  return {
    ...started,
    stop: async () => {
      await started.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
