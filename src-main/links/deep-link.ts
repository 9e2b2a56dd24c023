// Links from outside: `wes://executions/ID?connection=NAME`. They only navigate, because any web page can create one.

import { connectionPath, LOCAL, type ConnectionChoice } from '../connections/connection-items.ts'

export const DEEP_LINK_SCHEME = 'wes'

const EXECUTION_ID = /^exe_[0-7][0-9a-hjkmnp-tv-z]{25}$/
/** A link may name a connection that is not saved here, but nothing that could not be one's name. */
const CONNECTION = /^[^\p{Cc}\p{Zl}\p{Zp}/\\]{1,60}$/u

/**
 * The page's path with its query; undefined for other links. A link names a connection by its name or id, in any case; the page
 * offers to add one that is not saved here. Without a name it is of the local runtime.
 */
export const pathOfDeepLink = (link: string, saved: readonly ConnectionChoice[]): string | undefined => {
  const url = URL.parse(link)
  if (url?.protocol !== `${DEEP_LINK_SCHEME}:` || url.host !== 'executions') return undefined
  const id = url.pathname.replace(/^\/|\/$/g, '')
  if (!EXECUTION_ID.test(id)) return undefined
  const named = (url.searchParams.get('connection') ?? LOCAL.id).trim()
  if (!CONNECTION.test(named) || /^\.{1,2}$/.test(named)) return undefined
  // The page corrects the project: it finds an Execution even if the address names another project.
  return connectionPath(findConnection(named, saved)?.id ?? named, `/executions/${id}`)
}

const findConnection = (named: string, saved: readonly ConnectionChoice[]): ConnectionChoice | undefined => {
  const all = [LOCAL, ...saved]
  const same = (text: string): boolean => folded(text) === folded(named)
  // Users give names; an id may still have the former name of another connection.
  return all.find(({ name }) => same(name)) ?? all.find(({ id }) => same(id))
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()
