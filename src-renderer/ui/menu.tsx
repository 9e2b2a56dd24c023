import { Menu as Base } from '@base-ui/react/menu'
import { type ReactElement, type ReactNode, type RefObject, useRef } from 'react'
import { classNames } from './class-names.ts'
import { visible } from './visible.tsx'

export type MenuAction = {
  readonly label: string
  /** Needed where labels may repeat. */
  readonly key?: string
  readonly icon?: ReactNode
  /** Secondary text at the end of the line. */
  readonly note?: string | undefined
  readonly onSelect: () => void
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
}

type Groups = readonly (readonly MenuAction[])[]
type Align = 'start' | 'end'

/** `trigger` is a button; lines separate the groups. */
export const Menu = ({
  trigger,
  label,
  groups,
  align = 'end',
  onOpen,
}: {
  readonly trigger: ReactElement
  readonly label: string
  readonly groups: Groups
  readonly align?: Align
  readonly onOpen?: () => void
}) => (
  <Base.Root onOpenChange={(open) => open && onOpen?.()}>
    <Base.Trigger render={trigger} />
    <Popup label={label} groups={groups} align={align} />
  </Base.Root>
)

/** A menu opens at a button, or at the position of a click. */
export type MenuAnchor = Element | { readonly getBoundingClientRect: () => DOMRect }

/** One menu for many triggers: a Menu for each of thousands of rows would be too slow. */
export const SharedMenu = ({
  anchor,
  focusFirst,
  onClose,
  label,
  groups,
}: {
  /** null: closed. */
  readonly anchor: MenuAnchor | null
  /** Opened with the keyboard: the first item takes the focus. */
  readonly focusFirst: boolean
  readonly onClose: () => void
  readonly label: string
  readonly groups: Groups
}) => {
  const popup = useRef<HTMLDivElement>(null)
  return (
    <Base.Root
      open={anchor !== null}
      onOpenChange={(open) => !open && onClose()}
      onOpenChangeComplete={(open) => {
        if (open && focusFirst) popup.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus()
      }}
    >
      <Popup label={label} groups={groups} align="end" anchor={anchor} popup={popup} />
    </Base.Root>
  )
}

const Popup = ({
  label,
  groups,
  align,
  anchor,
  popup,
}: {
  readonly label: string
  readonly groups: Groups
  readonly align: Align
  readonly anchor?: MenuAnchor | null
  readonly popup?: RefObject<HTMLDivElement | null>
}) => (
  <Base.Portal>
    <Base.Positioner sideOffset={4} align={align} anchor={anchor} className="z-50">
      <Base.Popup
        ref={popup}
        aria-label={label}
        finalFocus={anchor instanceof HTMLElement ? () => anchor : undefined}
        className="flex max-h-[70vh] max-w-[min(24rem,var(--available-width))] min-w-44 flex-col overflow-auto rounded-md border border-line bg-raised py-1 shadow-float outline-none"
      >
        {groups.map((group, index) => (
          <Base.Group
            key={index}
            className={classNames(
              // A long group scrolls by itself, so that those beside it stay in sight.
              group.length > 6 ? 'min-h-14 overflow-auto' : 'shrink-0',
              index > 0 && 'mt-1 border-t border-line pt-1',
            )}
          >
            {group.map((action) => (
              <Base.Item
                key={action.key ?? action.label}
                disabled={action.disabledReason !== undefined}
                onClick={action.onSelect}
                title={action.disabledReason}
                className={classNames(
                  'flex min-h-7 pointer-coarse:min-h-9 items-center gap-2 px-3 py-0.5 wrap-anywhere outline-none *:shrink-0 data-disabled:opacity-55 data-highlighted:bg-hover',
                  action.danger === true && 'text-danger',
                )}
              >
                {action.icon}
                <span className="min-w-0 shrink!">{visible(action.label)}</span>
                {action.note !== undefined && <span className="ml-auto pl-4 text-xs text-soft">{action.note}</span>}
              </Base.Item>
            ))}
          </Base.Group>
        ))}
      </Base.Popup>
    </Base.Positioner>
  </Base.Portal>
)
