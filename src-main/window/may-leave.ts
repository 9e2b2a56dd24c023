// Restricts navigation: the window shows only its own page, and links that the user clicks open in the browser.

/** Whether the window may show this document. */
export const isOwnPage = (url: string, origin: string): boolean => url === origin || url.startsWith(`${origin}/`)

/** Whether the system may open the address: only https and the runtime's own, because others could run a program. */
export const mayOpenOutside = (url: string, runtimePort: number | undefined): boolean => {
  const target = URL.parse(url)
  if (target === null || target.username !== '' || target.password !== '') return false
  if (target.protocol === 'https:') return true
  return target.protocol === 'http:' && target.host === `localhost:${runtimePort}`
}
