// What `wes triggers add schedule` says about an input that the Program does not take: the service stores such a schedule, because the
// Program may change, and tells of it only when the schedule's time comes.

import type { JsonValue } from '#sdk/index.ts'
import { READ_LIMIT_MS, type Session } from './session.ts'

/** Undefined if the Program takes it, or nothing tells. Never rejects. */
export const noteOnInput = async (
  session: Session,
  projectId: string | undefined,
  programId: string,
  input: JsonValue | undefined,
): Promise<string | undefined> => {
  try {
    const { client } = session.inProject(projectId, READ_LIMIT_MS)
    const { inputSchema } = (await client.getProgram(programId)).latestVersion.manifest
    if (inputSchema === undefined) return undefined
    // Loaded late, because few commands need it.
    const { createSchemaCheck } = await import('#runtime/operations/check-json-schema.ts')
    const outcome = createSchemaCheck(inputSchema, JSON.stringify(inputSchema))(
      'input',
      input ?? null,
      JSON.stringify(input ?? null),
    )
    if (outcome.kind !== 'invalid') return undefined
    return `${programId} does not take this input: ${outcome.message}. The schedule starts nothing until its input or the Program is changed.`
  } catch {
    return undefined // the schedule was added all the same
  }
}
