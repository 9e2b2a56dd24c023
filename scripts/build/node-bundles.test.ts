import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { ofProcess } from './node-bundles.ts'

const USE = `
const { refuseDatagrams, replaceNameServers } = await import(process.argv[1])
refuseDatagrams()
replaceNameServers('')
for (const [name, method] of [['dgram', 'createSocket'], ['dns', 'lookup'], ['dns', 'resolve']]) {
  try {
    process.getBuiltinModule('node:' + name)[method]('udp4')
  } catch ({ message }) {
    console.log(message)
  }
}`

it('modules in a bundle change the modules of Node, as they do in the sources', async () => {
  const outfile = join(temporaryFolder('bundle'), 'bundle.mjs')
  await build({ ...ofProcess('src-hosted/effects/host/refuse-datagrams.ts', 'node24'), outfile })
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', USE, outfile], { encoding: 'utf8' })
  expect(printed.trim().split('\n')).toEqual([
    'effects of this service cannot use UDP',
    'dns.lookup takes a callback',
    expect.stringMatching(/^dns\.resolve is not available to effects of this service/),
  ])
})
