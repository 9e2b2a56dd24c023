// Reads app.asar.

import { createRequire } from 'node:module'

type Entry =
  | { readonly files: Readonly<Record<string, Entry>> }
  | { readonly size: number; readonly unpacked?: boolean; readonly integrity: { readonly hash: string } }
  | { readonly link: string }

/** What we use of the package. */
const asar = createRequire(import.meta.url)('@electron/asar') as {
  getRawHeader(archive: string): { readonly header: Entry }
}

export type ArchivedFile = {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** Beside the archive. */
  readonly isUnpacked: boolean
}

export const readArchive = (archive: string): readonly ArchivedFile[] => filesOf(asar.getRawHeader(archive).header, '')

const filesOf = (entry: Entry, path: string): readonly ArchivedFile[] => {
  if ('link' in entry) throw new Error(`the archive contains a link: ${path}`)
  if ('files' in entry) {
    return Object.entries(entry.files).flatMap(([name, child]) =>
      filesOf(child, path === '' ? name : `${path}/${name}`),
    )
  }
  return [{ path, bytes: entry.size, sha256: entry.integrity.hash, isUnpacked: entry.unpacked === true }]
}
