// The commands that print lists: one page, or all of them with --all.

import { type ExecutionFilter, type List, type Page, ServiceRuntimeError } from '#sdk/index.ts'
import {
  executionColumns,
  historyColumns,
  programColumns,
  projectColumns,
  type TimeStyle,
  versionColumns,
} from './columns.ts'
import { notOurs, printAnswer, readAnswer, type Session } from './session.ts'
import { shellWord } from './shell-word.ts'
import { type Column, createTable, renderFields } from './table.ts'
import { printable } from './text.ts'

export type PageFlags = { readonly limit?: number; readonly cursor?: string; readonly all?: true }

export const executions = (session: Session, flags: PageFlags & ExecutionFilter): Promise<void> => {
  const { status, programId, version, triggerId, againOf, createdAfter, createdBefore, label, q } = flags
  const filter = { status, programId, version, triggerId, againOf, createdAfter, createdBefore, label, q }
  return printList(session, flags, executionColumns, 'No Executions.', (page) =>
    session.client.listExecutions({ ...filter, ...page }),
  )
}

/** One after the other. Stops at the first error. */
export const removeExecutions = async (session: Session, ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    await session.client.deleteExecution(id)
    if (!session.json) await session.terminal.out(`removed ${printable(id)}\n`)
  }
}

export const programs = (session: Session, flags: PageFlags): Promise<void> =>
  printList(session, flags, programColumns, 'No Programs. `wes deploy FILE` adds one.', session.client.listPrograms)

export const versions = (session: Session, id: string, flags: PageFlags): Promise<void> =>
  printList(session, flags, versionColumns, 'No versions.', (page) => session.client.listProgramVersions(id, page))

export const history = (session: Session, id: string, flags: PageFlags): Promise<void> =>
  printList(session, flags, historyColumns, 'No history.', (page) => session.client.getHistory(id, page))

export const projects = (session: Session): Promise<void> =>
  printList(session, {}, projectColumns, 'No projects.', () => session.client.listProjects())

export const createProject = async (session: Session, name: string): Promise<void> => {
  const project = await session.client.createProject({ name })
  if (session.json) return printAnswer(session)
  const [id, word] = readAnswer(() => [printable(project.id), printable(shellWord(project.id))])
  await session.terminal.out(`${id}\n`)
  if (session.terminal.hints) session.terminal.err(`Use it with: --project-id ${word}\n`)
}

/** By id. */
export const projectNames = async ({ client }: Session): Promise<ReadonlyMap<string, string>> => {
  const { items } = await client.listProjects()
  return readAnswer(() => new Map(items.map(({ id, name }) => [id, name])))
}

/** Its JSON, with `--json` and without, to be written to a file. */
export const versionArtifact = async (session: Session, id: string, number: number): Promise<void> => {
  await session.client.getProgramArtifact(id, number)
  return printAnswer(session)
}

export const removeVersion = async (session: Session, id: string, number: number): Promise<void> => {
  await session.client.deleteProgramVersion(id, number)
  if (!session.json) await session.terminal.out(`removed version ${number} of ${printable(id)}\n`)
}

export const whoami = async (session: Session): Promise<void> => {
  const { workspace, token, defaultProjectId } = await session.client.whoAmI()
  if (session.json) return printAnswer(session)
  const text = readAnswer(() => {
    const fields = [
      ['workspace', `${printable(workspace.name)} (${workspace.id})`],
      ['token', `${printable(token.name)} (${token.id})`],
      ['role', token.role],
      ['expires', token.expiresAt],
      ['project', defaultProjectId],
    ] as const
    return renderFields(fields, { colour: session.terminal.outColour })
  })
  await session.terminal.out(text)
}

/** What a list is printed with, wherever it comes from. */
export type ListSession = Pick<Session, 'terminal' | 'lastAnswer' | 'json' | 'iso'>

export const printList = async <Row>(
  session: ListSession,
  flags: PageFlags,
  columnsAt: (style: TimeStyle) => readonly Column<Row>[],
  empty: string,
  request: (page: Page) => Promise<List<Row>>,
): Promise<void> => {
  const { terminal } = session
  const goesOn = createProgressCheck()
  const read = async (page: Page): Promise<List<Row>> => goesOn(checkedList(await request(page)))
  const columns = columnsAt({ now: Date.now(), iso: session.iso })
  const style = { columns: terminal.columns, colour: terminal.outColour }
  let list = await read({ limit: flags.limit, cursor: flags.cursor })
  if (session.json) return flags.all === true ? printAllJson(session, list, flags, read) : printAnswer(session)
  if (list.items.length === 0) {
    if (terminal.hints) terminal.err(`${empty}\n`)
    return
  }
  const table = createTable(columns, style)
  const print = (): Promise<void> => terminal.out(readAnswer(() => table(list.items)))
  await print()
  while (flags.all === true && list.nextCursor !== null) {
    list = await read({ limit: flags.limit, cursor: list.nextCursor })
    await print()
  }
  if (list.nextCursor !== null && terminal.hints) {
    terminal.err(`There are more: use --all, or --cursor ${printable(shellWord(list.nextCursor))}\n`)
  }
}

/** Throws for a list of another server. */
export const checkedList = <Row>(list: List<Row>): List<Row> => {
  const { items, nextCursor }: Partial<List<Row>> = list
  if (Array.isArray(items) && (nextCursor === null || typeof nextCursor === 'string')) return list
  throw notOurs()
}

/** Throws for a cursor that comes for the second time: after it, the list would never end. */
export const createProgressCheck = () => {
  const cursors = new Set<string>()
  return <Row>(list: List<Row>): List<Row> => {
    if (list.nextCursor !== null && cursors.has(list.nextCursor)) {
      const message = 'The list’s next page is one that came before.'
      throw new ServiceRuntimeError({ status: 200, code: 'invalid_response', message })
    }
    if (list.nextCursor !== null) cursors.add(list.nextCursor)
    return list
  }
}

/** Prints all pages as one JSON list, page by page, so that a long list needs little memory. */
const printAllJson = async <Row>(
  session: ListSession,
  first: List<Row>,
  flags: PageFlags,
  read: (page: Page) => Promise<List<Row>>,
): Promise<void> => {
  const { terminal } = session
  let separator = '{"items":['
  for (let list = first; ; list = await read({ limit: flags.limit, cursor: list.nextCursor })) {
    for (const item of list.items) {
      await terminal.out(separator + JSON.stringify(item))
      separator = ','
    }
    if (list.nextCursor === null) break
  }
  await terminal.out(`${separator === ',' ? '' : separator}],"nextCursor":null}\n`)
}
