// Every shortcut of the dashboard. All handlers take their keys from here, so that the list behind `?` is complete.

import { useHotkeys } from 'react-hotkeys-hook'
import type { Connection } from '../api/connection.ts'
import { useConfirmation } from '../stores/confirmation.ts'
import { openDialog, type OpenDialog, useDialog } from '../stores/dialogs.ts'

export type Shortcut = {
  readonly keys: string
  readonly shown: string
  readonly does: string
  readonly group: Group
  /** The only kind of connection that has what it leads to. */
  readonly only?: Connection['kind']
}
type Group = 'Everywhere' | 'In a dialog' | 'Lists' | 'An Execution' | 'In a timeline' | 'In a value or in code'

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)
const mod = isMac ? '⌘' : 'Ctrl'

export const SHORTCUTS = {
  palette: { keys: 'mod+k', shown: `${mod}+K`, does: 'Open the command palette', group: 'Everywhere' },
  shortcuts: { keys: '?', shown: '?', does: 'List the shortcuts', group: 'Everywhere' },
  start: { keys: 's', shown: 'S', does: 'Start an Execution', group: 'Everywhere' },
  search: { keys: '/', shown: '/', does: 'Search in this list', group: 'Everywhere' },
  goExecutions: { keys: 'g>e', shown: 'G E', does: 'Go to Executions', group: 'Everywhere' },
  goPrograms: { keys: 'g>p', shown: 'G P', does: 'Go to Programs', group: 'Everywhere' },
  goWaiting: { keys: 'g>w', shown: 'G W', does: 'Go to Waiting', group: 'Everywhere' },
  goErrors: { keys: 'g>r', shown: 'G R', does: 'Go to Errors', group: 'Everywhere' },
  goMetrics: { keys: 'g>m', shown: 'G M', does: 'Go to Metrics', group: 'Everywhere' },
  goTriggers: { keys: 'g>h', shown: 'G H', does: 'Go to Triggers', group: 'Everywhere', only: 'hosted' },
  goSettings: { keys: 'g>t', shown: 'G T', does: 'Go to Settings', group: 'Everywhere' },
  submit: { keys: 'mod+enter', shown: `${mod}+Enter`, does: 'Submit the dialog', group: 'In a dialog' },
  next: { keys: 'j', shown: 'J', does: 'Next row', group: 'Lists' },
  previous: { keys: 'k', shown: 'K', does: 'Previous row', group: 'Lists' },
  open: { keys: 'enter', shown: 'Enter', does: 'Open the row', group: 'Lists' },
  select: { keys: 'x', shown: 'X', does: 'Select the row', group: 'Lists' },
  leave: { keys: 'escape', shown: 'Esc', does: 'Close the open panel, clear the selection', group: 'Lists' },
  sendEvent: { keys: 'e', shown: 'E', does: 'Send an event', group: 'An Execution' },
  cancel: { keys: 'c', shown: 'C', does: 'Cancel the Execution', group: 'An Execution' },
  runAgain: { keys: 'r', shown: 'R', does: 'Run again', group: 'An Execution' },
  zoomIn: { keys: '+', shown: '+', does: 'Zoom in', group: 'In a timeline' },
  zoomOut: { keys: '-', shown: '-', does: 'Zoom out', group: 'In a timeline' },
  zoomSelected: { keys: 'z', shown: 'Z', does: 'Zoom to the selection', group: 'In a timeline' },
  zoomAll: { keys: '0', shown: '0', does: 'Zoom to fit', group: 'In a timeline' },
  pan: { keys: 'shift+arrow', shown: 'Shift+← →', does: 'Pan', group: 'In a timeline' },
  suggest: {
    keys: 'ctrl+space',
    shown: 'Ctrl+Space',
    does: 'Show suggestions',
    group: 'In a value or in code',
  },
  format: {
    keys: 'shift+alt+f',
    shown: 'Shift+Alt+F',
    does: 'Format the JSON',
    group: 'In a value or in code',
  },
  openSiblings: {
    keys: '*',
    shown: '*',
    does: 'Expand all siblings in a tree',
    group: 'In a value or in code',
  },
  copyValue: {
    keys: 'mod+c',
    shown: `${mod}+C`,
    does: 'Copy the selected value of a tree',
    group: 'In a value or in code',
  },
  nextChange: {
    keys: 'n',
    shown: 'N',
    does: 'Next change between two versions',
    group: 'In a value or in code',
  },
  previousChange: { keys: 'p', shown: 'P', does: 'Previous change', group: 'In a value or in code' },
} as const satisfies Readonly<Record<string, Shortcut>>

