// A Restate node in a temporary folder.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-ports.ts'
import { startRestateNode, type RestateNode } from './restate-node.ts'

/** `settings`: beside the usual ones, or instead of them. `instead`: at the addresses of one that was stopped. */
export const startTestRestate = async (
  options: {
    readonly settings?: Readonly<Record<string, string>>
    readonly instead?: Pick<RestateNode, 'ingressUrl' | 'adminUrl'>
  } = {},
): Promise<RestateNode> => {
  const { settings = {}, instead } = options
  const folder = mkdtempSync(join(tmpdir(), 'wes-restate-'))
  const wanted = [instead?.ingressUrl, instead?.adminUrl].map((url) =>
    url === undefined ? 0 : Number(new URL(url).port),
  )
  const [node = 0, ingress = 0, admin = 0] = await freePorts([0, ...wanted])
  const started = await startRestateNode({ folder, ports: { node, ingress, admin }, settings })
  return {
    ...started,
    stop: async () => {
      await started.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
