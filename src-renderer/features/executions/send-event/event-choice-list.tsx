import { Clock3 } from 'lucide-react'
import { count } from '../../../parts/format.ts'
import { Countdown, Elapsed } from '../../../parts/time.tsx'
import { classNames } from '../../../ui/class-names.ts'
import type { EventChoice } from './event-choices.ts'
import { visible } from '../../../ui/visible.tsx'

/** An Execution may wait for thousands. */
const SHOWN_AT_MOST = 100

/** Event names to choose from; renders nothing without names. */
export const EventChoices = ({
  title,
  choices,
  chosen,
  onChoose,
}: {
  readonly title: string
  readonly choices: readonly EventChoice[]
  readonly chosen: string
  readonly onChoose: (name: string) => void
}) =>
  choices.length === 0 ? null : (
    <div role="group" aria-label={title} className="flex flex-col gap-1">
      <span aria-hidden="true" className="text-xs text-soft">
        {title}
      </span>
      <div className="flex max-h-40 flex-wrap gap-2 overflow-auto">
        {choices.slice(0, SHOWN_AT_MOST).map((choice) => (
          <button
            key={choice.name}
            type="button"
            aria-pressed={choice.name === chosen}
            onClick={() => onChoose(choice.name)}
            className={classNames(
              'flex max-w-full flex-wrap items-center gap-x-2 rounded-md border px-2.5 py-1 text-left',
              choice.name === chosen ? 'border-accent bg-selected' : 'border-line-strong bg-raised hover:bg-hover',
            )}
          >
            <span className="flex min-w-0 items-center gap-2 font-medium">
              {choice.since !== undefined && <Clock3 size={13} className="shrink-0 text-waiting" />}
              <span className="min-w-0 break-words">{visible(choice.name)}</span>
            </span>
            {choice.since !== undefined && (
              <span className="text-xs whitespace-nowrap text-soft">
                for <Elapsed from={choice.since} />
                {choice.timeoutAt !== undefined && (
                  <>
                    , times out <Countdown to={choice.timeoutAt} />
                  </>
                )}
              </span>
            )}
          </button>
        ))}
      </div>
      {choices.length > SHOWN_AT_MOST && (
        <p className="text-xs text-faint">and {count(choices.length - SHOWN_AT_MOST)} more, whose names can be typed</p>
      )}
    </div>
  )
