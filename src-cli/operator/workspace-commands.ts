// `wes workspaces`: lists the workspaces of a service, and removes one.

import { createInterface } from 'node:readline'
import type { Place } from '#hosted/operator/open-operated-store.ts'
import {
  type ListedWorkspace,
  operateWorkspaces,
  type OperatedWorkspaces,
  type WorkspaceToRemove,
} from '#hosted/operator/operate-workspaces.ts'
import { formatBytes } from '#runtime/shared/format-bytes.ts'
import type { List } from '#sdk/index.ts'
import { workspaceColumns } from '../columns.ts'
import { CommandFailure, UsageError } from '../failures.ts'
import { sayingIfInterrupted } from '../interrupt.ts'
import { type PageFlags, printList } from '../list-commands.ts'
import type { ClientFlags } from '../session.ts'
import { renderFields } from '../table.ts'
import type { Terminal } from '../terminal.ts'
import { printable } from '../text.ts'
import { openDatabaseSession, pageRequestOf } from './database-session.ts'
import { onStore } from './operator-commands.ts'

type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean }

const onWorkspaces = (place: Place, act: (workspaces: OperatedWorkspaces) => Promise<void>): Promise<void> =>
  onStore(place, (store) => act(operateWorkspaces(store)))

export const workspaces = (place: Place, flags: ClientFlags & PageFlags, terminal: Terminal): Promise<void> =>
  onWorkspaces(place, async (operated) => {
    const session = openDatabaseSession(flags, terminal)
    await printList(session, flags, workspaceColumns, 'No workspaces.', async (page) =>
      session.read<List<ListedWorkspace>>(await operated.list(pageRequestOf(page))),
    )
  })

export const removeWorkspace = (
  place: Place,
  idOrName: string,
  flags: ClientFlags & { readonly yes?: true },
  terminal: Terminal,
  stdin: Input = process.stdin,
): Promise<void> =>
  onWorkspaces(place, async (operated) => {
    const json = flags.json === true
    const mayAsk = !json && terminal.hints && stdin.isTTY === true
    if (flags.yes !== true && !mayAsk) {
      throw new UsageError(`pass --yes to remove ${idOrName}${json ? '' : ': there is no terminal to confirm it in'}`)
    }
    const found = await operated.find(idOrName)
    const { id, name, isBeingRemoved, contents } = found
    if (!json) terminal.err(whatGoes(found, terminal))
    // One whose removal has begun is of no use any more, so nobody is asked again.
    if (!isBeingRemoved && flags.yes !== true) await confirm(name, terminal, stdin)
    const say = async (): Promise<void> => {
      if (!json) terminal.err('Not all of it is removed yet: run the same command again.\n')
    }
    if (!json && terminal.hints) terminal.err('Removing it; this takes 10 seconds or longer.\n')
    const progress = createProgress(contents.executions, terminal)
    const remove = (): Promise<void> => operated.remove(id, json ? () => {} : progress)
    await sayingIfInterrupted(say, () =>
      remove().catch(async (error: unknown) => {
        await say()
        throw error
      }),
    )
    const removed = json ? JSON.stringify({ id, name, ...contents }) : `removed ${printable(name)} (${id})`
    await terminal.out(`${removed}\n`)
  })

const whatGoes = ({ id, name, isBeingRemoved, isLast, contents }: WorkspaceToRemove, terminal: Terminal): string => {
  const called = `${printable(name)} (${id})`
  if (isBeingRemoved) return `The removal of workspace ${called} was begun before, and is finished now.\n`
  const { executions, liveExecutions: live, storedBytes } = contents
  const isLive = live === 0 ? '' : `, ${live} of which ${live === 1 ? 'has' : 'have'} not ended`
  const fields = [
    ['projects', String(contents.projects)],
    ['Programs', String(contents.programs)],
    ['Executions', `${executions}${isLive}`],
    ['Triggers', String(contents.triggers)],
    ['tokens', String(contents.tokens)],
    ['stored', formatBytes(storedBytes)],
  ] as const
  const last = isLast
    ? 'It is the last workspace: the next API process that starts makes the workspace default, and prints a token for it.\n'
    : ''
  return `Workspace ${called} will be removed for good, with its usage and invoices:\n\n${renderFields(fields, { colour: terminal.errColour })}\n${last}`
}

/** Rejects unless the user types the name. */
const confirm = async (name: string, terminal: Terminal, input: Input): Promise<void> => {
  terminal.err(`Type ${printable(name)} to confirm: `)
  const lines = createInterface({ input })
  const typed = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve(undefined))
  })
  lines.close()
  if (typed === undefined) terminal.err('\n')
  if (typed?.trim() !== name.trim() && typed?.trim() !== printable(name).trim())
    throw new CommandFailure('not_confirmed', `this is not ${name}: nothing was removed`)
}

const TELL_EVERY_MS = 2_000

/** Tells how far it is where that takes long. */
const createProgress = (of: number, terminal: Terminal): ((executions: number) => void) => {
  let toldAt = performance.now()
  return (executions) => {
    if (!terminal.hints || performance.now() - toldAt < TELL_EVERY_MS) return
    toldAt = performance.now()
    terminal.err(`removed ${executions} of ${Math.max(of, executions)} Executions\n`)
  }
}
