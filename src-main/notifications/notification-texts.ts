// Creates notifications from changes, by the rules that the user enabled. Pure.

import { beginningOf } from '../../src-runtime/shared/beginning-of.ts'
import type { Execution } from '../../src-sdk/contract-types.ts'
import type { ExecutionChange } from '../../src-sdk/inspection-types.ts'
import { inOneLine, withEscapes } from '../../src-renderer/ui/hidden-characters.ts'
import type { DesktopSettings } from '../preload/desktop-api.ts'

export type NotifyRules = DesktopSettings['notifyWhen']

export type NotificationKind = 'failed' | 'waits' | 'finished'

/** An Execution that a rule may apply to. */
export type Candidate = { readonly kind: NotificationKind; readonly change: ExecutionChange }

/** `key`: one notification is shown per key. `projectId`: of its Execution. `path`: the page that a click opens. */
export type NotificationText = {
  readonly key: string
  readonly projectId: string
  readonly title: string
  readonly body: string
  readonly path: string
}

const A_MINUTE_MS = 60_000
/** More than this number of one kind are shown as one notification. */
const MOST_AT_ONCE = 3
const LONGEST_BODY = 200

/** The newest change of each Execution, in the order in which they came. */
export const candidates = (changes: Iterable<ExecutionChange>, rules: NotifyRules): readonly Candidate[] => {
  const newest = new Map<string, ExecutionChange>()
  for (const change of changes) {
    newest.delete(change.executionId)
    newest.set(change.executionId, change)
  }
  return [...newest.values()].flatMap((change): readonly Candidate[] => {
    const kind = kindOf(change, rules)
    return kind === undefined ? [] : [{ kind, change }]
  })
}

const kindOf = (change: ExecutionChange, rules: NotifyRules): NotificationKind | undefined => {
  const { status } = change
  if (status === 'failed' && rules.failed) return 'failed'
  if (status === 'waiting' && rules.waitsForMe) return 'waits'
  const hasEnded = status === 'completed' || status === 'failed'
  return hasEnded && rules.finishedAfterAMinute && ageMs(change) >= A_MINUTE_MS ? 'finished' : undefined
}

/** An Execution's id begins with the time at which it was started. */
const ageMs = ({ executionId, at }: ExecutionChange): number => Date.parse(at) - (startOf(executionId) ?? Infinity)

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const startOf = (id: string): number | undefined => {
  const digits = /^exe_([0-9a-hjkmnp-tv-z]{10})/.exec(id)?.[1]
  return digits === undefined ? undefined : [...digits].reduce((value, digit) => value * 32 + DIGITS.indexOf(digit), 0)
}

/** Names the local runtime, because the page may show another connection. */
export const executionPath = ({ executionId, projectId }: Pick<ExecutionChange, 'executionId' | 'projectId'>): string =>
  `${localPath(projectId)}/executions/${executionId}`

/** The pages that a notification of many Executions opens. */
export const LIST_PAGES: Readonly<Record<NotificationKind, string>> = {
  failed: 'executions?status=failed',
  finished: 'executions',
  waits: 'waiting',
}

export const listPath = (projectId: string, kind: NotificationKind): string =>
  `${localPath(projectId)}/${LIST_PAGES[kind]}`

const localPath = (projectId: string): string => `/c/local/p/${encodeURIComponent(projectId)}`

/** The notification of one Execution; undefined if it needs none after all. */
export const notificationOf = (
  { kind, change }: Candidate,
  execution: Execution | undefined,
): NotificationText | undefined => {
  const { executionId, programId, projectId } = change
  const path = executionPath(change)
  switch (kind) {
    case 'failed':
      return {
        key: `${executionId} failed`,
        projectId,
        title: `${programId} failed`,
        body: cut(withEscapes(execution?.error?.message ?? '')),
        path,
      }
    case 'finished': {
      const ending = change.status === 'failed' ? 'failed' : 'completed'
      const body = `It took ${duration(ageMs(change))}.`
      return { key: `${executionId} ${ending}`, projectId, title: `${programId} ${ending}`, body, path }
    }
    case 'waits': {
      const events = (execution?.waitingFor ?? []).filter((wait) => wait.kind === 'event')
      if (events.length === 0) return undefined
      const names = events.map(({ name }) => inOneLine(name))
      const key = `${executionId} waits ${events.map(({ name, since }) => `${name} ${since}`).join()}`
      return {
        key,
        projectId,
        title: `${programId} waits for ${names.length === 1 ? names[0] : `${names.length} events`}`,
        body: cut(names.join(', ')),
        path,
      }
    }
  }
}

/** What is shown of it. */
export type ShownText = Pick<NotificationText, 'title' | 'body' | 'path'>

/** One notification for many Executions. `projectId`: whose list a click opens. `areAll`: there are no more than these. */
const summary = (kind: NotificationKind, count: number, projectId: string, areAll: boolean): ShownText => {
  const titles: Readonly<Record<NotificationKind, string>> = {
    failed: `${count} Executions failed`,
    finished: `${count} Executions finished`,
    waits: `${count}${areAll ? '' : ' or more'} Executions wait for events`,
  }
  return { title: titles[kind], body: 'Click to see them.', path: listPath(projectId, kind) }
}

/** `knowsAllWaits`: whether each wait was looked up, which alone tells what an Execution waits for. */
export const coalesce = (
  notifications: readonly (NotificationText & { readonly kind: NotificationKind })[],
  knowsAllWaits: boolean,
): readonly ShownText[] =>
  (['failed', 'waits', 'finished'] as const).flatMap((kind) => {
    const same = notifications.filter((one) => one.kind === kind)
    const newest = same.at(-1)
    const areAll = kind !== 'waits' || knowsAllWaits
    return newest !== undefined && (same.length > MOST_AT_ONCE || !areAll)
      ? // A page shows the list of one project.
        [summary(kind, same.length, newest.projectId, areAll)]
      : same.map(({ title, body, path }) => ({ title, body, path }))
  })

/** That the runtime has failed: a click shows the page of the local runtime, which says more. */
export const runtimeFailed = (message: string): ShownText => ({
  title: 'The runtime failed',
  body: cut(withEscapes(message)),
  path: listPath('default', 'finished'),
})

/** As a desktop of Linux wants it: there the body, but not the title, may have tags, and text with a bare `&` or `<` is lost. */
export const withoutMarkup = (body: string): string =>
  body.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const cut = (text: string): string => (text.length <= LONGEST_BODY ? text : `${beginningOf(text, LONGEST_BODY - 1)}…`)

/** `2 min`, `3 h 20 min` */
const duration = (ms: number): string => {
  const minutes = Math.floor(ms / A_MINUTE_MS)
  if (minutes < 60) return `${minutes} min`
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
