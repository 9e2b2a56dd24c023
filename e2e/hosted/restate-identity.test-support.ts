// The key with which Restate signs what it sends to workers, made as docs/operating.md says.

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

const OPERATING = join(import.meta.dirname, '../../docs/operating.md')

/** By the commands that the guide gives, in that folder. */
export const makeIdentity = (folder: string): { readonly publicKey: string; readonly privateKeyFile: string } => {
  const guide = readFileSync(OPERATING, 'utf8')
  const [, make = ''] = /`(openssl genpkey [^`]+)`/.exec(guide) ?? []
  const [print = ''] = / {4}openssl pkey .*\n(?: {4}.*\n)+/.exec(guide) ?? []
  mkdirSync(join(folder, 'secrets'))
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const publicKey = execFileSync('sh', ['-ec', `${make}\n${print}`], {
    cwd: folder,
    env: { PATH },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
  return { publicKey, privateKeyFile: join(folder, 'secrets/restate-identity.pem') }
}
