// A cron expression in words, if the words are exact. For all others the screen shows only the next times.

/** `At 09:00, Monday to Friday`; undefined for an expression without exact words. */
export const wordsOfCron = (cron: string): string | undefined => {
  const fields = cron.trim().split(/\s+/)
  const [second = '', ...rest] = fields.length === 6 ? fields : ['0', ...fields]
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = rest
  if (rest.length !== 5 || month !== '*') return undefined
  const times = second === '0' ? timesOf(minute, hour) : secondsOf(second, minute, hour)
  const days = daysOf(day, weekday)
  if (times === undefined || days === undefined) return undefined
  if (days !== '') return `${times}, ${days}`
  return times.startsWith('At ') ? `${times} every day` : times
}

const timesOf = (minute: string, hour: string): string | undefined => {
  if (hour === '*') {
    const every = everyOf(minute, 60, 'minute')
    if (every !== undefined) return every
    const at = numberOf(minute, 59)
    return at === undefined ? undefined : `Every hour at ${at} min`
  }
  const at = numberOf(minute, 59)
  if (at === undefined) return undefined
  const every = everyOf(hour, 24, 'hour')
  if (every !== undefined) return at === 0 ? every : `${every} at ${at} min`
  const hours = hour.split(',').map((one) => numberOf(one, 23))
  if (hours.some((one) => one === undefined)) return undefined
  return `At ${listed(hours.map((one) => `${padded(one!)}:${padded(at)}`))}`
}

const secondsOf = (second: string, minute: string, hour: string): string | undefined =>
  minute === '*' && hour === '*' ? everyOf(second, 60, 'second') : undefined

/** A step that does not divide the range starts again with each hour or day, so its times are not evenly spaced. */
const everyOf = (field: string, whole: number, unit: string): string | undefined => {
  if (field === '*') return `Every ${unit}`
  const step = numberOf(/^\*\/(\d+)$/.exec(field)?.[1] ?? '', whole)
  if (step === undefined || step < 1 || whole % step !== 0 || step === whole) return undefined
  return step === 1 ? `Every ${unit}` : `Every ${step} ${unit}s`
}

/** Empty for every day. Days of the month and of the week together fire on either. */
const daysOf = (day: string, weekday: string): string | undefined => {
  if (weekday === '*') {
    if (day === '*') return ''
    if (day.toUpperCase() === 'L') return 'on the last day of each month'
    const days = day.split(',').map((one) => numberOf(one, 31))
    if (days.some((one) => one === undefined || one === 0)) return undefined
    return `on ${days.length === 1 ? 'day' : 'days'} ${listed(days.map(String))} of each month`
  }
  if (day !== '*') return undefined
  const range = weekday.split('-').map(weekdayOf)
  if (range.length === 2 && range.every((one) => one !== undefined)) return range.join(' to ')
  const names = weekday.split(',').map(weekdayOf)
  return names.every((one) => one !== undefined) ? `on ${listed(names)}` : undefined
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const weekdayOf = (text: string): string | undefined =>
  WEEKDAYS[numberOf(text, 7) ?? -1] ?? WEEKDAYS.find((name) => name.slice(0, 3).toUpperCase() === text.toUpperCase())

const numberOf = (text: string, most: number): number | undefined =>
  /^\d{1,2}$/.test(text) && Number(text) <= most ? Number(text) : undefined

const padded = (value: number): string => String(value).padStart(2, '0')

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
