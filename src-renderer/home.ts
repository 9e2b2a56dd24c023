// Which home serves this page: the hosted service marks its pages.

export const HOME: 'local' | 'hosted' =
  globalThis.document?.documentElement.dataset['home'] === 'hosted' ? 'hosted' : 'local'

/** Its id among the connections, in addresses. */
export const OWN_ID = HOME === 'local' ? 'local' : 'current'
