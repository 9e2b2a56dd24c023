// Which home serves this page: the hosted service marks its pages.

export const HOME: 'local' | 'hosted' =
  globalThis.document?.documentElement.dataset['home'] === 'hosted' ? 'hosted' : 'local'
