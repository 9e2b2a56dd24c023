// Addresses of PostgreSQL that are passed on the command line or in the environment.

import { UsageError } from './failures.ts'

/** The text is not repeated: it may hold a password. */
export const checkedDatabaseUrl = (flag: string, text: string): string => {
  if (SEVERAL_HOSTS.test(text)) {
    throw new UsageError(`${flag} names several hosts: name one that always leads to the PostgreSQL that takes writes`)
  }
  if (isDatabaseUrl(text)) {
    const { searchParams } = new URL(text)
    if (searchParams.has('options')) {
      throw new UsageError(`${flag} must not have \`options\`: each connection sets its own`)
    }
    if (!searchParams.has('schema')) return text
    throw new UsageError(`${flag} must not have \`schema\`: everything is in the schema wes of the database`)
  }
  throw new UsageError(
    `${flag} is not a URL such as postgres://USER:PASSWORD@HOST:5432/DATABASE; in it, %40 stands for @, %2F for / and %25 for %`,
  )
}

/** Behind the user and the password, which may have a comma. */
const SEVERAL_HOSTS = /^postgres(?:ql)?:\/\/(?:[^@/?]*@)?[^@/?]*,[^@/?]*(?:[/?]|$)/

/** What to do when PostgreSQL cannot be used, where the message does not say it. */
export const databaseHint = (message: string): string | undefined => {
  if (message.includes('PostgreSQL cannot be reached')) return 'Check the address, and that PostgreSQL runs.'
  if (message.includes('pg_hba.conf')) {
    return 'pg_hba.conf of the server decides who may connect, and whether encrypted: `?sslmode=verify-full` in the URL encrypts.'
  }
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
