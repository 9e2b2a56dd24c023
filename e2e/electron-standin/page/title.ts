// Tells main of a page's title, which the DevTools protocol does not. Put into the page as source text, so it refers to
// nothing but its arguments and the language.

/** What is used of a page's globals. */
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
