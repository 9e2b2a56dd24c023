// Times are copied as ISO 8601 in UTC, whatever the screen shows.

/** A time in the copied text: how the screen shows it, and its ISO 8601 form. */
export type CopiedTime = { readonly shown: string; readonly iso: string }

/** Replaces the times in a text. They come in the order of the text. */
export const withIsoTimes = (text: string, times: readonly CopiedTime[]): string => {
  let done = ''
  let rest = text
  for (const { shown, iso } of times) {
    const at = shown === '' ? -1 : rest.indexOf(shown)
    if (at === -1) continue
    done += rest.slice(0, at) + iso
    rest = rest.slice(at + shown.length)
  }
  return done + rest
}

const TIMES = 'time[datetime]'

export const timesIn = (within: Element): readonly CopiedTime[] =>
  [...within.querySelectorAll(TIMES)].map((time) => ({ shown: time.textContent, iso: isoOf(time) }))

const isoOf = (time: Element): string => time.getAttribute('datetime') ?? ''

const onCopy = (event: ClipboardEvent): void => {
  const selection = document.getSelection()
  if (event.defaultPrevented || event.clipboardData === null || selection === null || selection.isCollapsed) return
  if (event.target instanceof Element && event.target.closest('input, textarea') !== null) return
  const range = selection.getRangeAt(0)
  const { commonAncestorContainer: around } = range
  const within = (around instanceof Element ? around : around.parentElement) ?? document.body
  const whole = within.closest(TIMES)
  const times = [...within.querySelectorAll(TIMES)].filter((time) => selection.containsNode(time))
  if (whole === null && times.length === 0) return
  const copied = document.createElement('div')
  copied.append(range.cloneContents())
  for (const time of copied.querySelectorAll(TIMES)) time.textContent = isoOf(time)
  const told = times.map((time) => ({ shown: time.textContent, iso: isoOf(time) }))
  event.clipboardData.setData('text/plain', whole === null ? withIsoTimes(selection.toString(), told) : isoOf(whole))
  event.clipboardData.setData('text/html', whole === null ? copied.innerHTML : isoOf(whole))
  event.preventDefault()
}

/** Call once for the page. */
export const copyTimesInFull = (): void => document.addEventListener('copy', onCopy)
