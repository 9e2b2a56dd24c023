// Carries out requests of the desktop's menus, deep links, notifications and opened files, and tells the menus which connection
// is shown.

import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { desktop, type DesktopCommand, type FindCommand } from '../desktop.ts'
import { parseExactJson } from '../exact-json.ts'
import { openDialogIfFree } from '../parts/shortcuts.ts'
import { openDialog, type OpenDialog, useDialog } from '../stores/dialogs.ts'
import { usePreferences } from '../stores/preferences.ts'
import { notify, notifyFault } from '../ui/toasts.tsx'

/** The find bar carries out the others itself. */
const DIALOGS: Readonly<Record<Exclude<DesktopCommand, FindCommand>, OpenDialog>> = {
  'start-execution': { kind: 'start' },
  'command-palette': { kind: 'palette' },
  shortcuts: { kind: 'shortcuts' },
  'new-project': { kind: 'new-project' },
  'connect-to-hosted': { kind: 'connect' },
}

/** Replaces the start that another file offers, unless the user has changed it. */
const offer = (start: Extract<OpenDialog, { kind: 'start' }>): void => {
  const { open, isChanged } = useDialog.getState()
  if (open?.kind === 'start' && open.offer !== undefined && !isChanged) openDialog(start)
  else if (!openDialogIfFree(start))
    notify('A dialog is open', { detail: `Close it, then open the file for ${start.programId} again.` })
}

export const DesktopBridge = () => {
  const navigate = useNavigate()
  useEffect(() => {
    if (desktop === undefined) return undefined
    void desktop.settings.get().then(({ theme }) => usePreferences.setState({ theme }))
    let offers = 0
    const endings = [
      desktop.onCommand((command) => {
        if (command in DIALOGS) openDialogIfFree(DIALOGS[command as keyof typeof DIALOGS])
      }),
      desktop.onRunFile(({ programId, text }) => {
        const { input } = parseExactJson(text) as { readonly input?: unknown }
        offer({ kind: 'start', programId, input, offer: (offers += 1) })
      }),
      desktop.onLinkRefused(() =>
        notifyFault('The link could not be opened', { detail: 'It is not a complete link to an Execution.' }),
      ),
      desktop.onNotificationFailed((reason) =>
        notifyFault('The system shows no notifications', {
          detail: `Allow notifications of this app in the system’s settings. It says: “${reason}”`,
        }),
      ),
      desktop.settings.onChange(({ theme }) => usePreferences.setState({ theme })),
    ]
    return () => {
      for (const end of endings) end()
    }
  }, [])
  const { connection, project } = useParams({ strict: false })
  useEffect(
    () => desktop?.onNavigate((path) => void navigate({ href: hrefOf(path, connection, project) })),
    [navigate, connection, project],
  )
  useEffect(() => {
    // An address may name what is no connection's id.
    if (connection !== undefined) desktop?.shownConnection(connection).catch(() => {})
  }, [connection])
  return null
}

/** Items of the menu name a page only: it is of the connection and the project that are shown. */
const hrefOf = (path: string, connection: string | undefined, project: string | undefined): string =>
  path.startsWith('/c/') || connection === undefined || project === undefined
    ? path
    : `/c/${encodeURIComponent(connection)}/p/${encodeURIComponent(project)}${path}`
