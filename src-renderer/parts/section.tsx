import { type ReactNode, useId } from 'react'
import { classNames } from '../ui/class-names.ts'

/** A section that is loaded after its page was not there when the router looked for it. */
const scrollIfNamed = (section: HTMLElement | null): void => {
  if (section === null || section.id === '' || window.location.hash !== `#${section.id}`) return
  section.scrollIntoView({ block: 'nearest' })
}

/** `id`: where an address ends that leads to it. */
export const Section = ({
  title,
  id,
  children,
}: {
  readonly title: string
  readonly id?: string
  readonly children: ReactNode
}) => (
  <section id={id} ref={scrollIfNamed} aria-label={title} className="border-b border-line px-5 py-5 last:border-0">
    <h2 className="mb-3 font-semibold">{title}</h2>
    <div className="flex max-w-180 flex-col gap-3">{children}</div>
  </section>
)

/**
 * A setting: its name on the left, its controls on the right, or below where there is no room. Screen readers read its
 * note with the controls. `align`: in a narrow container all such rows have their controls below.
 */
export const Row = ({
  label,
  note,
  align = false,
  children,
}: {
  readonly label: string
  readonly note?: ReactNode
  readonly align?: boolean
  readonly children?: ReactNode
}) => {
  const id = useId()
  return (
    <div
      className={classNames(
        'flex flex-wrap items-center gap-x-6 gap-y-1.5',
        align && '@max-2xl:flex-col @max-2xl:items-start',
      )}
    >
      <div className="min-w-60 flex-1">
        <p>{label}</p>
        {note !== undefined && (
          <p id={id} className="text-xs text-faint">
            {note}
          </p>
        )}
      </div>
      {children !== undefined && (
        <div
          role="group"
          aria-label={label}
          aria-describedby={note === undefined ? undefined : id}
          className="flex min-w-0 flex-wrap items-center gap-2"
        >
          {children}
        </div>
      )}
    </div>
  )
}
