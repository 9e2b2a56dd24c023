import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { makePipe } from '../../src-runtime/shared/make-pipe.test-support.ts'
import { pathOfDeepLink } from './deep-link.ts'
import { isHandover, launchRequest } from './launch-request.ts'
import { readRunFile } from './run-file.ts'

const ID = 'exe_01h455vb4pex5vsknk084sn02q'

describe('a deep link', () => {
  const saved = [
    { id: 'acme', name: 'EU' },
    { id: 'eu', name: 'Ümlaut & Söhne' },
    { id: 'acme-prod', name: 'Acme prod' },
  ]
  it.each([
    ['', 'local'],
    ['?connection=Local', 'local'],
    ['?connection=acme-prod', 'acme-prod'],
    ['?connection=ACME%20prod', 'acme-prod'],
    ['?connection=%C3%BCmlaut+%26+S%C3%96HNE', 'eu'],
    // A name comes before an id.
    ['?connection=EU', 'acme'],
    ['?connection=acme', 'acme'],
    ['?connection=a&cancel=1', 'a'],
    ['?connection=Other%20%3Cb%3E', 'Other%20%3Cb%3E'],
  ])('opens the page of its connection, known or not: %s', (query, connection) => {
    for (const link of [`wes://executions/${ID}${query}`, `WES://executions/${ID}/${query}`]) {
      expect(pathOfDeepLink(link, saved)).toBe(`/c/${connection}/p/default/executions/${ID}`)
    }
  })

  it.each([
    '',
    'wes:',
    'wes://settings',
    'wes://executions/',
    'wes://executions/exe_1',
    `wes://executions/${ID}/../../settings`,
    `wes://executions/${ID}%2f..%2fsettings`,
    `wes://executions/${ID}?connection=`,
    `wes://executions/${ID}?connection=a%0ab`,
    `wes://executions/${ID}?connection=../x`,
    `wes://executions/${ID}?connection=..`,
    `wes://executions/${ID}?connection=${'a'.repeat(61)}`,
    `https://executions/${ID}`,
    `wes://executions@evil/${ID}`,
  ])('opens nothing else: %s', (link) => expect(pathOfDeepLink(link, [])).toBeUndefined())
})

describe('the arguments of a launch', () => {
  it('are found in any position', () => {
    const argv = ['/opt/wes', '--allow-file-access', `wes://executions/${ID}`, 'a.wes-run.json', '--no-x']
    expect(launchRequest({ argv, cwd: '/home/ada' })).toEqual({
      deepLink: `wes://executions/${ID}`,
      runFile: '/home/ada/a.wes-run.json',
    })
  })

  it('contain nothing for the app if there is no link or file', () => {
    expect(launchRequest({ argv: ['/opt/wes', '.', '--x=a.wes-run.json'], cwd: '/' })).toEqual({})
  })

  it('name a file by its URL, too', () => {
    const runFile = (file: string) => launchRequest({ argv: ['/opt/wes', file], cwd: '/home/ada' }).runFile
    expect(runFile('file:///home/ada/my%20order.wes-run.json')).toBe('/home/ada/my order.wes-run.json')
    expect(runFile('file://another.example/a.wes-run.json')).toBeUndefined()
  })

  it('name no file in a link, because any web page can create one', () => {
    for (const link of ['wes:x/../../ada/Downloads/a.wes-run.json', 'WES://executions/a.wes-run.json']) {
      expect(launchRequest({ argv: ['/opt/wes', link], cwd: '/home/ada' })).not.toHaveProperty('runFile')
    }
  })

  it('are refused in another format than that of a second instance', () => {
    expect(isHandover({ argv: ['a'], cwd: '/' })).toBe(true)
    for (const value of [undefined, {}, { argv: 'a', cwd: '/' }, { argv: [1], cwd: '/' }]) {
      expect(isHandover(value)).toBe(false)
    }
  })
})

describe('a run file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wes-run-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const file = (text: string | Buffer): string => {
    const path = join(folder, 'a.wes-run.json')
    writeFileSync(path, text)
    return path
  }

  it('contains the Program, and its input as it is written', async () => {
    const text = '{"programId":"order","input":{"a":[12345678901234567890]},"more":1}'
    expect(await readRunFile(file(text))).toEqual({ programId: 'order', text })
    // As editors of Windows write it.
    expect(await readRunFile(file('\uFEFF{"programId":"order"}'))).toEqual({
      programId: 'order',
      text: '{"programId":"order"}',
    })
  })

  it.each([
    ['{"programId":', /is not JSON/],
    ['[]', /does not say what to run/],
    ['{"programId":"../a"}', /does not say what to run/],
    [`{"programId":"a","input":"${'x'.repeat(1_200_000)}"}`, /larger than 1 MiB/],
    [`{"programId":"a","input":${'['.repeat(256)}${']'.repeat(256)}}`, /nested deeper than 256 levels/],
    [`{"programId":"a","input":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, /nested deeper than 256 levels/],
    [Buffer.from('{"programId":"a","input":"é"}', 'latin1'), /is not JSON/],
  ])('is refused with a message: %.40s', async (text, message) => {
    await expect(readRunFile(file(text))).rejects.toThrow(message)
  })

  it('is refused if it is not a file', async () => {
    await expect(readRunFile(folder)).rejects.toThrow(/is not a file/)
    const gone = join(folder, 'none.wes-run.json')
    await expect(readRunFile(gone)).rejects.toThrow(`${gone} does not exist.`)
    if (process.platform === 'win32') return
    const pipe = join(folder, 'pipe.wes-run.json')
    makePipe(pipe)
    await expect(readRunFile(pipe)).rejects.toThrow(/is not a file/)
  })
})
