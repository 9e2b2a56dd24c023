// The page: one root, whatever home serves it.

import './style.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openSession } from './api/session.ts'
import { App } from './app/app.tsx'
import { copyTimesInFull } from './app/copied-times.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
copyTimesInFull()
await openSession()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
