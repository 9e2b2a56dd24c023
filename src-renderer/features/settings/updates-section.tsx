import type { ReactNode } from 'react'
import { desktop, type DesktopApi, type Update, type UpdateChannel, type Updates } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { useUpdates } from '../../parts/desktop-state.ts'
import { DownloadBar, downloadedText } from '../../parts/download-bar.tsx'
import { absoluteTime, bytes } from '../../parts/format.ts'
import { Row, Section } from '../../parts/section.tsx'
import { ClockAgo } from '../../parts/time.tsx'
import { usePreferences } from '../../stores/preferences.ts'
import { Button } from '../../ui/button.tsx'
import { Segmented, type SegmentedOption } from '../../ui/segmented.tsx'
import { Switch } from '../../ui/switch.tsx'
import { useDesktopSettings } from './use-desktop.ts'

const CHANNELS: readonly SegmentedOption<UpdateChannel>[] = [
  { value: 'latest', label: 'Latest' },
  { value: 'beta', label: 'Beta' },
]

export const UpdatesSection = () => {
  const updates = useUpdates()
  const { settings, change } = useDesktopSettings()
  if (desktop === undefined || updates === null || settings === null) return null
  if (updates.state.kind === 'off') {
    return (
      <Section title="Updates" id="updates">
        <Row label={`Version ${updates.ownVersion}`} note={updates.state.reason} />
      </Section>
    )
  }
  return (
    <Section title="Updates" id="updates">
      {/* Each step of a download would be read out. */}
      <div aria-live="polite" aria-busy={updates.state.kind === 'downloading'} className="flex flex-col gap-3">
        <State updates={updates} api={desktop.updates} />
      </div>
      <Row
        label="Check automatically"
        note="When the app starts, and once a day. Nothing is downloaded before you say so."
      >
        <Switch
          label="Check automatically"
          checked={settings.checkForUpdates}
          onChange={(on) => change({ checkForUpdates: on })}
        />
      </Row>
      <Row
        label="Channel"
        note="Beta versions come earlier and are tested less. A newer version is never replaced by an older one."
      >
        <Segmented
          label="Channel"
          value={settings.updateChannel}
          options={CHANNELS}
          onChange={(channel) => change({ updateChannel: channel })}
        />
      </Row>
    </Section>
  )
}

const State = ({ updates, api }: { readonly updates: Updates; readonly api: DesktopApi['updates'] }) => {
  const { state, ownVersion } = updates
  switch (state.kind) {
    case 'off':
      return null
    case 'idle':
    case 'checking':
      return (
        <Row label={`Version ${ownVersion}`} note={<LastCheck updates={updates} />}>
          <Button busy={state.kind === 'checking'} onClick={ask(api.check)}>
            {state.kind === 'checking' ? 'Checking…' : 'Check for updates'}
          </Button>
        </Row>
      )
    case 'none':
      return (
        <Row label={newestText(ownVersion, state.newest)} note={<LastCheck updates={updates} />}>
          <Button onClick={ask(api.check)}>Check for updates</Button>
        </Row>
      )
    case 'available':
      return (
        <>
          <Row
            label={`Version ${state.update.version} is available`}
            note={<Facts update={state.update} own={ownVersion} />}
          >
            <Button kind="primary" onClick={ask(api.download)}>
              Download
            </Button>
          </Row>
          <Notes update={state.update} />
        </>
      )
    case 'downloading':
      return (
        <>
          <Row
            label={`Downloading version ${state.update.version}`}
            note={
              <span className="tabular">
                {downloadedText(state)}
                {state.bytesPerSecond > 0 && `, ${bytes(state.bytesPerSecond)} per second`}
              </span>
            }
          />
          {/* Not where "Download" was and "Restart to update" will be, so that no click hits another button. */}
          <div className="flex items-center gap-4">
            <DownloadBar state={state} className="flex-1" />
            <Button onClick={ask(api.cancelDownload)}>Cancel</Button>
          </div>
          <Notes update={state.update} />
        </>
      )
    case 'ready':
      return (
        <>
          <Row
            label={`Version ${state.update.version} is ready`}
            note={
              state.installsOnQuit
                ? 'It is installed when you quit the app.'
                : 'The app closes, installs it and opens again.'
            }
          >
            <Button kind="primary" onClick={ask(api.restart)}>
              Restart to update
            </Button>
          </Row>
          <Notes update={state.update} />
        </>
      )
    case 'restarting':
      return (
        <Row
          label={`Restarting to install version ${state.update.version}`}
          note="Executions go on after the restart."
        />
      )
    case 'failed':
      return (
        <Failed title={FAILED[state.during]} problem={state.problem}>
          <Button onClick={ask(AGAIN[state.during](api))}>Try again</Button>
        </Failed>
      )
  }
}

const FAILED = {
  check: 'The check for updates failed',
  download: 'The update was not downloaded',
  install: 'The update was not installed',
} as const

const AGAIN: Readonly<Record<keyof typeof FAILED, (api: DesktopApi['updates']) => () => Promise<void>>> = {
  check: (api) => api.check,
  download: (api) => api.download,
  install: (api) => api.restart,
}

const ask = (act: () => Promise<void>) => () => askDesktop('The action failed', act)

/** After a change from beta to latest, the app may be newer than every release of its channel. */
const newestText = (own: string, newest: string): string =>
  own === newest ? `Version ${own} is the newest` : `Version ${own} is newer than ${newest}, the newest of this channel`

const LastCheck = ({ updates: { checkedAt, quietProblem } }: { readonly updates: Updates }) => (
  <>
    {checkedAt === null ? (
      'Not checked yet.'
    ) : (
      <>
        Last checked <ClockAgo at={checkedAt} />.
      </>
    )}
    {quietProblem !== null && ` The last attempt failed: ${quietProblem}`}
  </>
)

const Facts = ({ update, own }: { readonly update: Update; readonly own: string }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const { bytes: size, releasedAt } = update
  return [
    ...(size === null ? [] : [bytes(size)]),
    ...(releasedAt === null ? [] : [`released ${absoluteTime(Date.parse(releasedAt), display).slice(0, 10)}`]),
    `you have ${own}`,
  ].join(' · ')
}

/** Plain text, whatever the feed has. */
const Notes = ({ update: { version, notes } }: { readonly update: Update }) =>
  notes === null ? null : (
    <div
      role="region"
      aria-label={`What’s new in version ${version}`}
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 text-xs break-words whitespace-pre-wrap text-soft"
    >
      {notes}
    </div>
  )

const Failed = ({
  title,
  problem,
  children,
}: {
  readonly title: string
  readonly problem: string
  readonly children: ReactNode
}) => (
  <div role="alert" className="rounded-md border border-failed/40 bg-failed-wash px-3 py-2">
    <Row label={title} note={<span className="text-soft">{problem}</span>}>
      {children}
    </Row>
  </div>
)
