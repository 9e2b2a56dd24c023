// THE table of what a workspace may use at once, and how long what it used is kept.

import { Type, type Static } from 'typebox'
import { Check, Errors } from 'typebox/schema'
import { Limits } from '../../src-runtime/contract/access-models.ts'
import { describeFaults } from '../../src-runtime/shared/schema-faults.ts'

export const defaultLimits: Limits = {
  requestsPerSecond: 1_000,
  requestBurst: 2_000,
  hooksPerSecond: 100,
  hookBurst: 200,
  storedBytes: 10 * 1024 ** 3,
  turnsAtOnce: 16,
  effectsAtOnce: 64,
  retentionDays: 30,
}

const Overrides = Type.Partial(Limits, { additionalProperties: false })

/** `default` is for all workspaces, `workspaces` for single ones, by id. */
const LimitsFile = Type.Object(
  { default: Type.Optional(Overrides), workspaces: Type.Optional(Type.Record(Type.String(), Overrides)) },
  { additionalProperties: false },
)

export type LimitsOf = (workspaceId: string) => Limits

/** From the text of a limits file, with the workspaces that it names. Throws an Error that says what is wrong with it. */
export const readLimits = (
  text: string,
): { readonly limits: LimitsOf; readonly limitedWorkspaces: readonly string[] } => {
  const file: unknown = JSON.parse(text)
  if (!Check(LimitsFile, file)) {
    const [, errors] = Errors(LimitsFile, file)
    const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties')
    const allowed = unknown?.instancePath === '' ? LimitsFile.properties : defaultLimits
    const hint = unknown === undefined ? '' : `; allowed there: ${Object.keys(allowed).join(', ')}`
    throw new Error(describeFaults('limits', errors) + hint)
  }
  // A name in place of an id would be an override for nobody.
  const limitedWorkspaces = Object.keys(file.workspaces ?? {})
  const other = limitedWorkspaces.find((id) => !id.startsWith('wsp_'))
  if (other !== undefined)
    throw new Error(`limits/workspaces has ${JSON.stringify(other)}, not a workspace's id (wsp_…)`)
  return { limits: limitsWith(file), limitedWorkspaces }
}

export const limitsWith = ({ default: all = {}, workspaces = {} }: Static<typeof LimitsFile>): LimitsOf => {
  const common = { ...defaultLimits, ...all }
  const known = new Map(Object.entries(workspaces).map(([id, own]) => [id, { ...common, ...own }]))
  return (workspaceId) => known.get(workspaceId) ?? common
}
