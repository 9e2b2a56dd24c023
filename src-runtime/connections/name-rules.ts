// Names of connections, and the ids that are made from them. Pure.

import { NAME_LIMIT } from './models.ts'

/** The ids of the local runtime and of the hosted service's own page, and a path of `/local/connections`. */
const RESERVED = new Set(['local', 'hosted', 'current', 'test'])
const ID_LIMIT = 40

/** Control characters, line ends, and marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Why the text cannot be a name; undefined if it can. */
export const nameFault = (name: string): string | undefined => {
  if (name.trim() !== name || name === '') return 'A name neither begins nor ends with a space, and is not empty.'
  if ([...name].length > NAME_LIMIT) return `A name has at most ${NAME_LIMIT} characters.`
  if (!name.isWellFormed() || UNPRINTABLE.test(name)) return 'Remove line breaks and invisible characters.'
  if (folded(name) === 'local') return 'The local runtime is named Local. Choose another name.'
  return undefined
}

/** Names that differ only in case are the same name. */
export const isSameName = (one: string, other: string): boolean => folded(one) === folded(other)

const folded = (name: string): string => name.normalize('NFKC').toLowerCase()

/** `Acme EU (staging)` → `acme-eu-staging`, with a number if that is taken. */
export const idFor = (name: string, isTaken: (id: string) => boolean): string => {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
  const stem = plain.slice(0, ID_LIMIT).replaceAll(/^-|-$/g, '') || 'connection'
  if (!isTaken(stem) && !RESERVED.has(stem)) return stem
  for (let number = 2; ; number += 1) {
    const ending = `-${number}`
    const id = stem.slice(0, ID_LIMIT - ending.length) + ending
    if (!isTaken(id)) return id
  }
}
