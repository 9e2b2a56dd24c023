// The page: one root, whatever home serves it.

import './style.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { OWN } from './api/connection.ts'
import { onServiceGone } from './api/connections.ts'
import { onWorkspaceKnown } from './api/known-session.ts'
import { onOtherAccess } from './api/other-access.ts'
import { onLinkRefused, openLaterSessions, openSession } from './api/session.ts'
import { App } from './app/app.tsx'
import { copyRowsAsLines } from './app/copied-rows.ts'
import { copyTimesInFull } from './app/copied-times.ts'
import { onCaughtError, reportErrors } from './app/report-errors.ts'
import { replaceInvalidLanguage } from './app/valid-language.ts'
import { forgetVisits } from './parts/visit.ts'
import { keepUnderWorkspace } from './stores/kept-under.ts'
import { forgetBulksOf } from './stores/followed-bulks.ts'
import { forgetConnection } from './stores/preferences.ts'
import { followOtherTabs, forgetInputsOf, noteWorkspace } from './stores/recent-inputs.ts'
import { forgetEntriesOf } from './stores/start-entries.ts'
import { closeNoticesOf, notifyFault } from './ui/toasts.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
copyRowsAsLines()
copyTimesInFull()
replaceInvalidLanguage()
reportErrors()
followOtherTabs()
onServiceGone((id) => {
  forgetConnection(id)
  forgetInputsOf(id)
  forgetBulksOf(id)
})
onWorkspaceKnown((id, workspaceId) => {
  if (id === OWN.id) keepUnderWorkspace(workspaceId)
  else noteWorkspace(id, workspaceId)
})
onOtherAccess((id) => {
  forgetEntriesOf(id)
  forgetBulksOf(id)
  closeNoticesOf(id)
  forgetVisits()
})
onLinkRefused((message) => notifyFault('The link opens no session', { detail: message }))
openLaterSessions()
await openSession()
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
