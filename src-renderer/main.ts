// The desktop window's page: whether the runtime answers, and what runs on it. It calls only its own origin; the
// process that serves it forwards /local to the runtime.

import { createClient, type ExecutionSummary } from '#sdk/index.ts'

const REFRESH_MS = 2_000
const client = createClient({ url: new URL('/local', window.location.href).href })

const element = (id: string): HTMLElement => {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found
}

const cell = (text: string): HTMLTableCellElement => {
  const made = document.createElement('td')
  made.textContent = text
  return made
}

const row = (execution: ExecutionSummary): HTMLTableRowElement => {
  const made = document.createElement('tr')
  const startedAt = new Date(execution.createdAt).toLocaleString()
  made.append(cell(execution.id), cell(execution.programId), cell(execution.status), cell(startedAt))
  return made
}

const refresh = async (): Promise<void> => {
  const state = element('runtime')
  try {
    const { items } = await client.listExecutions({ limit: 50 })
    state.textContent = 'ready'
    element('executions').replaceChildren(...items.map(row))
  } catch (error) {
    state.textContent = error instanceof Error ? error.message : String(error)
  }
}

const keepFresh = async (): Promise<void> => {
  await refresh()
  setTimeout(() => void keepFresh(), REFRESH_MS)
}

void keepFresh()
