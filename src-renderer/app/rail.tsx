import { Link, useMatchRoute, useParams, useRouterState } from '@tanstack/react-router'
import { Cloud, HardDrive, Menu as MenuIcon, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useConnection } from '../api/connection.ts'
import { desktop } from '../desktop.ts'
import { useRememberedFilter } from '../features/executions/list/remembered-filter.ts'
import { ProjectSwitcher } from '../features/projects/project-switcher.tsx'
import { HOME } from '../home.ts'
import { focusScreen } from '../ui/focus-screen.ts'
import { useShowLocal } from '../parts/use-show-connection.ts'
import { plural } from '../parts/format.ts'
import { SHORTCUTS } from '../parts/shortcuts.ts'
import { useShownSource } from '../parts/use-source.ts'
import { paths, PLACE } from '../paths.ts'
import { openDialog } from '../stores/dialogs.ts'
import { IconButton, Key } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { ConnectionBadge } from './connection-badge.tsx'
import { RuntimeSwitch } from './runtime-switch.tsx'
import { railScreens } from './screens.ts'
import { ServiceFoot } from './service-foot.tsx'

const UpdateNotice = lazy(async () => ({ default: (await import('./update-notice.tsx')).UpdateNotice }))

const RAIL_BUTTON =
  'flex h-7.5 low:h-6 w-full items-center gap-2.5 rounded-md px-2 text-left text-soft hover:bg-hover hover:text-ink max-sm:w-auto max-sm:shrink-0'

/** Where the page is narrow, a button shows and hides the screens and the states below them. */
export const Rail = () => {
  const executions = useExecutionsLink()
  const { kind } = useConnection()
  const [isOpen, setOpen] = useState(false)
  const nav = useId()
  const screens = useLinkInView()
  const close = () => {
    if (!isOpen) return
    setOpen(false)
    // The link goes with the others, and would take the focus with it.
    focusScreen()
  }
  return (
    <header
      data-rail={kind}
      className="flex w-52 shrink-0 flex-col border-line bg-rail max-sm:w-full max-sm:border-b sm:border-r"
    >
      <div className="flex flex-col gap-2 px-3 pt-3 pb-2 low:gap-1 low:pt-2 low:pb-1 max-sm:flex-row max-sm:flex-wrap max-sm:items-center max-sm:gap-1 max-sm:py-2">
        <IconButton
          label="Navigation"
          aria-expanded={isOpen}
          aria-controls={nav}
          className="sm:hidden"
          onClick={() => setOpen(!isOpen)}
        >
          <MenuIcon size={16} />
        </IconButton>
        <ConnectionBadge />
        <ProjectSwitcher />
        <button type="button" onClick={() => openDialog({ kind: 'palette' })} className={RAIL_BUTTON}>
          <Search size={15} className="shrink-0" />
          <span className="flex-1 whitespace-nowrap max-sm:sr-only">Find anything</span>
          <span className="max-sm:hidden">
            <Key>{SHORTCUTS.palette.shown}</Key>
          </span>
        </button>
        <OtherPlace />
      </div>
      <nav
        ref={screens}
        id={nav}
        aria-label="Main"
        className={classNames(
          'flex-1 gap-0.5 px-3 py-1 low:gap-0 low:py-0 sm:flex sm:flex-col sm:overflow-auto sm:shades-more-screens',
          isOpen ? 'grid grid-cols-2' : 'max-sm:hidden',
        )}
      >
        {railScreens(kind).map(({ link, label, Icon }) => (
          <Link
            key={label}
            {...link}
            {...(link.to === executions.to && { search: executions.search })}
            activeOptions={{ includeSearch: false }}
            onClick={close}
            className="flex h-7.5 low:h-6 max-sm:h-9 shrink-0 items-center gap-2.5 rounded-md px-2 text-soft hover:bg-hover hover:text-ink data-[status=active]:bg-selected data-[status=active]:font-medium data-[status=active]:text-ink"
          >
            <Icon size={15} />
            {label}
            {label === 'Programs' && <SourceErrors />}
          </Link>
        ))}
      </nav>
      {desktop !== undefined && (
        <Suspense>
          <UpdateNotice />
        </Suspense>
      )}
      <div className={isOpen ? 'max-sm:flex' : 'max-sm:hidden'}>
        {kind === 'hosted' && <ServiceFoot />}
        {HOME === 'local' && <RuntimeSwitch />}
      </div>
    </header>
  )
}

/** Also seen by those who run an Execution again after a fix that does not compile. */
const SourceErrors = () => {
  const count = useShownSource()?.errors.length ?? 0
  if (count === 0) return null
  return <span className="ml-auto text-xs text-failed">{plural(count, 'error')}</span>
}

/** Scrolls to the link of the screen that is shown, where there is no room for all: in a low window, or above a notice. */
const useLinkInView = () => {
  const screens = useRef<HTMLElement>(null)
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    const { current } = screens
    if (current === null) return undefined
    const resized = new ResizeObserver(() =>
      current.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' }),
    )
    // Reports the size once at the start, too.
    resized.observe(current)
    return () => resized.disconnect()
  }, [path])
  return screens
}

/** The other place: hosted from local, local from hosted. */
const OtherPlace = () => {
  const showLocal = useShowLocal()
  const isLocal = useConnection().kind === 'local'
  if (HOME === 'hosted') return null
  const [label, Icon] = isLocal ? (['Connect to hosted', Cloud] as const) : (['Switch to local', HardDrive] as const)
  return (
    <button type="button" onClick={isLocal ? () => openDialog({ kind: 'connect' }) : showLocal} className={RAIL_BUTTON}>
      <Icon size={15} className="shrink-0" />
      <span className="flex-1 whitespace-nowrap max-sm:sr-only">{label}</span>
    </button>
  )
}

/** From another screen, the link opens the list with its last filter. On the list itself it clears the filter. */
const useExecutionsLink = () => {
  const remembered = useRememberedFilter(useParams({ from: PLACE }))
  const isShown = useMatchRoute()(paths.executions()) !== false
  return paths.executions(isShown ? {} : remembered)
}
