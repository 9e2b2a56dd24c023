// The commands for Triggers. The service only replaces the whole list, so each change reads it, and is made again if somebody
// else replaced it meanwhile.

import { type JsonValue, type NewTrigger, ServiceRuntimeError, type Trigger } from '#sdk/index.ts'
import { triggerColumns } from './columns.ts'
import { CommandFailure, UsageError } from './failures.ts'
import { projectOf, told } from './hosted-commands.ts'
import { readJsonArgument, sourceOf } from './json-argument.ts'
import { printList } from './list-commands.ts'
import { noteOnInput } from './schedule-input.ts'
import { placeInList, placeOfFlags, type TriggerPlace, triggerFaults } from './service-faults.ts'
import { type ClientFlags, printAnswer, type Session } from './session.ts'
import { renderFields, renderTable } from './table.ts'
import { printable } from './text.ts'

export const triggers = (session: Session, flags: ClientFlags & { readonly programId?: string }): Promise<void> =>
  printList(session, {}, triggerColumns, 'No Triggers.', () =>
    flags.programId === undefined
      ? session.client.listTriggers(projectOf(flags))
      : session.client.listProgramTriggers(flags.programId),
  )

export const replaceTriggers = async (session: Session, given: string, flags: ClientFlags): Promise<void> => {
  const read = await readJsonArgument('JSON', given, session.sources)
  const list = listIn(read)
  const { items } = await explained(placeInList(sourceOf('JSON', given), list), () =>
    session.client.replaceTriggers(projectOf(flags), list),
  )
  if (session.json) return printAnswer(session)
  if (items.length > 0) await session.terminal.out(renderTriggers(session, items))
  for (const { id, secret } of items) {
    if (secret !== undefined) await session.terminal.out(`signing secret of ${id}: ${secret}\n`)
  }
}

/** As a list, as the request has it, or as an answer has it. The service checks the items. */
const listIn = (read: unknown): readonly NewTrigger[] => {
  const { triggers: list, items } = (Array.isArray(read) ? { triggers: read } : (read ?? {})) as Record<string, unknown>
  const found = list ?? items
  if (!Array.isArray(found)) throw new UsageError('JSON: expected a list of Triggers, or { "triggers": list }')
  return found as readonly NewTrigger[]
}

const renderTriggers = (session: Session, items: readonly Trigger[]): string => {
  const { terminal } = session
  return renderTable(triggerColumns({ now: Date.now(), iso: session.iso }), items, {
    columns: terminal.columns,
    colour: terminal.outColour,
  })
}

export const fireTrigger = async (
  session: Session,
  id: string,
  flags: ClientFlags & { readonly input?: string },
): Promise<void> => {
  const input = flags.input === undefined ? undefined : await readJsonArgument('--input', flags.input, session.sources)
  const { executionId } = await session.client.fireTrigger(projectOf(flags), id, input)
  return told(session, executionId)
}

export type NewTriggerFlags = ClientFlags & {
  readonly name?: string
  readonly disabled?: true
}
export type WebhookFlags = NewTriggerFlags & { readonly signed?: true; readonly secretStdin?: true }
export type ScheduleFlags = NewTriggerFlags & { readonly timezone?: string; readonly input?: string }

export const addWebhook = async (session: Session, programId: string, flags: WebhookFlags): Promise<void> => {
  const { signed, secretStdin } = flags
  await add(session, flags, {
    ...commonOf(programId, flags),
    type: 'webhook',
    ...(signed === true && { secret: 'generate' }),
    ...(secretStdin === true && { secret: (await session.sources.readStdin()).trim() }),
  })
}

export const addSchedule = async (
  session: Session,
  programId: string,
  cron: string,
  flags: ScheduleFlags,
): Promise<void> => {
  const { timezone } = flags
  const input =
    flags.input === undefined
      ? undefined
      : ((await readJsonArgument('--input', flags.input, session.sources)) as JsonValue)
  await add(session, flags, {
    ...commonOf(programId, flags),
    type: 'schedule',
    cron,
    ...(timezone !== undefined && { timezone }),
    ...(input !== undefined && { input }),
  })
  const note = session.json ? undefined : await noteOnInput(session, flags.projectId, programId, input)
  if (note !== undefined) session.terminal.err(`${printable(note)}\n`)
}

