// Windows that a page tries to open: the app is asked, and none opens. If one opened and closed, a driver of the page would
// wait for it. Injected into the page as source text, so it uses only its arguments.

import type { PageWindow } from './endpoint.ts'

export type WindowRequest = { readonly url: string; readonly frameName: string; readonly features: string }

type Link = { readonly href: string; readonly target: string }
type Click = {
  readonly defaultPrevented: boolean
  readonly button: number
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly shiftKey: boolean
  readonly target: { closest?(selector: string): Link | null } | null
  preventDefault(): void
}

/** The part of a page's global object that is used here. */
export type OpeningPage = PageWindow & {
  readonly document: { readonly baseURI: string }
  open: (url?: unknown, name?: unknown, features?: unknown) => null
}

/** Runs in the world of the page's scripts. `type`: the type of the event for the other world. */
export function catchWindows(page: OpeningPage, type: string): void {
  const dispatch = page.dispatchEvent.bind(page)
  const { CustomEvent } = page
  const { stringify } = JSON
  const report = (request: WindowRequest) => dispatch(new CustomEvent(type, { detail: stringify(request) }))

  page.open = (url = '', name = '', features = '') => {
    const { href } = URL.parse(String(url) || 'about:blank', page.document.baseURI) ?? { href: String(url) }
    report({ url: href, frameName: String(name), features: String(features) })
    return null
  }
  const caught = (event: unknown) => {
    const click = event as Click
    const link = click.target?.closest?.('a[href]')
    if (click.defaultPrevented || !link || click.button > 1) return
    const elsewhere = !['', '_self', '_parent', '_top'].includes(link.target)
    if (!elsewhere && click.button === 0 && !click.ctrlKey && !click.metaKey && !click.shiftKey) return
    click.preventDefault()
    report({ url: link.href, frameName: '', features: '' })
  }
  // Registered last, after all listeners of the page that may prevent it.
  for (const kind of ['click', 'auxclick']) page.addEventListener(kind, caught)
}

/** Runs in the preload's world, which can send to main. */
export function passOnWindows(page: PageWindow, type: string, tell: (request: WindowRequest) => void): void {
  page.addEventListener(type, ({ detail }) => tell(JSON.parse(detail) as WindowRequest))
}
