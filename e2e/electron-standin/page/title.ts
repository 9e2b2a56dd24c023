// Sends a page's title to main, because the DevTools protocol does not report it. Injected into the page as source text,
// so it uses only its arguments.

/** The part of a page's globals that is used here. */
export type TitledPage = {
  readonly document: { readonly title: string; readonly head: object }
  addEventListener(type: 'DOMContentLoaded', listener: () => void): void
  readonly MutationObserver: new (listener: () => void) => { observe(target: object, what: object): void }
}

export function watchTitle(page: TitledPage, tell: (title: string) => void): void {
  let told = ''
  const look = () => {
    const { title } = page.document
    if (title === told) return
    told = title
    tell(title)
  }
  page.addEventListener('DOMContentLoaded', () => {
    look()
    new page.MutationObserver(look).observe(page.document.head, { childList: true, subtree: true, characterData: true })
  })
}
