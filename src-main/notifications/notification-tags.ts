// What Windows keeps of a notification: its tag, from which a later process knows what a click on it opens. Pure.

import { executionPath, LIST_PAGES, listPath } from './notification-texts.ts'

/**
 * Of letters, digits and hyphens, at most 64, as Windows wants it; undefined for another page than those of notifications. `own`: a
 * few letters and digits, of this notification only, because it would replace another one with the same tag.
 */
export const tagOf = (path: string, own: string): string | undefined => {
  const [, projectId = '', page = ''] = /^\/c\/local\/p\/([a-z0-9_]+)\/(.+)$/.exec(path) ?? []
  const [, executionId] = /^executions\/(exe_[0-9a-z]{26})$/.exec(page) ?? []
  if (executionId !== undefined) return `${hyphenated(executionId)}-${own}`
  const list = Object.entries(LIST_PAGES).find(([, listed]) => listed === page)
  return list && `${hyphenated(projectId)}-${list[0]}-${own}`
}

/** `activation`: what Windows passes on of a click, such as `type=click&tag=…`. */
export const tagIn = (activation: string): string => new URLSearchParams(activation).get('tag') ?? ''

export const pathOfTag = (tag: string): string | undefined => {
  const [, execution] = /^(exe-[0-9a-z]{26})-\w+$/.exec(tag) ?? []
  // The page finds an Execution whatever project its address names.
  if (execution !== undefined) return executionPath({ executionId: execution.replace('-', '_'), projectId: 'default' })
  const [, project = '', kind] = /^(default|prj-[0-9a-z]{26})-(\w+)-\w+$/.exec(tag) ?? []
  if (kind !== 'failed' && kind !== 'finished' && kind !== 'waits') return undefined
  return listPath(project.replace('-', '_'), kind)
}

const hyphenated = (id: string): string => id.replaceAll('_', '-')
