import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { FEED_FILE, mayLoad, readFeed, type UpdateFeed } from '../../src-main/updates/update-feed.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { chooseFeed, configFaults, feedOf, descriptionFaults } from './feed.ts'
import { gather, joinDescriptions } from './gather-release.ts'

const GITHUB: UpdateFeed = { provider: 'github', owner: 'acme', repo: 'wes' }

const folder = (files: Readonly<Record<string, string>> = {}): string => {
  const made = temporaryFolder('feed')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(made, name, '..'), { recursive: true })
    writeFileSync(join(made, name), text)
  }
  return made
}

const describing = (version: string, files: Readonly<Record<string, string>>): string =>
  stringify({
    version,
    files: Object.entries(files).map(([url, text]) => ({
      url,
      sha512: hash('sha512', text, 'base64'),
      size: text.length,
    })),
    path: Object.keys(files)[0],
    releaseDate: '2026-11-20T10:00:00.000Z',
  })

describe('the feed of a package', () => {
  it('is the repository that GitHub makes it from, and none elsewhere', () => {
    expect(chooseFeed({ GITHUB_REPOSITORY: 'acme/wes' }).args).toEqual([
      '-c.publish.provider=github',
      '-c.publish.owner=acme',
      '-c.publish.repo=wes',
    ])
    for (const env of [{}, { GITHUB_REPOSITORY: '' }]) expect(chooseFeed(env).args).toEqual([])
  })

  it('has encryption, or nothing is packaged', () => {
    expect([feedOf(null), feedOf(undefined)]).toEqual([null, null])
    expect(feedOf(GITHUB)).toEqual(GITHUB)
    expect(feedOf({ provider: 'generic', url: 'https://updates.example/wes' })).toMatchObject({ provider: 'generic' })
    for (const publish of [
      { provider: 'generic', url: 'http://updates.example' },
      { ...GITHUB, protocol: 'http' },
      { ...GITHUB, owner: 'a/b' },
      { provider: 's3', bucket: 'x' },
      [GITHUB],
      'github',
    ]) {
      expect(() => feedOf(publish)).toThrow('cannot look for updates')
    }
  })

  it('is read from the archive as it was written, and nothing else is', () => {
    const read = (content: unknown) => readFeed(folder({ [FEED_FILE]: JSON.stringify(content) }))
    expect([read(GITHUB), read(null)]).toEqual([GITHUB, null])
    expect(read({ provider: 'generic', url: 'http://updates.example' })).toBeNull()
    expect(() => readFeed(folder())).toThrow('ENOENT')
  })

  it('leads to no address without encryption, but on this computer in tests', () => {
    const local: UpdateFeed = { provider: 'generic', url: 'http://127.0.0.1:4000/x/' }
    const remote: UpdateFeed = { provider: 'generic', url: 'https://updates.example/' }
    expect(mayLoad('https://objects.example/file', GITHUB)).toBe(true)
    expect(mayLoad('http://127.0.0.1:4000/file', local)).toBe(true)
    for (const [url, feed] of [
      ['http://github.com/acme', GITHUB],
      ['http://updates.example/', remote],
      ['http://127.0.0.1:4001/file', local],
      ['http://localhost:4000/file', local],
      ['file:///etc/passwd', local],
      ['no address', local],
    ] as const) {
      expect(mayLoad(url, feed)).toBe(false)
    }
  })

  it('is the same in the file that electron-updater reads', () => {
    const config = { ...GITHUB, updaterCacheDirName: 'wes-updater' }
    expect(configFaults(folder({ 'app-update.yml': stringify(config) }), GITHUB)).toEqual([])
    expect(configFaults(folder(), null)).toEqual([])
    expect(configFaults(folder(), GITHUB)).toEqual([expect.stringContaining('app-update.yml is missing')])
    expect(configFaults(folder({ 'app-update.yml': stringify({ ...GITHUB, owner: 'x' }) }), GITHUB)).toEqual([
      expect.stringContaining('names no folder'),
      expect.stringContaining('another owner'),
    ])
  })
})

describe('the description of a release', () => {
  const files = { 'wes-mac-arm64.zip': 'zip', 'wes-mac-arm64.dmg': 'dmg' }

  it('fits its files', () => {
    const made = folder({ ...files, 'latest-mac.yml': describing('0.2.0', files), 'builder-debug.yml': 'x: 1' })
    expect(descriptionFaults(made, '0.2.0', '.zip')).toEqual([])
  })

  it('is refused if it does not', () => {
    const described = describing('0.2.0', { ...files, 'wes 0.2.0.zip': '' })
    const made = folder({ 'wes-mac-arm64.zip': 'changed', 'latest-mac.yml': described })
    expect(descriptionFaults(made, '0.3.0', '.exe')).toEqual([
      'latest-mac.yml is for version 0.2.0',
      'latest-mac.yml names no .exe',
      'wes-mac-arm64.zip is not the file that was described',
      'wes-mac-arm64.dmg is missing',
      'wes 0.2.0.zip would have another name on GitHub',
    ])
    expect(descriptionFaults(folder(), '0.2.0', '.zip')).toEqual([expect.stringContaining('has 0 files')])
  })

  it('names the packages of both machines for macOS', () => {
    const others = { 'wes-mac-x64.zip': 'other' }
    const from = folder({
      'arm64/latest-mac.yml': describing('0.2.0', files),
      'arm64/wes-mac-arm64.zip': 'zip',
      'linux/latest-linux.yml': describing('0.2.0', { 'wes.AppImage': '' }),
      'x64/latest-mac.yml': describing('0.2.0', others),
    })
    const to = join(folder(), 'to')
    gather(from, to)
    expect(readdirSync(to).toSorted()).toEqual(['latest-linux.yml', 'latest-mac.yml', 'wes-mac-arm64.zip'])
    expect(parse(readFileSync(join(to, 'latest-mac.yml'), 'utf8'))).toEqual(
      parse(describing('0.2.0', { ...files, ...others })),
    )
  })

  it('is of one version', () => {
    expect(() => joinDescriptions(describing('0.2.0', files), describing('0.3.0', files))).toThrow('not one release')
    expect(() => joinDescriptions('version: 0.2.0\n', describing('0.2.0', files))).toThrow('describes no release')
    const twice = folder({ 'a/wes.exe': '', 'b/wes.exe': '' })
    expect(() => gather(twice, join(folder(), 'to'))).toThrow('two machines have made wes.exe')
  })
})
