// Keeps the Programs of a folder deployed from the moment when it is a project.

import type { Logger } from 'pino'
import type { Fork } from '../shared/fork.ts'
import { DEFAULT_PROGRAMS } from './discover.ts'
import type { Source, SourceEvent, SourceStatus, SourceVersions } from './source.ts'
import { whenProjectAppears } from './when-project-appears.ts'

export type OpenedSource = Pick<Source, 'stop'> & { status(): SourceStatus }

/** For a folder that is not a project, or not yet: without a config, it belongs to the default project. */
export const noSource = (folder: string, watching: boolean): OpenedSource => ({
  status: () => ({
    folder,
    watching,
    isMissing: false,
    isReading: false,
    project: 'default',
    programs: [],
    errors: [],
    warnings: [],
  }),
  stop: () => Promise.resolve(),
})

/** Loads the compiler only if the folder is a project. */
export const openSource = (options: {
  readonly folder: string
  readonly versions: SourceVersions
  readonly log: Logger
  readonly watch: boolean
  /** It was a project before, and its Programs must be retired if it is none any more. */
  readonly wasProject: boolean
  readonly fork: Fork | undefined
  readonly onEvent: (event: SourceEvent) => void
  /** The folder has been read for the first time, cannot be read, or is not a project. */
  readonly onRead: () => void
}): OpenedSource => {
  const { folder, versions, log, watch, wasProject, fork, onEvent, onRead } = options
  let opening: Promise<Source> | undefined
  let opened: Pick<Source, 'status'> = noSource(folder, watch)
  let isReading = true
  let isStopped = false
  const end = (): void => {
    isReading = false
    onRead()
  }
  const open = async (isNew: boolean): Promise<Source> => {
    const { createSource } = await import('./create-source.ts')
    const source = createSource({ folder, versions, log, watch, isNew, ...(fork && { fork }) })
    source.onEvent(onEvent)
    opened = source
    return source
  }
  const startedAt = performance.now()
  const appearance = whenProjectAppears(folder, { wasProject, mayWatch: watch }, (isNew) => {
    isReading = true
    opening = open(isNew)
    opening
      .then((source) => source.start().then(source.read))
      .catch((error: unknown) => log.error({ err: error, folder }, 'the project cannot be read'))
      .finally(end)
  })
  void appearance.looked.then(() => {
    if (opening !== undefined) return
    const found = { programs: 0, failed: 0, expectedIn: DEFAULT_PROGRAMS, tookMs: performance.now() - startedAt }
    if (!isStopped) onEvent({ kind: 'ready', folder, ...found })
    end()
  })
  return {
    status: () => ({ ...opened.status(), isReading }),
    stop: async () => {
      isStopped = true
      appearance.cancel()
      // Why it could not be opened was logged then.
      await (await opening?.catch(() => undefined))?.stop()
    },
  }
}
