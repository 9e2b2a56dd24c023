// At the top of the rail: the connection that is shown, and the menu that switches to another.

import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Cloud, HardDrive, Settings2 } from 'lucide-react'
import { useState } from 'react'
import { OWN, useConnection } from '../api/connection.ts'
import { useSavedConnections } from '../api/connections.ts'
import { HOME } from '../home.ts'
import { connectionLook } from '../parts/connection-look.ts'
import { useShowConnection } from '../parts/use-show-connection.ts'
import { paths } from '../paths.ts'
import { openDialog } from '../stores/dialogs.ts'
import { Badge } from '../ui/badge.tsx'
import { classNames } from '../ui/class-names.ts'
import { Menu, type MenuAction } from '../ui/menu.tsx'
import { visible } from '../ui/visible.tsx'

export const ConnectionBadge = () => {
  const { kind, name, workspace, colour, isProduction } = useConnection()
  const look = connectionLook(colour)
  const Icon = kind === 'local' ? HardDrive : Cloud
  return (
    <div
      className={classNames(
        'relative flex min-w-0 flex-col justify-center rounded-md py-0.5 pl-1',
        look.wash,
        HOME === 'local' ? 'pr-7' : 'pr-2',
        kind === 'local' ? 'max-sm:shrink-0' : 'max-sm:flex-1 max-sm:basis-[calc(100%-4rem)]',
      )}
    >
      <div
        role="status"
        aria-label="Connection"
        className={classNames('flex items-center gap-2 font-semibold', look.text)}
      >
        <Icon size={15} className={classNames('shrink-0', kind === 'local' && 'text-soft')} />
        {kind === 'local' ? name : <HostedAt workspace={workspace} />}
      </div>
      {kind === 'hosted' && HOME === 'local' && (
        <p className="flex min-w-0 flex-wrap items-center gap-x-1.5 gap-y-0.5 pt-0.5 pl-6 text-xs text-soft">
          <span dir="auto" className="max-w-full truncate">
            {visible(name)}
          </span>
          {isProduction && <Badge tone="failed">Production</Badge>}
        </p>
      )}
      {HOME === 'local' && <ConnectionMenu />}
    </div>
  )
}

/** The name is in an element of its own, so that it is cut off at its end also where it is written from right to left. */
const HostedAt = ({ workspace }: { readonly workspace: string | undefined }) => (
  <span className="flex min-w-0 whitespace-pre">
    {workspace === undefined ? (
      'Hosted'
    ) : (
      <>
        {'Hosted · '}
        <span dir="auto" className="truncate">
          {visible(workspace)}
        </span>
      </>
    )}
  </span>
)

/** The list is read when the menu first opens: most pages only ever show the local runtime. */
const ConnectionMenu = () => {
  const navigate = useNavigate()
  const show = useShowConnection()
  const shown = useConnection().id
  const [wasOpened, setOpened] = useState(false)
  const saved = useSavedConnections(wasOpened)
  const mark = (id: string) => (id === shown ? <Check size={14} /> : <span className="w-3.5" />)
  const switches: readonly MenuAction[] = [
    { key: OWN.id, label: OWN.name, icon: mark(OWN.id), onSelect: () => void show(OWN.id) },
    ...saved.map(({ id, name, colour, isProduction }) => ({
      key: id,
      label: name,
      icon: (
        <>
          {mark(id)}
          <span
            aria-hidden="true"
            className={classNames('size-2.5 rounded-full forced-color-adjust-none', connectionLook(colour).dot)}
          />
        </>
      ),
      note: isProduction ? 'Production' : undefined,
      onSelect: () => void show(id),
    })),
  ]
  return (
    <Menu
      label="Connections"
      align="start"
      onOpen={() => setOpened(true)}
      trigger={
        // Over the whole badge: text inside a button would be no status.
        <button
          type="button"
          aria-label="Switch connection"
          className="absolute inset-0 flex items-center justify-end rounded-md pr-2 hover:bg-ink/5"
        >
          <ChevronsUpDown size={13} className="text-faint" />
        </button>
      }
      groups={[
        switches,
        [
          {
            label: 'Connect to hosted',
            icon: <Cloud size={14} />,
            onSelect: () => openDialog({ kind: 'connect' }),
          },
          {
            label: 'Manage connections',
            icon: <Settings2 size={14} />,
            onSelect: () => void navigate(paths.settings()),
          },
        ],
      ]}
    />
  )
}
