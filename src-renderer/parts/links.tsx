import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { classNames } from '../ui/class-names.ts'

/** On a touch screen, as high as a finger needs: padding of text in a line takes no room. */
const LOOK = 'rounded-sm hover:underline pointer-coarse:py-2'

/** `short` shows only the end of the id, which is where ids differ, for tables about something else. */
export const ExecutionLink = ({
  id,
  short = false,
  className,
}: {
  readonly id: string
  readonly short?: boolean
  readonly className?: string
}) => (
  <Link
    {...paths.execution(id)}
    title={short ? id : undefined}
    className={classNames(LOOK, 'font-mono text-xs', className)}
  >
    {short ? (
      <>
        <span className="sr-only">{id}</span>
        <span aria-hidden="true">…{id.slice(-8)}</span>
      </>
    ) : (
      id
    )}
  </Link>
)

/** A table shows three lines of a long name. */
export const ProgramLink = ({ id, className }: { readonly id: string; readonly className?: string }) => (
  <Link {...paths.program(id)} title={id} className={classNames(LOOK, className)}>
    <span className="in-[td]:line-clamp-3">{id}</span>
  </Link>
)
