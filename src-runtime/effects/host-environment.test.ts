import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makePipe } from '../shared/make-pipe.test-support.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { folderFingerprint, hostEnvironment } from './host-environment.ts'

const newFolder = (): string => temporaryFolder('env')

const folderWith = (env: string): string => {
  const folder = newFolder()
  writeFileSync(join(folder, '.env'), env)
  return folder
}

const URL = 'http://localhost:4711'

describe('the environment of effects', () => {
  it('has one variable on Windows where names differ only in case, and withholds secrets in any', () => {
    const folder = folderWith('PATH=of the file\nMINE=1')
    const own = { Path: 'C:\\Windows', service_token: 'secret', Wes_Dev_Token: 'secret', Mine: undefined }
    expect(hostEnvironment(folder, own, URL, 'win32')).toEqual({
      SERVICE_RUNTIME_URL: URL,
      Path: 'C:\\Windows',
      MINE: '1',
    })
  })

  it.skipIf(process.platform === 'win32')('is refused where .env is a named pipe, which may never end', () => {
    const folder = newFolder()
    makePipe(join(folder, '.env'))
    expect(() => hostEnvironment(folder, {}, URL)).toThrow(/\.env is a named pipe, not a file/)
  })

  it('has variables by their exact names elsewhere', () => {
    const folder = folderWith('PATH=of the file')
    const own = { Path: 'another', service_token: 'not ours', SERVICE_TOKEN: 'secret' }
    expect(hostEnvironment(folder, own, URL, 'linux')).toEqual({
      SERVICE_RUNTIME_URL: URL,
      PATH: 'of the file',
      Path: 'another',
      service_token: 'not ours',
    })
  })
})

describe('the address that clients in effects call', () => {
  const addressIn = (env: string): string | undefined =>
    hostEnvironment(folderWith(env), { SERVICE_RUNTIME_URL: 'http://localhost:3477' }, URL)['SERVICE_RUNTIME_URL']

  it('is that of the runtime itself, not the one that its own environment names', () => {
    expect(addressIn('')).toBe(URL)
  })

  it('is that of the .env, if it names one', () => {
    expect(addressIn('SERVICE_RUNTIME_URL=http://localhost:3999')).toBe('http://localhost:3999')
  })
})

describe('the fingerprint of a folder', () => {
  it('changes with every install, also of the repository that the folder is a workspace of', () => {
    const repository = newFolder()
    const folder = join(repository, 'packages', 'app')
    for (const at of [repository, folder]) mkdirSync(join(at, 'node_modules'), { recursive: true })
    const seen = [folderFingerprint(folder)]
    for (const at of [folder, repository]) {
      for (const name of ['.package-lock.json', '.modules.yaml', '.yarn-state.yml', '.yarn-integrity']) {
        writeFileSync(join(at, 'node_modules', name), '{}')
        seen.push(folderFingerprint(folder))
      }
    }
    expect(new Set(seen).size).toBe(9)
  })
})
