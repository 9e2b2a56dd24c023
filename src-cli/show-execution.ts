// `wes executions show`: all about one Execution, and how to go on.

import type { Execution, ExecutionSummary } from '#sdk/index.ts'
import { readRunsAgain } from '#sdk/runs-again.ts'
import { detailOf, durationOf, time, type TimeStyle } from './columns.ts'
import { fieldsOfEnd, jsonField, statusField } from './execution-fields.ts'
import { projectNames } from './list-commands.ts'
import { printAnswer, READ_LIMIT_MS, readAnswer, type Session } from './session.ts'
import { shellWord } from './shell-word.ts'
import { hasEnded } from './statuses.ts'
import { type Field, renderFields } from './table.ts'
import { printable } from './text.ts'

export const showExecution = async (session: Session, id: string): Promise<void> => {
  const execution = await session.client.getExecution(id)
  if (session.json) return printAnswer(session)
  const { terminal, iso } = session
  const inProject = session.inProject(execution.projectId, READ_LIMIT_MS)
  const projects = await projectNames(inProject).catch(() => undefined) // its id says enough
  const again = await readRunsAgain(inProject.client.listExecutions, [id]).catch(() => undefined) // the rest is shown all the same
  const project = projects?.get(execution.projectId)
  const [text, next] = readAnswer(() => [
    renderFields(fieldsOf(execution, again?.[id] ?? [], project, { now: Date.now(), iso }), {
      colour: terminal.outColour,
    }),
    nextSteps(execution),
  ])
  await terminal.out(text)
  if (terminal.hints) terminal.err(`${printable(next)}\n`)
}

const fieldsOf = (
  execution: Execution,
  again: readonly ExecutionSummary[],
  project: string | undefined,
  style: TimeStyle,
): readonly Field[] => {
  const { error, trigger, againOf, label } = execution
  const text = (value: string | undefined): string | undefined => (value ? printable(value) : undefined)
  const at = (value: string | undefined): string | undefined => text(time(value, style))
  const duration = durationOf(execution)
  return [
    ['id', text(execution.id)],
    ['label', text(label)],
    ['program', `${printable(execution.programId)} version ${execution.versionNumber}`],
    ['project', text(project === undefined ? execution.projectId : `${project} (${execution.projectId})`)],
    statusField(execution),
    ['detail', error === undefined ? text(detailOf(execution, style)) : undefined],
    ['trigger', trigger && `${printable(trigger.id)} (${printable(trigger.type)})`],
    ['again of', text(againOf)],
    ['run again as', text(linesOf(again))],
    ['created', at(execution.createdAt)],
    ['started', at(execution.startedAt)],
    ['cancel requested', at(execution.cancelRequestedAt)],
    ['finished', at(execution.finishedAt)],
    ['duration', text(duration)],
    jsonField('input', execution.input),
    ...fieldsOfEnd(execution),
  ]
}

const MOST_SHOWN = 5

const linesOf = (runs: readonly ExecutionSummary[]): string => {
  const more = runs.length > MOST_SHOWN ? [`and ${runs.length - MOST_SHOWN} before`] : []
  return [...runs.slice(0, MOST_SHOWN).map(({ id, status }) => `${id}, ${status}`), ...more].join('\n')
}

/** What the user may do with it. */
export const nextSteps = ({ id: named, status, waitingFor }: Execution): string => {
  const id = shellWord(named)
  if (hasEnded(status)) {
    return `\`wes history ${id}\` shows how it ended; \`wes run-again ${id}\` starts another one with the same input.`
  }
  const event = waitingFor.find((one) => one.kind === 'event')
  const hasTimer = waitingFor.some((one) => one.kind === 'timer')
  const backsOff = waitingFor.some((one) => one.kind === 'effect' && one.nextAttemptAt !== undefined)
  return [
    event && `\`wes send ${id} ${shellWord(event.name)} JSON\` sends the event.`,
    hasTimer && `\`wes fire ${id} COMMAND\` fires a timer now; the history has the numbers of commands.`,
    backsOff && `\`wes retry ${id} COMMAND\` retries an effect now; the history has the numbers of commands.`,
    `\`wes history ${id} --follow\` shows what it does; \`wes cancel ${id}\` ends it.`,
  ]
    .filter((line) => typeof line === 'string')
    .join('\n')
}
