// Where an app finds its updates, and what releases must hold for it: `latest*.yml`, which electron-builder writes beside the packages.

import { hash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Check } from 'typebox/schema'
import { parse } from 'yaml'
import { UpdateFeed } from '../../src-main/updates/update-feed.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Arguments for electron-builder, and a line. Packages that GitHub's runners make look for updates in their repository's releases. */
export const chooseFeed = ({ GITHUB_REPOSITORY: repository = '' }: Environment) => {
  const [owner, repo] = repository.split('/')
  return owner === undefined || repo === undefined
    ? { args: [], line: 'The app looks for no updates: GITHUB_REPOSITORY is not set.' }
    : {
        args: ['-c.publish.provider=github', `-c.publish.owner=${owner}`, `-c.publish.repo=${repo}`],
        line: `The app looks for updates in the releases of ${repository}.`,
      }
}

/** electron-builder's `publish`. Throws if the app would not accept it. */
export const feedOf = (publish: unknown): UpdateFeed | null => {
  if (publish === null || publish === undefined) return null
  if (!Check(UpdateFeed, publish)) throw new Error(`the app cannot look for updates at ${JSON.stringify(publish)}`)
  return publish
}

/** electron-updater reads this file beside the archive: the name of its cache, and on Windows who signs. */
export const configFaults = (resources: string, feed: UpdateFeed | null): readonly string[] => {
  if (feed === null) return []
  const file = join(resources, 'app-update.yml')
  if (!existsSync(file)) return [`${file} is missing, so that no update could be downloaded`]
  const { updaterCacheDirName, ...others } = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>
  return [
    ...(typeof updaterCacheDirName === 'string' ? [] : [`${file} names no folder for downloads`]),
    ...Object.entries(feed).flatMap(([name, value]) =>
      others[name] === value ? [] : [`${file} has another ${name} than the archive`],
    ),
  ]
}

type ReleasedFile = { readonly url: string; readonly sha512: string; readonly size: number }

/** Of the `latest*.yml` in this folder. `ending`: of the packages that update themselves. */
export const descriptionFaults = (folder: string, version: string, ending: string): readonly string[] => {
  const names = globSync('latest*.yml', { cwd: folder })
  if (names.length !== 1) return [`${folder} has ${names.length} files latest*.yml instead of one`]
  const read = parse(readFileSync(join(folder, names[0]!), 'utf8')) as {
    readonly version: string
    readonly files: readonly ReleasedFile[]
  }
  return [
    ...(read.version === version ? [] : [`${names[0]} is for version ${read.version}`]),
    ...(read.files.some(({ url }) => url.endsWith(ending)) ? [] : [`${names[0]} names no ${ending}`]),
    ...read.files.flatMap((file) => fileFaults(folder, file)),
  ]
}

const fileFaults = (folder: string, { url, sha512, size }: ReleasedFile): readonly string[] => {
  // GitHub replaces other characters in the names of a release's files.
  if (!/^[\w.-]+$/.test(url)) return [`${url} would have another name on GitHub`]
  if (!existsSync(join(folder, url))) return [`${url} is missing`]
  const content = readFileSync(join(folder, url))
  const isSame = content.length === size && hash('sha512', content, 'base64') === sha512
  return isSame ? [] : [`${url} is not the file that was described`]
}
