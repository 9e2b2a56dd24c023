export const focusScreen = (): void => document.getElementById('main')?.focus({ preventScroll: true })

/** Whether no control has the focus: nothing, or the screen as a whole. */
export const isFocusFree = (): boolean =>
  document.activeElement === document.body || document.activeElement === document.getElementById('main')

/** The ref of a button that goes with what it ends: the focus, if it has it, goes to the screen. */
export const focusScreenAfter = (button: HTMLButtonElement | null) => () => {
  if (button === document.activeElement) focusScreen()
}
