import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { filesWith } from './token-search.test-support.ts'

const TOKEN = 'wes_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG'

it.each<[string, Buffer]>([
  ['as text', Buffer.from(`{"authorization":"Bearer ${TOKEN}"}`)],
  ['without its beginning and its end', Buffer.from(TOKEN.slice(4, 36))],
  ['in UTF-16', Buffer.from(`<${TOKEN}>`, 'utf16le')],
  ...[0, 1, 2].map((before): [string, Buffer] => [
    `in Base64, after ${before} bytes`,
    Buffer.from(Buffer.from(`${'"'.repeat(before)}${TOKEN}`).toString('base64')),
  ]),
])('a token is found in a file below a folder: %s', (_how, content) => {
  const folder = temporaryFolder('search')
  mkdirSync(join(folder, 'a/b'), { recursive: true })
  writeFileSync(join(folder, 'a/other'), TOKEN.toUpperCase())
  expect(filesWith(folder, TOKEN)).toEqual([])
  writeFileSync(join(folder, 'a/b/found'), Buffer.concat([Buffer.from('before '), content, Buffer.from(' after')]))
  expect(filesWith(folder, TOKEN)).toEqual([join(folder, 'a/b/found')])
})
