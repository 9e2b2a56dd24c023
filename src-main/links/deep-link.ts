// `wes://executions/ID?connection=NAME`: where a link from outside may lead. It navigates and does nothing else: any
// web page can make one.

export const DEEP_LINK_SCHEME = 'wes'

const EXECUTION_ID = /^exe_[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** As connections may be called. */
const CONNECTION = /^[^\p{C}\p{Z}/][^\p{C}/]{0,79}$/u

/** The page's path with its query; undefined for whatever else a link may say. */
export const pathOfDeepLink = (link: string): string | undefined => {
  const url = URL.parse(link)
  if (url?.protocol !== `${DEEP_LINK_SCHEME}:` || url.host !== 'executions') return undefined
  const id = url.pathname.replace(/^\/|\/$/g, '')
  if (!EXECUTION_ID.test(id)) return undefined
  const connection = url.searchParams.get('connection')
  if (connection === null) return `/executions/${id}`
  return CONNECTION.test(connection) ? `/executions/${id}?${new URLSearchParams({ connection }).toString()}` : undefined
}
