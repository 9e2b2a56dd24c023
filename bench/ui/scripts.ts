// How much JavaScript a page needed, as it comes over a wire that compresses.

import type { Page } from '@playwright/test'
import { gzipSync } from 'node:zlib'

export type Script = { readonly name: string; readonly gzipBytes: number }

/** Notes each script of the page from now on. */
export const watchScripts = (page: Page): (() => Promise<readonly Script[]>) => {
  const found: Promise<Script>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return
    const name = new URL(response.url()).pathname.split('/').at(-1) ?? ''
    found.push(response.body().then((body) => ({ name, gzipBytes: gzipSync(body).length })))
  })
  return () => Promise.all(found)
}

export const totalOf = (scripts: readonly Script[]): number =>
  scripts.reduce((sum, { gzipBytes }) => sum + gzipBytes, 0)
