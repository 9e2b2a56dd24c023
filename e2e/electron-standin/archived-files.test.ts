import { ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { refuseArchivedFiles } from './archived-files.ts'
import { readInstalledCommandLine } from './command-line.ts'

const install = (): string => {
  const folder = temporaryFolder('standin')
  mkdirSync(join(folder, 'resources/app.asar'), { recursive: true })
  writeFileSync(
    join(folder, 'resources/app.asar/package.json'),
    '{ "name": "app", "version": "1.2.3", "main": "main.js" }',
  )
  return folder
}

describe('an installed app', () => {
  it('is the one beside its executable, and gets all arguments but those for tests', () => {
    const folder = install()
    const executable = join(folder, 'app')
    expect(readInstalledCommandLine(executable, ['--no-sandbox', '-r', 'record.cjs', 'wes://x'])).toEqual({
      required: ['record.cjs'],
      args: ['--no-sandbox', 'wes://x'],
      entry: join(folder, 'resources/app.asar/main.js'),
      facts: { folder: join(folder, 'resources/app.asar'), name: 'app', version: '1.2.3', installedAs: executable },
    })
  })

  it('is refused while its archive is one', () => {
    const folder = install()
    rmSync(join(folder, 'resources/app.asar'), { recursive: true })
    writeFileSync(join(folder, 'resources/app.asar'), '')
    expect(() => readInstalledCommandLine(join(folder, 'app'), [])).toThrow(/it cannot read archives/)
  })
})

describe('a process that is started', () => {
  it('may be told files beside the archive, and none in it', async () => {
    const prototype = ChildProcess.prototype as unknown as { spawn: unknown }
    const { spawn: original } = prototype
    onTestFinished(() => void (prototype.spawn = original))
    refuseArchivedFiles()
    for (const start of [
      () => spawn('/opt/app/resources/app.asar/bin/esbuild'),
      () => spawn(process.execPath, ['--allow-fs-read=/opt/app/resources/app.asar/out']),
      () => spawn(process.execPath, [], { cwd: '/opt/app/resources/app.asar' }),
    ]) {
      expect(start).toThrow(/another program cannot use a file of the archive: .*app\.asar/)
    }
    const running = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
    const tell = (text: string | Buffer) => running.stdin.write(text)
    expect(() => tell('entry\0/opt/app/resources/app.asar/out/sdk.js\0')).toThrow(
      /archive: entry.*app\.asar\/out\/sdk\.js/s,
    )
    expect(() => tell(Buffer.from('/app.asar/out'))).toThrow(/archive: \/app\.asar\/out/)
    expect(tell('/opt/app/resources/app.asar.unpacked/out/host.js')).toBe(true)
    running.stdin.end()
    const allowed = spawn(process.execPath, ['-e', '', '/opt/app/resources/app.asar.unpacked/out/host.js'])
    expect(await once(allowed, 'exit')).toEqual([0, null])
    expect(execFileSync(process.execPath, ['-p', '1']).toString()).toBe('1\n')
  })
})
