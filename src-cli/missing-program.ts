// Why a Program may be missing: its id is misspelt, or the source has an error.

import { nearName } from '#runtime/shared/near-name.ts'
import type { ServiceClient, SourceStatus } from '#sdk/index.ts'
import { shellWord } from './shell-word.ts'

/** Of one page. */
const MOST_PROGRAMS = 200

/** `message` quotes the id that the user gave. `inProject`: clients whose requests end soon. Never rejects. */
export const aboutMissingProgram = async (
  message: string,
  inProject: (projectId: string | undefined) => ServiceClient,
  projectId: string | undefined,
): Promise<string | undefined> => {
  // A hosted service has no source.
  const read = await inProject(undefined)
    .getSource()
    .catch(() => undefined)
  // Its Programs are of one project.
  const source = projectId === undefined || projectId === read?.projectId ? read : undefined
  const programs = await inProject(projectId)
    .listPrograms({ limit: MOST_PROGRAMS })
    .catch(() => undefined)
  const ids = programs?.items.map(({ id }) => id) ?? []
  const [, wanted = ''] = /"(.*?)"/.exec(message) ?? []
  const meant = nearName(wanted, ids) ?? ids.find((id) => id === idOfFile(wanted, source))
  const parts = [meant === undefined ? undefined : `Did you mean ${shellWord(meant)}?`, faultIn(source)]
  return parts.filter((part) => part !== undefined).join('\n') || undefined
}

/** The only Program in the file that the user named: by its path, or without its folders or ending. */
const idOfFile = (name: string, source: SourceStatus | undefined): string | undefined => {
  // Shells of Windows write backslashes, which the message doubles.
  const given = name.replace(/\\+/g, '/').replace(/^\.\//, '')
  const isMeant = (path: string): boolean =>
    [path, path.replace(ENDING, '')].some((one) => one === given || one.endsWith(`/${given}`))
  const found = source?.programs.filter(({ path }) => isMeant(path)) ?? []
  return found.length === 1 ? found[0]?.id : undefined
}

const ENDING = /\.[cm]?[jt]sx?$/

/** The first error in a local runtime's source, which begins with its place: a Program may be missing for it. */
const faultIn = (source: SourceStatus | undefined): string | undefined => {
  const [first] = source?.errors ?? []
  if (source === undefined || first === undefined) return undefined
  const many = source.errors.length === 1 ? 'an error' : `${source.errors.length} errors`
  return `${source.folder} has ${many}, so Programs may be missing: ${first.message.split('\n', 1)[0]}`
}
