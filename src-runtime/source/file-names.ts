// How files of a project are named: relative to its folder, with forward slashes. Windows has files without such a name,
// on another drive or a network share: they keep their absolute path, with forward slashes.

import nodePath, { type PlatformPath } from 'node:path'

export type FileNames = {
  /** May begin with `../`. */
  nameOf(file: string): string
  fileOf(name: string): string
  /** What an import in a module of the project folder says. */
  specifierOf(name: string): string
  /** Relative to the URL of the project folder. */
  urlOf(name: string): string
}

/** `path`: the rules of a system. */
export const fileNames = (root: string, path: PlatformPath = nodePath): FileNames => ({
  nameOf: (file) => path.relative(root, file).split(path.sep).join('/'),
  fileOf: (name) => path.resolve(root, name),
  specifierOf: (name) => (name.startsWith('../') || path.isAbsolute(name) ? name : `./${name}`),
  urlOf: (name) => {
    const encoded = name.split('/').map(encodeURIComponent).join('/')
    return path.isAbsolute(name) ? encoded.replace(/^([A-Za-z])%3A/, '/$1:') : encoded
  },
})
