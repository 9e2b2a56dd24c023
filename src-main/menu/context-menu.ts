// The menu of a right click on text: a browser offers these actions by itself, Electron does not.

import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'

export type Clicked = {
  readonly isEditable: boolean
  readonly selectionText: string
  readonly editFlags: Pick<ContextMenuParams['editFlags'], 'canCut' | 'canCopy' | 'canPaste' | 'canSelectAll'>
}

/** Empty: there is nothing to do here. */
export const contextMenuTemplate = ({
  isEditable,
  selectionText,
  editFlags,
}: Clicked): MenuItemConstructorOptions[] => {
  const copy: MenuItemConstructorOptions = { role: 'copy', enabled: editFlags.canCopy }
  if (!isEditable) return selectionText.trim() === '' ? [] : [copy]
  return [
    { role: 'cut', enabled: editFlags.canCut },
    copy,
    { role: 'paste', enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', enabled: editFlags.canSelectAll },
  ]
}
