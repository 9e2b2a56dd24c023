// What people see of a release, from what the feed says about it. A feed may say anything. Pure.

import type { Update } from '../preload/desktop-api.ts'
import { plainNotes } from './release-notes.ts'

/** Of the files that the app can install. */
export const fileEnding = (platform: NodeJS.Platform): string =>
  platform === 'darwin' ? '.zip' : platform === 'win32' ? '.exe' : '.AppImage'

/** Throws if the release has no file for this system. */
export const describeUpdate = (info: object, platform: NodeJS.Platform, arch: string): Update => {
  const { version, files, path, releaseDate, releaseNotes } = info as Readonly<Record<string, unknown>>
  const named = (Array.isArray(files) ? (files as readonly unknown[]) : [{ url: path }]).flatMap(fileOf)
  const fitting = named.filter(({ url }) => url.toLowerCase().endsWith(fileEnding(platform).toLowerCase()))
  const file = fitting.find(({ url }) => url.includes(arch)) ?? fitting[0]
  if (file === undefined) throw new Error(`version ${String(version)} has no file for this system`)
  return {
    version: String(version),
    bytes: file.size,
    releasedAt: timeOf(releaseDate),
    notes: plainNotes(releaseNotes),
  }
}

const fileOf = (file: unknown): readonly { readonly url: string; readonly size: number | null }[] => {
  if (typeof file !== 'object' || file === null) return []
  const { url, size } = file as Readonly<Record<string, unknown>>
  if (typeof url !== 'string') return []
  return [{ url, size: typeof size === 'number' && Number.isSafeInteger(size) && size > 0 ? size : null }]
}

/** YAML reads a time without quotes as a date. */
const timeOf = (said: unknown): string | null => {
  const ms = said instanceof Date ? said.getTime() : typeof said === 'string' ? Date.parse(said) : Number.NaN
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}
