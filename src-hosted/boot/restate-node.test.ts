import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { freePorts } from './free-ports.ts'
import { isRunning } from './is-running.test-support.ts'
import { startRestateNode, type RestateNode } from './restate-node.ts'

const newFolder = (): string => temporaryFolder('restate')

const start = async (folder: string, [node = 0, ingress = 0, admin = 0]: readonly number[]): Promise<RestateNode> => {
  const started = await startRestateNode({ folder, ports: { node, ingress, admin } })
  onTestFinished(started.stop)
  return started
}

const services = async ({ adminUrl }: RestateNode): Promise<unknown> => (await fetch(`${adminUrl}/services`)).json()

it('starts in an empty folder, stops, and starts again in the same folder with other ports', async () => {
  const folder = newFolder()
  const first = await start(folder, await freePorts([0, 0, 0]))
  expect(await services(first)).toEqual({ services: [] })
  await first.stop()
  expect(isRunning(first.pid)).toBe(false)
  const second = await start(folder, await freePorts([0, 0, 0]))
  expect(await services(second)).toEqual({ services: [] })
})

it('waits for one of a killed service that is still ending, and ends one that nobody ends', async () => {
  const folder = newFolder()
  const first = await start(folder, await freePorts([0, 0, 0]))
  const starting = start(folder, await freePorts([0, 0, 0]))
  setTimeout(() => process.kill(first.pid, 'SIGKILL'), 300)
  const second = await starting
  expect(await services(second)).toEqual({ services: [] })
  const third = await start(folder, await freePorts([0, 0, 0]))
  expect(await services(third)).toEqual({ services: [] })
  expect(isRunning(second.pid)).toBe(false)
})

it('says when the node has ended', async () => {
  const node = await start(newFolder(), await freePorts([0, 0, 0]))
  process.kill(node.pid, 'SIGKILL')
  await node.ended
  await node.stop()
  expect(isRunning(node.pid)).toBe(false)
})

it('leaves no temporary files behind when it is killed', async () => {
  const folder = newFolder()
  const [node = 0, ingress = 0, admin = 0] = await freePorts([0, 0, 0])
  const left = join(folder, 'temporary', 'of one that was killed')
  mkdirSync(left, { recursive: true })
  const systemFolder = join(folder, 'system')
  mkdirSync(systemFolder)
  const started = await startRestateNode({
    folder,
    ports: { node, ingress, admin },
    settings: { TMPDIR: systemFolder },
  })
  onTestFinished(started.stop)
  process.kill(started.pid, 'SIGKILL')
  await started.ended
  expect(readdirSync(systemFolder)).toEqual([])
  expect(existsSync(left)).toBe(false)
})

it('rejects when a port is taken, and leaves nothing running', async () => {
  const first = await start(newFolder(), await freePorts([0, 0, 0]))
  const port = Number(new URL(first.adminUrl).port)
  const folder = newFolder()
  const [node = 0, ingress = 0] = await freePorts([0, 0])
  await expect(start(folder, [node, ingress, port])).rejects.toThrow(`${folder}/restate.log may say why`)
})

it('ends with the process that started it, even when that is killed', async () => {
  const folder = newFolder()
  const ports = await freePorts([0, 0, 0])
  const script = join(folder, 'parent.ts')
  const module = join(import.meta.dirname, 'restate-node.ts')
  const [node, ingress, admin] = ports
  writeFileSync(
    script,
    `import { startRestateNode } from ${JSON.stringify(module)}
const { pid } = await startRestateNode({ folder: ${JSON.stringify(folder)}, ports: ${JSON.stringify({ node, ingress, admin })} })
console.log(pid)\n`,
  )
  const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))))
  expect(isRunning(pid)).toBe(true)
  parent.kill('SIGKILL')
  await vi.waitUntil(() => !isRunning(pid))
  expect(await services(await start(folder, ports))).toEqual({ services: [] })
})
