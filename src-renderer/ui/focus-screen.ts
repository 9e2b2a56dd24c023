export const focusScreen = (): void => document.getElementById('main')?.focus({ preventScroll: true })

/** Where what had the focus is gone: the keyboard would begin again at the top of the page. */
export const focusScreenIfLost = (): void => {
  if (document.activeElement === document.body) focusScreen()
}

/** Whether no control has the focus: nothing, or the screen as a whole. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || document.activeElement === document.getElementById('main')

/** The ref of a button that goes with what it ends: the focus, if it has it, goes to the screen. */
export const focusScreenAfter = (button: HTMLButtonElement | null) => () => {
  if (button === document.activeElement) focusScreen()
}
