export const focusScreen = (): void => document.getElementById('main')?.focus({ preventScroll: true })

/** The ref of a button that goes with what it ends: the focus, if it has it, goes to the screen. */
export const focusScreenAfter = (button: HTMLButtonElement | null) => () => {
  if (button === document.activeElement) focusScreen()
}
