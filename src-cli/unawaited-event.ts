// What `wes send` says about an event whose name may be misspelt: the service keeps events of any name.

import { READ_LIMIT_MS, type Session } from './session.ts'

/** Undefined if the Execution waits for the event, or its Program declares it, or nothing tells. Never rejects. */
export const noteOnUnawaited = async (session: Session, id: string, name: string): Promise<string | undefined> => {
  const clientIn = (project?: string) => session.inProject(project, READ_LIMIT_MS).client
  try {
    const { waitingFor, projectId, programId, versionId } = await clientIn().getExecution(id)
    const awaited = waitingFor.flatMap((one) => (one.kind === 'event' ? [one.name] : []))
    if (awaited.includes(name)) return undefined
    const { latestVersion } = await clientIn(projectId).getProgram(programId)
    const { events = [] } = latestVersion.id === versionId ? latestVersion.manifest : {}
    const declared = events.map((one) => one.name)
    if (declared.includes(name)) return undefined
    const kept = `${name} is kept until the Program waits for it.`
    if (declared.length > 0) return `${programId} declares ${listed(declared)}, not ${name}. ${kept}`
    return awaited.length > 0 ? `The Execution waits for ${listed(awaited)}, not for ${name}. ${kept}` : undefined
  } catch {
    return undefined // the event is sent all the same, and a refusal of that says more
  }
}

const SHOWN = 5

const listed = (names: readonly string[]): string => {
  const distinct = [...new Set(names)]
  const more = distinct.length - SHOWN
  return `${distinct.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
