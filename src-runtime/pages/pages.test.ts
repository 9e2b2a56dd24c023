import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { readPages } from './pages.ts'

let folder = ''

const write = (path: string, text: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}

beforeEach(() => {
  folder = temporaryFolder('pages')
})

test('files are served by their paths, with their types', () => {
  write('index.html', '<p>one</p>')
  write('assets/fonts/text.woff2', 'font')
  const pages = readPages(folder)
  expect(pages.index).toEqual({
    contentType: 'text/html; charset=utf-8',
    body: Buffer.from('<p>one</p>'),
    isForever: false,
  })
  expect(pages.asset('/assets/fonts/text.woff2')).toEqual({
    contentType: 'font/woff2',
    body: Buffer.from('font'),
    isForever: false,
  })
})

test('files with a content hash in their names may be cached for ever', () => {
  write('index.html', '')
  for (const name of ['chart-BT_P-5Rq.css', 'CompositeList-BAyV792B.js', 'status.css']) write(`assets/${name}`, '')
  const pages = readPages(folder)
  expect(pages.asset('/assets/chart-BT_P-5Rq.css')?.isForever).toBe(true)
  expect(pages.asset('/assets/CompositeList-BAyV792B.js')?.isForever).toBe(true)
  expect(pages.asset('/assets/status.css')?.isForever).toBe(false)
})

test('for callers over a network, long files that never change are compressed', async () => {
  const long = 'export const a = 1\n'.repeat(1_000)
  for (const name of ['page-BT_P-5Rq.js', 'font-BT_P-5Rq.woff2', 'page.js']) write(`assets/${name}`, long)
  write('assets/short-BT_P-5Rq.js', 'export {}')
  const pages = readPages(folder, { compresses: true })
  const gzipped = await pages.asset('/assets/page-BT_P-5Rq.js')?.gzipped?.()
  expect(gunzipSync(gzipped!).toString()).toBe(long)
  for (const name of ['font-BT_P-5Rq.woff2', 'page.js', 'short-BT_P-5Rq.js']) {
    expect(pages.asset(`/assets/${name}`)?.gzipped, name).toBeUndefined()
  }
  expect(readPages(folder).asset('/assets/page-BT_P-5Rq.js')?.gzipped).toBeUndefined()
})

test('a rebuilt page is served at once', () => {
  write('index.html', 'one')
  write('assets/one.js', '1')
  const pages = readPages(folder)
  expect(pages.asset('/assets/one.js')?.body.toString()).toBe('1')
  rmSync(folder, { recursive: true })
  expect(pages.index).toBeUndefined()
  expect(pages.asset('/assets/one.js')).toBeUndefined()
  write('index.html', 'two')
  write('assets/two.js', '2')
  expect(pages.index?.body.toString()).toBe('two')
  expect(pages.asset('/assets/two.js')?.body.toString()).toBe('2')
  expect(pages.asset('/assets/one.js')).toBeUndefined()
})

test('the folder is not listed again for each file that is not there, but only once it has changed', () => {
  write('index.html', '')
  write('assets/fonts/text.woff2', 'font')
  const setTimes = (at: Date) => ['assets', 'assets/fonts'].forEach((path) => utimesSync(join(folder, path), at, at))
  const [before, later] = [new Date(Date.now() - 120_000), new Date(Date.now() - 60_000)]
  setTimes(before)
  const pages = readPages(folder)
  expect(pages.asset('/assets/fonts/new.woff2')).toBeUndefined()
  write('assets/fonts/new.woff2', 'new')
  setTimes(before)
  expect(pages.asset('/assets/fonts/new.woff2')).toBeUndefined()
  setTimes(later)
  expect(pages.asset('/assets/fonts/new.woff2')?.body.toString()).toBe('new')
})

test('no files outside assets are served', () => {
  write('index.html', 'page')
  write('secret.txt', 'secret')
  write('assets/page.js', '')
  const pages = readPages(folder)
  for (const path of ['/secret.txt', '/assets', '/assets/', '/assets/../secret.txt', '/assets/..%2fsecret.txt', '/']) {
    expect(pages.asset(path), path).toBeUndefined()
  }
})
