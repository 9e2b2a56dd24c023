import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type MenuAction = {
  readonly label: string
  /** Where labels may repeat. */
  readonly key?: string
  readonly icon?: ReactNode
  readonly onSelect: () => void
  readonly danger?: boolean
  readonly disabledReason?: string | undefined
}

/** `trigger` is a button; groups are parted by lines. */
export const Menu = ({
  trigger,
  label,
  groups,
  align = 'end',
}: {
  readonly trigger: ReactElement
  readonly label: string
  readonly groups: readonly (readonly MenuAction[])[]
  readonly align?: 'start' | 'end'
}) => (
  <Base.Root>
    <Base.Trigger render={trigger} />
    <Base.Portal>
      <Base.Positioner sideOffset={4} align={align} className="z-50">
        <Base.Popup
          aria-label={label}
          className="max-h-[70vh] min-w-44 overflow-auto rounded-md border border-line bg-raised py-1 shadow-float outline-none"
        >
          {groups.map((group, index) => (
            <Base.Group key={index} className={classNames(index > 0 && 'mt-1 border-t border-line pt-1')}>
              {group.map((action) => (
                <Base.Item
                  key={action.key ?? action.label}
                  disabled={action.disabledReason !== undefined}
                  onClick={action.onSelect}
                  title={action.disabledReason}
                  className={classNames(
                    'flex h-7 items-center gap-2 px-3 outline-none data-disabled:opacity-55 data-highlighted:bg-hover',
                    action.danger === true && 'text-danger',
                  )}
                >
                  {action.icon}
                  {action.label}
                </Base.Item>
              ))}
            </Base.Group>
          ))}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  </Base.Root>
)
