// A quiet notice at the end of the rail: an update is available, is loaded, or is ready. Whoever chooses "Later" sees it
// again at the next start, and in Settings.

import { Link } from '@tanstack/react-router'
import { CircleArrowUp, TriangleAlert, X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { desktop, type DesktopApi, type UpdateState } from '../desktop.ts'
import { askDesktop } from '../parts/ask-desktop.ts'
import { useUpdates } from '../parts/desktop-state.ts'
import { DownloadBar, downloadedText } from '../parts/download-bar.tsx'
import { bytes } from '../parts/format.ts'
import { paths } from '../paths.ts'
import { Button, IconButton, type ButtonProps } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'

export const UpdateNotice = () => {
  const updates = useUpdates()
  const [dismissed, setDismissed] = useState<string | null>(null)
  if (desktop === undefined || updates === null) return null
  const { state } = updates
  if (!isShown(state)) return null
  const key = `${state.kind} ${state.update?.version}`
  if (dismissed === key) return null
  return (
    <section aria-label="Update" className="border-t border-line px-3 pt-1.5 pb-2.5">
      <Content state={state} api={desktop.updates} onLater={() => setDismissed(key)} />
    </section>
  )
}

type Shown = Extract<UpdateState, { kind: 'available' | 'downloading' | 'ready' | 'restarting' | 'failed' }>

/** A check that failed is reported where the user asked for it. */
const isShown = (state: UpdateState): state is Shown =>
  state.kind === 'available' ||
  state.kind === 'downloading' ||
  state.kind === 'ready' ||
  state.kind === 'restarting' ||
  (state.kind === 'failed' && state.during !== 'check')

const Content = ({
  state,
  api,
  onLater,
}: {
  readonly state: Shown
  readonly api: DesktopApi['updates']
  readonly onLater: () => void
}) => {
  switch (state.kind) {
    case 'available': {
      const { version, bytes: size } = state.update
      return (
        <Told title="Update available" onLater={onLater}>
          <Note>
            {version}
            {size !== null && ` · ${bytes(size)}`} · <WhatIsNew />
          </Note>
          <Action onClick={() => askDesktop('The download did not begin', api.download)}>Download</Action>
        </Told>
      )
    }
    case 'downloading':
      return (
        <Told title={`Downloading ${state.update.version}`}>
          <Note>{downloadedText(state)}</Note>
          <DownloadBar state={state} className="mt-1.5" />
        </Told>
      )
    case 'ready':
      return (
        <Told title="Update ready" onLater={onLater}>
          <Note>
            {state.update.version}
            {state.installsOnQuit ? (
              ', installed when you quit'
            ) : (
              <>
                {' · '}
                <WhatIsNew />
              </>
            )}
          </Note>
          <Action kind="primary" onClick={() => askDesktop('The app was not restarted', api.restart)}>
            Restart to update
          </Action>
        </Told>
      )
    case 'restarting':
      return (
        <Told title="Restarting…">
          <Note>Installs version {state.update.version}</Note>
        </Told>
      )
    case 'failed': {
      const isDownload = state.during === 'download'
      return (
        <Told isFault title={isDownload ? 'Download failed' : 'Installation failed'} onLater={onLater}>
          <Note>{state.problem}</Note>
          <Action onClick={() => askDesktop('The update failed again', isDownload ? api.download : api.restart)}>
            Try again
          </Action>
        </Told>
      )
    }
  }
}

const Told = ({
  title,
  isFault = false,
  onLater,
  children,
}: {
  readonly title: string
  readonly isFault?: boolean
  readonly onLater?: () => void
  readonly children: ReactNode
}) => (
  <>
    <div className="flex h-7 items-center gap-2 pl-1">
      {isFault ? (
        <TriangleAlert size={14} className="shrink-0 text-failed" />
      ) : (
        <CircleArrowUp size={14} className="shrink-0 text-accent" />
      )}
      <p role="status" className={classNames('flex-1 font-medium', isFault && 'text-failed')}>
        {title}
      </p>
      {onLater !== undefined && (
        <IconButton label="Later" onClick={onLater}>
          <X size={14} />
        </IconButton>
      )}
    </div>
    {children}
  </>
)

const Note = ({ children }: { readonly children: ReactNode }) => (
  <p className="tabular px-1 text-xs break-words text-faint">{children}</p>
)

const Action = ({ kind = 'plain', onClick, children }: Pick<ButtonProps, 'kind' | 'onClick' | 'children'>) => (
  <Button kind={kind} onClick={onClick} className="mt-2 w-full justify-center">
    {children}
  </Button>
)

const WhatIsNew = () => (
  <Link {...paths.settings()} hash="updates" className="rounded-sm underline hover:text-ink">
    What’s new
  </Link>
)
