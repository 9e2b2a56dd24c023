// Toasts: short notices that disappear by themselves. Show what a user must not miss on the page.

type Notice = {
  readonly title: string
  readonly description: string | undefined
  readonly type?: 'fault'
  readonly priority?: 'high'
  readonly timeout?: number
}

/** Toasts from before the list was loaded. */
let waiting: readonly Notice[] = []
let show: ((notice: Notice) => void) | undefined

const say = (notice: Notice): void => {
  if (show === undefined) waiting = [...waiting, notice]
  else show(notice)
}

export const notify = (title: string, detail?: string): void => say({ title, description: detail })

export const notifyFault = (title: string, detail?: string): void =>
  say({ title, description: detail, type: 'fault', priority: 'high', timeout: 10_000 })

/** Sends toasts there from now on, waiting ones first. Returns a function that ends this. */
export const showNotices = (next: (notice: Notice) => void): (() => void) => {
  show = next
  for (const notice of waiting) next(notice)
  waiting = []
  return () => {
    if (show === next) show = undefined
  }
}
