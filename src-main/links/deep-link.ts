// Links from outside: `wes://executions/ID?connection=NAME`. They only navigate, because any web page can create one.

export const DEEP_LINK_SCHEME = 'wes'

const EXECUTION_ID = /^exe_[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** The id of a connection. */
const CONNECTION = /^[a-z0-9-]{1,40}$/

/** The page's path with its query; undefined for other links. */
export const pathOfDeepLink = (link: string): string | undefined => {
  const url = URL.parse(link)
  if (url?.protocol !== `${DEEP_LINK_SCHEME}:` || url.host !== 'executions') return undefined
  const id = url.pathname.replace(/^\/|\/$/g, '')
  if (!EXECUTION_ID.test(id)) return undefined
  const connection = url.searchParams.get('connection')
  if (connection === null) return `/executions/${id}`
  // The page corrects the project: it finds an Execution even if the address names another project.
  return CONNECTION.test(connection) ? `/c/${connection}/p/default/executions/${id}` : undefined
}
