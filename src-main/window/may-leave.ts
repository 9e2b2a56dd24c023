// Where the page may lead: nowhere but to itself, and what people click on to the browser.

/** Whether a document of the window may be this one. */
export const isOwnPage = (url: string, origin: string): boolean => url === origin || url.startsWith(`${origin}/`)

/** What may be handed to the system: pages of the web, and the runtime's own. Everything else could run something. */
export const mayOpenOutside = (url: string, runtimePort: number | undefined): boolean => {
  const target = URL.parse(url)
  if (target === null || target.username !== '' || target.password !== '') return false
  if (target.protocol === 'https:') return true
  return target.protocol === 'http:' && target.host === `localhost:${runtimePort}`
}
