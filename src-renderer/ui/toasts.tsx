// Short notices that disappear by themselves. What must not be missed belongs on the page.

type Notice = {
  readonly title: string
  readonly description: string | undefined
  readonly type?: 'fault'
  readonly priority?: 'high'
  readonly timeout?: number
}

/** Said while there was nothing yet to show them. */
let waiting: readonly Notice[] = []
let show: ((notice: Notice) => void) | undefined

const say = (notice: Notice): void => {
  if (show === undefined) waiting = [...waiting, notice]
  else show(notice)
}

export const notify = (title: string, detail?: string): void => say({ title, description: detail })

export const notifyFault = (title: string, detail?: string): void =>
  say({ title, description: detail, type: 'fault', priority: 'high', timeout: 10_000 })

/** From now on notices go there, and those that wait at once. Answers how to end that. */
export const showNotices = (next: (notice: Notice) => void): (() => void) => {
  show = next
  for (const notice of waiting) next(notice)
  waiting = []
  return () => {
    if (show === next) show = undefined
  }
}
