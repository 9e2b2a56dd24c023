// When a click closes what was clicked, the second click of a double click would hit what is below it.

const KINDS = ['mousedown', 'mouseup', 'click', 'dblclick', 'auxclick'] as const

/** Until the next click that is the first one. The system decides what a double click is. */
export const swallowSecondClick = (): void => {
  const controller = new AbortController()
  const look = (event: MouseEvent): void => {
    if (event.detail > 1) {
      event.preventDefault()
      event.stopImmediatePropagation()
    } else if (event.type === 'mousedown') controller.abort()
  }
  for (const kind of KINDS) window.addEventListener(kind, look, { capture: true, signal: controller.signal })
}
