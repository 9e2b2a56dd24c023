import { Progress } from '@base-ui/react/progress'
import type { UpdateState } from '../desktop.ts'
import { bytes } from './format.ts'

type Downloading = Extract<UpdateState, { kind: 'downloading' }>

export const DownloadBar = ({ state, className }: { readonly state: Downloading; readonly className?: string }) => (
  <Progress.Root
    className={className}
    aria-label={`Downloading version ${state.update.version}`}
    value={state.totalBytes === 0 ? null : state.receivedBytes}
    max={Math.max(1, state.totalBytes)}
  >
    <Progress.Track className="h-1.5 overflow-hidden rounded-full border border-line bg-sunken forced-color-adjust-none">
      <Progress.Indicator className="h-full bg-accent data-indeterminate:w-0" />
    </Progress.Track>
  </Progress.Root>
)

/** `12 MiB of 92 MiB` */
export const downloadedText = ({ receivedBytes, totalBytes }: Downloading): string =>
  totalBytes === 0 ? 'Starting…' : `${bytes(receivedBytes)} of ${bytes(totalBytes)}`
