// A feed of releases on this computer, with real files, and an AppImage that is updated from it: a shell script in its place.

import { hash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { DesktopHome } from './desktop-home.ts'

const FILE = 'wes.AppImage'
/** What people would download; large enough to arrive in parts. */
const PADDING = `\n# ${'x'.repeat(500_000)}\n`

export type Release = {
  readonly version: string
  /** What the AppImage does when it is started. */
  readonly script?: string
  readonly notes?: string
  readonly sha512?: string
}

export type Feed = {
  readonly url: string
  /** The paths asked for. */
  readonly asked: string[]
  publish(channel: 'latest' | 'beta', release: Release): void
  /** Any text in the place of the channel's file. */
  write(channel: 'latest' | 'beta', text: string): void
  /** How it sends files from now on. `half`: then it closes the connection; `held`: until `send` is called. */
  how: 'whole' | 'half' | 'held' | 'redirected' | 'gone'
  /** Sends the rest of what is held. */
  send(): void
  close(): Promise<void>
}

export const openFeed = async (): Promise<Feed> => {
  const files = new Map<string, Buffer>()
  const held: (() => void)[] = []
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://feed').pathname
    feed.asked.push(path)
    const content = files.get(path)
    if (feed.how === 'gone') return response.destroy()
    if (content === undefined) return response.writeHead(404).end()
    if (feed.how === 'redirected') {
      return response.writeHead(302, { location: `http://localhost:${address().port}${path}` }).end()
    }
    answer(response, content, path.endsWith('.yml') ? 'whole' : feed.how, held)
    return undefined
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = () => server.address() as AddressInfo
  const feed: Feed = {
    url: `http://127.0.0.1:${address().port}/`,
    asked: [],
    how: 'whole',
    publish: (channel, release) => {
      const content = Buffer.from(`#!/bin/sh\n${release.script ?? ''}\nexit 0${PADDING}`)
      const file = `/${release.version}/${FILE}`
      files.set(file, content)
      files.set(`/${channel}-linux.yml`, Buffer.from(channelFile(release, file.slice(1), content)))
    },
    write: (channel, text) => void files.set(`/${channel}-linux.yml`, Buffer.from(text)),
    send: () => {
      for (const end of held.splice(0)) end()
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return feed
}

const answer = (response: ServerResponse, content: Buffer, how: Feed['how'], held: (() => void)[]): void => {
  response.writeHead(200, { 'content-length': content.length })
  if (how === 'whole') return void response.end(content)
  const half = content.length / 2
  response.write(content.subarray(0, half), () => {
    if (how === 'half') response.destroy()
    else held.push(() => response.end(content.subarray(half)))
  })
}

/** As electron-builder writes it. */
const channelFile = ({ version, notes, sha512 }: Release, url: string, content: Buffer): string => {
  const sum = sha512 ?? hash('sha512', content, 'base64')
  return [
    `version: ${version}`,
    'files:',
    `  - url: ${url}`,
    `    sha512: ${sum}`,
    `    size: ${content.length}`,
    `path: ${url}`,
    `sha512: ${sum}`,
    "releaseDate: '2026-11-20T10:00:00.000Z'",
    ...(notes === undefined ? [] : [`releaseNotes: ${JSON.stringify(notes)}`]),
    '',
  ].join('\n')
}

export type AppImage = {
  readonly file: string
  readonly env: Readonly<Record<string, string>>
  content(): string
}

/** As if the app had been started from an AppImage in the user's folder. */
export const placeAppImage = (home: DesktopHome, feed: Feed): AppImage => {
  const folder = join(home.folder, 'Apps')
  mkdirSync(folder)
  const file = join(folder, FILE)
  writeFileSync(file, 'version 0.1.0')
  chmodSync(file, 0o755)
  writeFileSync(join(home.userData, 'app-update.yml'), 'updaterCacheDirName: wes-updater\n')
  return {
    file,
    env: {
      APPIMAGE: file,
      // The executable's; whatever Electron runs is within it.
      APPDIR: '/',
      XDG_CACHE_HOME: join(home.folder, 'cache'),
      WES_UPDATE_FEED: feed.url,
    },
    content: () => readFileSync(file, 'utf8'),
  }
}
