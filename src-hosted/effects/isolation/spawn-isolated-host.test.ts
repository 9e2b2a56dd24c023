import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('says that the system has no descriptors left for a process, and ends nothing else', async () => {
  const code = `
    import { openSync } from 'node:fs'
    import { isolatedSpawn } from ${JSON.stringify(new URL('spawn-isolated-host.ts', import.meta.url).href)}
    const spawn = isolatedSpawn({ kind: 'unsafe' }, { workspaceId: 'wsp_1', run: '/tmp', work: '/tmp', memoryMb: 100, cpuMs: { use: () => 0 } })
    try {
      for (;;) openSync('/dev/null')
    } catch {}
    const onExit = ({ error }) => console.log(error.code)
    const host = spawn({ folder: '/tmp', environment: {}, heapMb: 100 }, { onMessage() {}, onOutput() {}, onExit })
    host.send([{}])
    host.kill()`
  const node = [process.execPath, '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', 'ulimit -n 60; exec "$@"', 'sh', ...node])
  expect(stdout).toBe('EMFILE\n')
})
