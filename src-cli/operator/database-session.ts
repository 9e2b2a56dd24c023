// What commands print that work on a service's database itself, as it is printed of answers of the API.

import type { PageRequest } from '#runtime/operations/page-cursor.ts'
import type { Page } from '#sdk/index.ts'
import type { ListSession } from '../list-commands.ts'
import { outputOf, type ClientFlags } from '../session.ts'
import type { Terminal } from '../terminal.ts'

export type DatabaseSession = ListSession & {
  /** Keeps the text of an answer for --json. */
  read<Shape>(answer: string): Shape
}

export const openDatabaseSession = (flags: ClientFlags, terminal: Terminal): DatabaseSession => {
  let text = ''
  return {
    read: <Shape>(answer: string): Shape => {
      text = answer
      return JSON.parse(answer) as Shape
    },
    lastAnswer: () => ({ status: 200, text }),
    ...outputOf(flags, terminal),
  }
}

export const pageRequestOf = ({ limit, cursor }: Page): PageRequest => ({
  ...(limit !== undefined && { limit }),
  ...(typeof cursor === 'string' && { cursor }),
})