const commonOf = (programId: string, { name, disabled }: NewTriggerFlags) => ({
  programId,
  ...(name !== undefined && { name }),
  ...(disabled === true && { enabled: false }),
})

const add = async (session: Session, flags: ClientFlags, item: NewTrigger): Promise<void> => {
  const { before, after } = await change(session, flags, (items) => [...items, item])
  if (session.json) return printAnswer(session)
  const known = new Set(before.map(({ id }) => id))
  const made = after.find(({ id }) => !known.has(id))
  const fields = [
    ['id', made?.id],
    ['url', made?.url],
    ['secret', made?.secret],
    ['next', made?.nextFireAt],
  ] as const
  await session.terminal.out(renderFields(fields, { colour: session.terminal.outColour }))
  if (made?.secret !== undefined && session.terminal.hints) {
    session.terminal.err('This is the only time that the secret is shown: keep it safe.\n')
  }
}

export const setTriggersEnabled = async (
  session: Session,
  ids: readonly string[],
  enabled: boolean,
  flags: ClientFlags,
): Promise<void> => {
  await change(session, flags, (items) => {
    refuseUnknown(items, ids)
    return items.map((item) => (ids.includes(item.id) ? { ...item, enabled } : item))
  })
  return told(session, `${enabled ? 'enabled' : 'disabled'} ${ids.join(', ')}`)
}

export const removeTriggers = async (session: Session, ids: readonly string[], flags: ClientFlags): Promise<void> => {
  await change(session, flags, (items) => {
    refuseUnknown(items, ids)
    return items.filter(({ id }) => !ids.includes(id))
  })
  return told(session, `removed ${ids.join(', ')}`)
}

const refuseUnknown = (items: readonly Trigger[], ids: readonly string[]): void => {
  const missing = ids.find((id) => items.every((item) => item.id !== id))
  if (missing === undefined) return
  throw new CommandFailure('trigger_not_found', `There is no Trigger ${missing} in this project.`, {
    hint: '`wes triggers` lists them.',
  })
}

const MOST_ATTEMPTS = 5

const change = async (
  session: Session,
  flags: ClientFlags,
  make: (items: readonly Trigger[]) => readonly (Trigger | NewTrigger)[],
): Promise<{ readonly before: readonly Trigger[]; readonly after: readonly Trigger[] }> => {
  const projectId = projectOf(flags)
  for (let attempt = 1; ; attempt++) {
    const { etag } = await session.client.listTriggers(projectId)
    if (etag === undefined) throw withoutEtag()
    const before = exactItems(session.lastAnswer().text)
    try {
      const triggers = make(before)
      const added = triggers.length > before.length ? before.length : undefined
      const { items } = await explained(placeOfFlags(triggers, added), () =>
        session.client.replaceTriggers(projectId, triggers, { ifMatch: etag }),
      )
      return { before, after: items }
    } catch (error) {
      const isOld = error instanceof ServiceRuntimeError && error.code === 'precondition_failed'
      if (!isOld || attempt === MOST_ATTEMPTS) throw error
    }
  }
}

/** Says what is wrong with a list in words of the command line. */
const explained = async <Answer>(place: TriggerPlace, replace: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await replace()
  } catch (error) {
    if (!(error instanceof ServiceRuntimeError)) throw error
    const { status, code } = error
    const message = code === 'invalid_request' ? triggerFaults(error.message, place) : undefined
    throw message === undefined ? error : new ServiceRuntimeError({ status, code, message, cause: error })
  }
}

const withoutEtag = (): CommandFailure =>
  new CommandFailure(
    'etag_missing',
    'The list of Triggers came without an ETag. Without it, this change could undo a change that someone else makes meanwhile.',
    { hint: 'A proxy in front of the service may have removed the header `ETag`.' },
  )

type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown
/** Node 20 lacks both, and rounds. */
const json: { parse(text: string, reviver: Reviver): unknown; readonly rawJSON?: (text: string) => unknown } = JSON

/** Numbers of other Triggers' inputs are sent back as they came, also where JavaScript's would round them. */
const exactItems = (answer: string): readonly Trigger[] => {
  const { items } = json.parse(answer, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && json.rawJSON !== undefined
      ? json.rawJSON(context.source)
      : value,
  ) as { readonly items: readonly Trigger[] }
  return items
}
