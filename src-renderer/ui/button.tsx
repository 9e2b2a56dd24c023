import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Hint } from './hint.tsx'

export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

const KINDS: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-on-accent border-transparent hover:bg-accent-strong',
  plain: 'bg-raised text-ink border-line-strong hover:bg-hover',
  quiet: 'bg-transparent text-soft border-transparent hover:bg-hover hover:text-ink',
  danger: 'bg-raised text-danger border-line-strong hover:bg-failed-wash',
}

export type ButtonProps = Omit<ComponentProps<'button'>, 'children'> & {
  readonly kind?: ButtonKind
  readonly icon?: ReactNode
  /** As high as a line of text, for rows and notes. */
  readonly small?: boolean
  /** The shortcut, shown on the button. */
  readonly shortcut?: string | undefined
  /** Why it is disabled. A disabled button stays focusable, and shows the reason. */
  readonly disabledReason?: string | undefined
  readonly busy?: boolean
  readonly children?: ReactNode
}

/** A disabled button shows its reason to the pointer, the keyboard and the screen reader. */
export const Button = ({
  kind = 'plain',
  small = false,
  icon,
  shortcut,
  disabledReason,
  busy = false,
  className,
  children,
  onClick,
  ...rest
}: ButtonProps) => {
  const blocked = disabledReason !== undefined || busy
  const button = (
    <button
      type="button"
      {...rest}
      aria-disabled={blocked || undefined}
      {...toldReason(disabledReason)}
      aria-busy={busy || undefined}
      onClick={blocked ? (event) => event.preventDefault() : onClick}
      className={classNames(
        'inline-flex shrink-0 items-center gap-1.5 rounded-md border font-medium whitespace-nowrap select-none',
        small ? 'h-6 px-2 text-xs pointer-coarse:h-8' : 'h-7 px-2.5 text-sm pointer-coarse:h-9',
        KINDS[kind],
        (blocked || rest.disabled === true) && 'opacity-55',
        className,
      )}
    >
      {icon}
      {children}
      {shortcut !== undefined && <Key>{shortcut}</Key>}
    </button>
  )
  // The same element whether disabled or not, so that it keeps the focus.
  return <Hint text={disabledReason}>{button}</Hint>
}

/** An attribute rather than text, even hidden text, which a search of the page would find. */
const toldReason = (reason: string | undefined) => (reason === undefined ? {} : { 'aria-description': reason })

export type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** The accessible name, also shown as a hint. */
  readonly label: string
  readonly children: ReactNode
  readonly kind?: 'quiet' | 'plain'
  readonly small?: boolean
  /** See ButtonProps. */
  readonly disabledReason?: string | undefined
}

export const IconButton = ({
  label,
  children,
  className,
  kind = 'quiet',
  small = false,
  disabledReason,
  onClick,
  ...rest
}: IconButtonProps) => {
  const blocked = disabledReason !== undefined
  return (
    <Hint text={disabledReason ?? label}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        {...(blocked && { 'aria-disabled': true, ...toldReason(disabledReason) })}
        onClick={blocked ? (event) => event.preventDefault() : onClick}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-md border',
          small ? 'size-6 pointer-coarse:size-8' : 'size-7 pointer-coarse:size-9',
          KINDS[kind],
          (blocked || rest.disabled === true) && 'opacity-55',
          className,
        )}
      >
        {children}
      </button>
    </Hint>
  )
}

/** Not for those who have a finger in place of a keyboard. Hidden from screen readers, which read `aria-keyshortcuts` or the list of shortcuts. */
export const Key = ({ children }: { readonly children: ReactNode }) => (
  <kbd
    aria-hidden="true"
    className="ml-0.5 rounded border pointer-coarse:hidden border-current/30 px-1 font-sans text-2xs leading-4 font-normal"
  >
    {children}
  </kbd>
)
