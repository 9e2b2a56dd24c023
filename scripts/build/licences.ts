// Lists the packages in the page, and in files of the runtime, with their licences. Settings shows the list.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const PACKAGE_FOLDER = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//

/** Their code is in files of the runtime, and they are not in the desktop app's package. */
const IN_RUNTIME = ['node_modules/quickjs-wasi']

/** Of what is compiled into `quickjs-wasi`, whose package has only the notice of its own authors. */
const NOTICES = ['ada', 'quickjs-ng']

export const listLicences = (fileName: string): Plugin => ({
  name: 'list-licences',
  generateBundle(_options, bundle) {
    const folders = new Set(IN_RUNTIME)
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      for (const id of chunk.moduleIds) {
        const folder = PACKAGE_FOLDER.exec(id.replaceAll('\\', '/'))?.[1]
        if (folder !== undefined) folders.add(folder.replaceAll('\0', ''))
      }
    }
    const licences = [
      ...NOTICES.map(noticeOf),
      ...[...folders].filter((folder) => existsSync(join(folder, 'package.json'))).map(licenceOf),
    ]
    licences.sort((one, other) => one.name.localeCompare(other.name))
    this.emitFile({ type: 'asset', fileName, source: JSON.stringify(licences) })
  },
})

const noticeOf = (name: string) => ({
  name,
  version: '',
  licence: 'MIT',
  text: readFileSync(`resources/licences/${name}.txt`, 'utf8'),
})

const licenceOf = (folder: string) => {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly name: string
    readonly version: string
    readonly license?: string
  }
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? '' : readFileSync(join(folder, file), 'utf8')
  return { name, version, licence: license ?? 'not stated', text }
}
