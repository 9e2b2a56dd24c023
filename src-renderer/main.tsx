// The page: one root, whatever home serves it.

import './style.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openLaterSessions, openSession } from './api/session.ts'
import { App } from './app/app.tsx'
import { copyTimesInFull } from './app/copied-times.ts'
import { onCaughtError, reportErrors } from './app/report-errors.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
copyTimesInFull()
reportErrors()
openLaterSessions()
await openSession()
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
