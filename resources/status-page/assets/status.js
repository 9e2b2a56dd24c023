// Shows what the runtime does, as long as there is no dashboard: its health, its Programs and the newest Executions.
// Reads again when the stream of changes says that something changed, and now and then in case it does not.

const REFRESH_MS = 15_000
const SETTLE_MS = 250
const SHOWN_EXECUTIONS = 25

const element = (id) => document.getElementById(id)

const read = async (path) => {
  const answer = await fetch(path, { headers: { accept: 'application/json' } })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  return answer.json()
}

const node = (tag, text, attributes = {}) => {
  const made = document.createElement(tag)
  made.textContent = text
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value)
  return made
}

const row = (...cells) => {
  const made = document.createElement('tr')
  for (const cell of cells) {
    const data = document.createElement('td')
    data.append(cell)
    made.append(data)
  }
  return made
}

const time = (iso) => {
  const at = new Date(iso)
  const isToday = at.toDateString() === new Date().toDateString()
  return node('time', isToday ? at.toLocaleTimeString() : at.toLocaleDateString(), { datetime: iso, title: iso })
}

const detail = ({ error, waitingFor }) => {
  const text = error?.message ?? waitingFor.map(waitingText).join(', ')
  return node('span', text, { class: 'detail', title: text })
}

const waitingText = ({ kind, name, attempt }) => {
  if (kind === 'event') return `event ${name}`
  if (kind === 'effect') return `effect ${name}${attempt > 1 ? ` (attempt ${attempt})` : ''}`
  return 'timer'
}

const programRow = (program) =>
  row(
    node('span', program.id, { class: 'id' }),
    String(program.latestVersion.number),
    program.runnable ? 'yes' : node('span', 'no', { class: 'muted' }),
    time(program.updatedAt),
  )

const executionRow = (execution) =>
  row(
    node('span', execution.id, { class: 'id' }),
    node('span', `${execution.programId} @${execution.versionNumber}`),
    node('span', execution.status, { class: 'status', 'data-status': execution.status }),
    detail(execution),
    time(execution.createdAt),
  )

const fill = (id, rows) => {
  element(id).replaceChildren(...rows)
  element(`${id}-empty`).hidden = rows.length > 0
}

const showHealth = (state, text) => {
  element('health').dataset.state = state
  element('runtime').textContent = text
}

const refresh = async () => {
  try {
    const [health, programs, executions] = await Promise.all([
      read('/healthz'),
      read('/v1/programs?limit=200'),
      read(`/v1/executions?limit=${SHOWN_EXECUTIONS}`),
    ])
    showHealth('up', `Version ${health.version}, running since ${new Date(health.startedAt).toLocaleString()}`)
    element('programs-count').textContent = `${programs.items.length}${programs.nextCursor === null ? '' : '+'}`
    fill('programs', programs.items.map(programRow))
    fill('executions', executions.items.map(executionRow))
  } catch {
    showHealth('down', 'The runtime does not answer. This page goes on when it does.')
  }
}

let settling
const refreshSoon = () => {
  settling ??= setTimeout(() => {
    settling = undefined
    void refresh()
  }, SETTLE_MS)
}

const changes = new EventSource('/v1/changes')
for (const kind of ['open', 'message', 'reset', 'error']) changes.addEventListener(kind, refreshSoon)
setInterval(refreshSoon, REFRESH_MS)
void refresh()
