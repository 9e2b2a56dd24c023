// Addresses of PostgreSQL that are passed on the command line or in the environment.

import { UsageError } from './failures.ts'

/** The text is not repeated: it may hold a password. */
export const checkedDatabaseUrl = (flag: string, text: string): string => {
  if (isDatabaseUrl(text)) return text
  throw new UsageError(
    `${flag} is not a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE; in it, %40 stands for @, %2F for / and %25 for %`,
  )
}

/** What to do when PostgreSQL cannot be used, where the message does not say it. */
export const databaseHint = (message: string): string | undefined => {
  if (message.includes('PostgreSQL cannot be reached')) return 'Check the address, and that PostgreSQL runs.'
  if (!message.includes('PostgreSQL does not let this process in')) return undefined
  return '`wes migrate` makes the user of --database-url, or gives it the password of this URL.'
}

const isDatabaseUrl = (text: string): boolean => {
  const url = URL.parse(text)
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol)) return false
  try {
    for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
