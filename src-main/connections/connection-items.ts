// The items of menus that switch the page to another connection.

import type { MenuItemConstructorOptions } from 'electron'
import { inOneLine } from '../../src-renderer/ui/hidden-characters.ts'

export type ConnectionChoice = { readonly id: string; readonly name: string }

export type ConnectionChoices = {
  /** The saved ones; the local runtime is always there. */
  readonly saved: readonly ConnectionChoice[]
  /** The id of the one that the page shows. */
  readonly shown: string
}

export const LOCAL: ConnectionChoice = { id: 'local', name: 'Local' }

/** `prefix`: of the items' ids. */
export const connectionItems = (
  { saved, shown }: ConnectionChoices,
  prefix: string,
  open: (path: string) => void,
): MenuItemConstructorOptions[] =>
  [LOCAL, ...saved].map(({ id, name }) => ({
    id: `${prefix}${id}`,
    label: escaped(name),
    type: 'radio',
    checked: id === shown,
    click: () => open(connectionPath(id, '/executions')),
  }))

/** The address of a page in the default project of a connection. */
export const connectionPath = (id: string, page: string): string => `/c/${encodeURIComponent(id)}/p/default${page}`

/** For a name in a menu. An ampersand would underline the next letter. */
export const escaped = (label: string): string => inOneLine(label).replaceAll('&', '&&')