export type ShortcutName = keyof typeof SHORTCUTS

const IN_FIELDS: ReadonlySet<ShortcutName> = new Set(['palette', 'submit'])

/** After `g`, the next key only names a screen. */
const SEQUENCE_MS = 1_000
let keyBefore = { key: '', at: 0 }
let keyNow = keyBefore
document.addEventListener(
  'keydown',
  ({ key }) => {
    keyBefore = keyNow
    keyNow = { key, at: performance.now() }
  },
  { capture: true },
)
const endsSequence = (): boolean => keyBefore.key === 'g' && keyNow.at - keyBefore.at < SEQUENCE_MS

/**
 * Elements that take the keys while open. A dialog does so from the moment it is requested, before it is rendered. The list of
 * a select is in the document from the select's first focus on, hidden while closed.
 */
const TAKES_KEYS = ':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]):not([hidden] *)'
const keysAreTaken = (): boolean =>
  useDialog.getState().open !== null ||
  useConfirmation.getState().asked !== null ||
  document.querySelector(TAKES_KEYS) !== null

/** Whether any dialog is open: one of the store, of a screen, or a question. */
export const isDialogOpen = (): boolean =>
  useDialog.getState().open !== null ||
  useConfirmation.getState().asked !== null ||
  document.querySelector('[role="dialog"], [role="alertdialog"]') !== null

/** For what may be asked at any time: an open dialog, in which the user may have typed, stays. Returns whether it opened. */
export const openDialogIfFree = (wanted: OpenDialog): boolean => {
  const { open } = useDialog.getState()
  const isReplaced = open?.kind === 'palette' || open?.kind === 'shortcuts'
  const isFree = isReplaced || !isDialogOpen()
  if (isFree) openDialog(wanted)
  return isFree
}

const NOT_WRITTEN_IN: ReadonlySet<string> = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'range'])

/** Whether the focus is in a text field, also inside a shadow root. */
const isWriting = (event: KeyboardEvent): boolean => {
  const [focused] = event.composedPath()
  if (focused instanceof HTMLInputElement) return !NOT_WRITTEN_IN.has(focused.type)
  return focused instanceof HTMLElement && (focused.isContentEditable || focused.matches('textarea, select'))
}

/**
 * Ignores keys while a dialog or a menu is open, unless the shortcut is for dialogs, and while a text field has the
 * focus.
 */
export const useShortcut = (name: ShortcutName, act: () => void, enabled = true): void => {
  const { keys } = SHORTCUTS[name]
  const isIgnored = (event: KeyboardEvent): boolean =>
    (!IN_FIELDS.has(name) && (keysAreTaken() || isWriting(event))) || (!keys.includes('>') && endsSequence())
  // Checked here, because the library calls `ignoreEventWhen` for single keys only, not for sequences.
  const onKeys = (event: KeyboardEvent) => {
    if (isIgnored(event)) return
    event.preventDefault()
    // Keys that are held down would also answer the question that they opened.
    if (name !== 'submit' || !event.repeat) act()
  }
  useHotkeys(keys, onKeys, {
    enabled,
    // Compares the character, not the position of the key: keyboard layouts differ in positions and in the modifiers
    // that `?` and `/` need.
    useKey: true,
    ignoreModifiers: keys === '?' || keys === '/',
    enableOnFormTags: true,
    enableOnContentEditable: true,
  })
}

/** Submits a form by its shortcut, unless a question is open above it. */
export const useSubmitShortcut = (submit: () => void, enabled = true): void => {
  const isCovered = useConfirmation((state) => state.asked !== null)
  useShortcut('submit', submit, enabled && !isCovered)
}
