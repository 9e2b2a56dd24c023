import { Progress } from '@base-ui/react/progress'

/** For work that is counted. A text beside it, if it is a status, is busy meanwhile: else each step would be read aloud. */
export const ProgressBar = ({
  label,
  value,
  max,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
}) => (
  <Progress.Root aria-label={label} value={value} max={Math.max(1, max)} className="w-48">
    <Progress.Track className="h-1.5 overflow-hidden rounded-full bg-sunken forced-color-adjust-none">
      <Progress.Indicator className="h-full bg-accent" />
    </Progress.Track>
  </Progress.Root>
)
