// What a package holds besides Electron, and what takes its size.

import { join } from 'node:path'
import { readArchive, type ArchivedFile } from './archive.ts'

export type Content = {
  /** A package's name, or a folder of the app. */
  readonly name: string
  readonly archivedBytes: number
  readonly unpackedBytes: number
  readonly files: number
}

export const contentsOf = (resources: string): readonly Content[] => {
  const parts = Map.groupBy(readArchive(join(resources, 'app.asar')), ({ path }) => partOf(path))
  return [...parts]
    .map(([name, files]) => ({
      name,
      archivedBytes: bytesOf(files.filter((file) => !file.isUnpacked)),
      unpackedBytes: bytesOf(files.filter((file) => file.isUnpacked)),
      files: files.length,
    }))
    .toSorted((one, other) => totalOf(other) - totalOf(one))
}

/** The name of the package that the app loads a file from. */
export const packageOf = (path: string): string | undefined => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]

const partOf = (path: string): string => {
  const name = packageOf(path)
  if (name !== undefined) return name
  const [first = '', second] = path.split('/')
  return first === 'out' && second !== undefined ? `${first}/${second}` : first
}

const bytesOf = (files: readonly ArchivedFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0)
const totalOf = ({ archivedBytes, unpackedBytes }: Content): number => archivedBytes + unpackedBytes

const SMALL_BYTES = 100_000

/** The large parts one by one, and the sum of the others. */
export const describeContents = (contents: readonly Content[]): readonly string[] => {
  const large = contents.filter((content) => totalOf(content) >= SMALL_BYTES)
  const small = contents.filter((content) => totalOf(content) < SMALL_BYTES)
  return [
    ...large.map(line),
    line(sumOf(`${small.length} smaller parts`, small)),
    line(sumOf('all but Electron', contents)),
  ]
}

const sumOf = (name: string, contents: readonly Content[]): Content => ({
  name,
  archivedBytes: contents.reduce((sum, { archivedBytes }) => sum + archivedBytes, 0),
  unpackedBytes: contents.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0),
  files: contents.reduce((sum, { files }) => sum + files, 0),
})

const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(0).padStart(7)} kB`

const line = ({ name, archivedBytes, unpackedBytes, files }: Content): string =>
  `${name.padEnd(34)}${kilobytes(archivedBytes)} archived${kilobytes(unpackedBytes)} beside it  ${String(files).padStart(5)} files`
