// Searches for a token in everything that the app leaves or shows: the page's memory and storage, its files, what it saves
// and prints, and the arguments and environment of its processes.

import type { ElectronApplication, Page } from '@playwright/test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { descendantsOf } from '../leftovers.ts'

/** Encodings that files use. A part of the token is enough, so that one that was cut is found as well. */
const encodings = (token: string): readonly Buffer[] => {
  const part = token.slice(4, 36)
  const base64 = [0, 1, 2].map((before) =>
    Buffer.from('x'.repeat(before) + part)
      .toString('base64')
      .slice(4, -4),
  )
  return [Buffer.from(part), Buffer.from(part, 'utf16le'), ...base64.map((text) => Buffer.from(text))]
}

const contains = (content: Buffer, token: string): boolean => encodings(token).some((text) => content.includes(text))

/** The files below a folder that contain it. Chromium removes folders meanwhile. */
export const filesWith = (folder: string, token: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return existsSync(path) ? filesWith(path, token) : []
    return entry.isFile() && contains(contentOf(path), token) ? [path] : []
  })

/** The app's processes whose arguments or environment contain it. On Linux only. */
export const processesWith = (electronApp: ElectronApplication, token: string): readonly string[] =>
  pidsOf(electronApp)
    .flatMap((pid) => ['cmdline', 'environ'].map((file) => `/proc/${pid}/${file}`))
    .filter((file) => contains(contentOf(file), token))

/** Chromium's profile, if it is not in the folder of the app. */
export const profilesOf = (electronApp: ElectronApplication): readonly string[] => {
  const found = pidsOf(electronApp).flatMap((pid) =>
    contentOf(`/proc/${pid}/cmdline`)
      .toString()
      .split('\0')
      .filter((argument) => argument.startsWith('--user-data-dir='))
      .map((argument) => argument.slice('--user-data-dir='.length)),
  )
  return [...new Set(found)]
}

const pidsOf = (electronApp: ElectronApplication): readonly number[] => {
  const pid = electronApp.process().pid!
  return [pid, ...descendantsOf(pid).map((child) => child.pid)]
}

/** Empty for what has just ended or been removed. */
const contentOf = (file: string): Buffer => {
  try {
    return readFileSync(file)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Everything that is reachable in the memory of the page’s scripts. */
export const heapOf = async (page: Page): Promise<string> => {
  const session = await page.context().newCDPSession(page)
  const parts: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk))
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return parts.join('')
}

/** Storage, fields, texts and addresses of the page. */
export const shownAndStored = async (page: Page): Promise<string> => {
  const session = await page.context().newCDPSession(page)
  const { entries } = await session.send('Page.getNavigationHistory')
  await session.detach()
  const own = await page.evaluate(async () => {
    const caches = globalThis.isSecureContext ? await globalThis.caches.keys() : []
    const databases = (await indexedDB.databases()).map(({ name }) => name)
    const fields = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value)
    const addresses = performance.getEntries().map(({ name }) => name)
    const stored = [{ ...localStorage }, { ...sessionStorage }, history.state as unknown, caches, databases]
    return JSON.stringify([...stored, fields, addresses, document.cookie, document.documentElement.outerHTML])
  })
  return own + JSON.stringify(entries)
}

/** Everything that the app prints from now on. */
export const outputOf = (electronApp: ElectronApplication): (() => string) => {
  const { stdout, stderr } = electronApp.process()
  const parts: Buffer[] = []
  for (const stream of [stdout, stderr]) stream?.on('data', (part: Buffer | string) => parts.push(Buffer.from(part)))
  return () => Buffer.concat(parts).toString()
}

/** Keeps the texts of files that the page saves from now on, until it is loaded again. They are still saved. */
export const recordSavedFiles = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const create = URL.createObjectURL.bind(URL)
    const saved: Promise<string>[] = []
    Object.assign(globalThis, { savedFiles: saved })
    URL.createObjectURL = (file) => {
      if (file instanceof Blob) saved.push(file.text())
      return create(file)
    }
  })

export const savedFiles = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() => Promise.all((globalThis as unknown as { savedFiles: Promise<string>[] }).savedFiles))
