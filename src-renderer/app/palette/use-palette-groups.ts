// The current items of the palette, in groups.

import { useQuery } from '@tanstack/react-query'
import { type NavigateOptions, useNavigate, useParams } from '@tanstack/react-router'
import {
  Ban,
  Clock3,
  Cloud,
  Code,
  Copy,
  FolderOpen,
  FolderPlus,
  FolderTree,
  HardDrive,
  Keyboard,
  ListFilter,
  ListTree,
  Monitor,
  Moon,
  Play,
  Power,
  PowerOff,
  RefreshCw,
  RotateCw,
  Send,
  Settings2,
  Sun,
  TriangleAlert,
  Webhook,
} from 'lucide-react'
import type { ConnectionView } from '#runtime/connections/models.ts'
import type { Execution, ExecutionSummary } from '#sdk/index.ts'
import { executionCannot, programCannot, type Refusal } from '../../api/capabilities.ts'
import { OWN, type Connection } from '../../api/connection.ts'
import { useAreConnectionsKnown, useSavedConnections } from '../../api/connections.ts'
import {
  foundExecutionsQuery,
  recentExecutionsQuery,
  searchableText,
  useStatusesOfFound,
} from '../../api/find-queries.ts'
import { executionQuery, programsQuery, projectsQuery } from '../../api/queries.ts'
import { shownProjectId, useScope } from '../../api/scope.ts'
import { desktop, type RuntimeState, type Theme } from '../../desktop.ts'
import { HOME } from '../../home.ts'
import { chooseTheme } from '../../parts/choose-theme.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { copyText } from '../../parts/copy-text.ts'
import { useDesktopRuntime } from '../../parts/desktop-state.ts'
import { relativeTime } from '../../parts/format.ts'
import { type RuntimeVerb, runtimeVerbs } from '../../parts/runtime-verbs.ts'
import { SHORTCUTS } from '../../parts/shortcuts.ts'
import { useCannot } from '../../parts/use-cannot.ts'
import { useShowConnection } from '../../parts/use-show-connection.ts'
import { useShowProject } from '../../parts/use-show-project.ts'
import { STATUSES } from '../../features/executions/list/search-filter.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { screens } from '../screens.ts'
import type { PaletteGroup, PaletteItem } from './palette-items.ts'

/** `now`: milliseconds since the epoch. */
export const usePaletteGroups = (
  typed: string,
  now: number,
): {
  readonly groups: readonly PaletteGroup[]
  readonly isSearching: boolean
  /** Everything that was asked for is there, and was read since the palette opened or just before. */
  readonly isComplete: boolean
} => {
  const scope = useScope()
  const runtime = useDesktopRuntime()
  const cannot = { write: useCannot('write'), admin: useCannot('admin') }
  const navigate = useNavigate()
  const go = (to: NavigateOptions) => void navigate(to)
  const showProject = useShowProject()
  const showConnection = useShowConnection()
  const saved = useSavedConnections(HOME === 'local')
  const areConnectionsKnown = useAreConnectionsKnown(HOME === 'local')
  const shownId = useShownExecution()
  const onScreen = useQuery({ ...executionQuery(scope, shownId ?? ''), enabled: shownId !== undefined })
  const programs = useQuery(programsQuery(scope))
  const projects = useQuery(projectsQuery(scope))
  const recent = useQuery(recentExecutionsQuery(scope))
  useStatusesOfFound()
  const text = searchableText(typed)
  const found = useQuery({ ...foundExecutionsQuery(scope, text ?? ''), enabled: text !== undefined })
  const openExecution = (execution: ExecutionSummary): PaletteItem => executionItem(execution, now, go)

  const asked = [
    programs,
    projects,
    recent,
    ...(text === undefined ? [] : [found]),
    ...(shownId === undefined ? [] : [onScreen]),
  ]
  return {
    isSearching: found.isFetching,
    isComplete: areConnectionsKnown && asked.every(({ data, isFetching }) => data !== undefined && !isFetching),
    groups: [
      { label: 'This Execution', items: onScreen.data === undefined ? [] : actionsOn(onScreen.data, cannot.write) },
      { label: 'Executions', items: (text === undefined ? [] : (found.data ?? [])).map(openExecution), isFound: true },
      {
        label: 'Actions',
        items: [
          ...actions(cannot),
          ...(scope.connection.kind === 'hosted' ? hostedActions(cannot.write) : []),
          ...runtimeItems(runtime),
        ],
      },
      {
        label: 'Recent Executions',
        atFirst: 4,
        items: text === undefined ? (recent.data ?? []).map(openExecution) : [],
      },
      {
        label: 'Programs',
        atFirst: 4,
        items: (programs.data ?? []).flatMap((program) => [
          {
            id: `open ${program.id}`,
            label: program.id,
            detail: program.description ?? 'Program',
            Icon: Code,
            run: () => go(paths.program(program.id)),
          },
          {
            id: `start ${program.id}`,
            label: `Start ${program.id}`,
            Icon: Play,
            disabledReason: cannot.write ?? programCannot.beStarted(program),
            run: () => openDialog({ kind: 'start', programId: program.id }),
          },
        ]),
      },
      { label: 'Filters', atFirst: 0, items: filterItems(go) },
      { label: 'Screens', items: screenItems(scope.connection.kind, go) },
      {
        label: 'Projects',
        atFirst: 3,
        items: (projects.data ?? []).map((project) => projectItem(project, shownProjectId(scope), showProject)),
      },
      { label: 'Connections', atFirst: 3, items: connectionItems(saved, scope.connection.id, showConnection, go) },
      { label: 'Settings', atFirst: 0, items: [...settings, ...updateItems(go)] },
    ],
  }
}

/** The Execution on screen. */
const useShownExecution = (): string | undefined => useParams({ from: paths.execution('').to, shouldThrow: false })?.id

const actionsOn = (execution: Execution, always: Refusal): readonly PaletteItem[] => {
  const { id } = execution
  return [
    {
      id: 'send',
      label: 'Send event',
      words: 'signal message',
      Icon: Send,
      shortcut: SHORTCUTS.sendEvent.shown,
      disabledReason: always ?? executionCannot.beSentEvents(execution),
      run: () => openDialog({ kind: 'send-event', executionId: id }),
    },
    {
      id: 'again',
      label: 'Run again',
      words: 'rerun repeat copy',
      Icon: RotateCw,
      shortcut: SHORTCUTS.runAgain.shown,
      disabledReason: always,
      run: () => openDialog({ kind: 'start', copyOf: id }),
    },
    {
      id: 'cancel',
      label: 'Cancel execution',
      words: 'stop abort',
      Icon: Ban,
      shortcut: SHORTCUTS.cancel.shown,
      disabledReason: always ?? executionCannot.beCancelled(execution),
      run: () => openDialog({ kind: 'cancel', executionId: id }),
    },
    { id: 'copy', label: 'Copy id', detail: id, Icon: Copy, run: () => copyText(id, 'Copied', id) },
  ]
}

const actions = (cannot: { readonly write: Refusal; readonly admin: Refusal }): readonly PaletteItem[] => [
  {
    id: 'start',
    label: 'Start execution',
    words: 'run new',
    Icon: Play,
    shortcut: SHORTCUTS.start.shown,
    disabledReason: cannot.write,
    run: () => openDialog({ kind: 'start' }),
  },
  {
    id: 'project',
    label: 'New project',
    words: 'create',
    Icon: FolderPlus,
    disabledReason: cannot.admin,
    run: () => openDialog({ kind: 'new-project' }),
  },
  {
    id: 'shortcuts',
    label: 'Shortcuts',
    words: 'keyboard help keys',
    Icon: Keyboard,
    shortcut: SHORTCUTS.shortcuts.shown,
    run: () => openDialog({ kind: 'shortcuts' }),
  },
]

const hostedActions = (disabledReason: Refusal): readonly PaletteItem[] => [
  {
    id: 'trigger',
    label: 'Add Trigger',
    words: 'new webhook schedule cron',
    Icon: Webhook,
    disabledReason,
    run: () => openDialog({ kind: 'trigger' }),
  },
]

const RUNTIME: Readonly<Record<RuntimeVerb, Pick<PaletteItem, 'label' | 'Icon'>>> = {
  start: { label: 'Start runtime', Icon: Power },
  stop: { label: 'Stop runtime', Icon: PowerOff },
  restart: { label: 'Restart runtime', Icon: RotateCw },
}

/** Only in the desktop app: in a browser, the runtime serves this page. */
const runtimeItems = (state: RuntimeState | null): readonly PaletteItem[] =>
  state === null
    ? []
    : [
        ...runtimeVerbs(state).map((verb) => ({
          ...RUNTIME[verb],
          id: `${verb} runtime`,
          run: () => askDesktop('The action failed', () => desktop?.runtime[verb]()),
        })),
        {
          id: 'folder',
          label: 'Open a project folder',
          words: 'choose source',
          Icon: FolderOpen,
          run: () => askDesktop('The folder was not opened', () => desktop?.projectFolders.choose()),
        },
      ]

const screenItems = (kind: Connection['kind'], go: (to: NavigateOptions) => void): readonly PaletteItem[] =>
  screens(kind).map(({ link, label, Icon, shortcut }) => ({
    id: `screen ${label}`,
    label: `Go to ${label}`,
    Icon,
    shortcut: shortcut === undefined ? undefined : SHORTCUTS[shortcut].shown,
    run: () => go(link),
  }))

/** Lists of Executions, as the toggles above the list show them. */
const filterItems = (go: (to: NavigateOptions) => void): readonly PaletteItem[] => [
  {
    id: 'needs attention',
    label: 'Needs attention',
    detail: 'Executions',
    words: 'failed retrying waiting',
    Icon: TriangleAlert,
    run: () => go(paths.executions({ needsAttention: true })),
  },
  ...STATUSES.map((status) => ({
    id: `status ${status}`,
    label: `${status[0]!.toUpperCase()}${status.slice(1)} Executions`,
    words: 'status',
    Icon: ListFilter,
    run: () => go(paths.executions({ status: [status] })),
  })),
]

const executionItem = (execution: ExecutionSummary, now: number, go: (to: NavigateOptions) => void): PaletteItem => ({
  id: execution.id,
  label: execution.id,
  // What tells it from others comes last, because it may be long.
  detail: [
    execution.programId,
    execution.status,
    relativeTime(Date.parse(execution.createdAt), now),
    ...(execution.label === undefined ? [] : [execution.label]),
  ].join(' · '),
  words: `${execution.programId} ${execution.status}`,
  Icon: ListTree,
  run: () => go(paths.execution(execution.id)),
})

const projectItem = (
  project: { readonly id: string; readonly name: string; readonly isDefault: boolean },
  chosen: string,
  showProject: (project: string) => void,
): PaletteItem => ({
  id: `project ${project.id}`,
  label: `Switch to ${project.name}`,
  detail: project.id === chosen ? 'current' : 'project',
  Icon: FolderTree,
  run: () => showProject(project.id),
})

/** The page of the hosted service has one connection. */
const connectionItems = (
  saved: readonly ConnectionView[],
  shown: string,
  show: (id: string) => Promise<void>,
  go: (to: NavigateOptions) => void,
): readonly PaletteItem[] =>
  HOME === 'hosted'
    ? []
    : [
        {
          id: `connection ${OWN.id}`,
          label: 'Switch to local',
          detail: shown === OWN.id ? 'current' : 'connection',
          words: 'runtime computer',
          Icon: HardDrive,
          run: () => void show(OWN.id),
        },
        ...saved.map(({ id, name, isProduction }) => ({
          id: `connection ${id}`,
          label: `Switch to ${name}`,
          detail: `${id === shown ? 'current' : 'connection'}${isProduction ? ' · production' : ''}`,
          words: 'hosted',
          Icon: Cloud,
          run: () => void show(id),
        })),
        {
          id: 'connect',
          label: 'Connect to hosted',
          words: 'add connection token',
          Icon: Cloud,
          run: () => openDialog({ kind: 'connect' }),
        },
        {
          id: 'manage connections',
          label: 'Manage connections',
          words: 'edit remove token',
          Icon: Settings2,
          run: () => go(paths.settings()),
        },
      ]

/** A browser has none: its page is updated with the runtime. */
const updateItems = (go: (to: NavigateOptions) => void): readonly PaletteItem[] =>
  desktop === undefined
    ? []
    : [
        {
          id: 'check for updates',
          label: 'Check for updates',
          words: 'version release new',
          Icon: RefreshCw,
          run: () => {
            go({ ...paths.settings(), hash: 'updates' })
            askDesktop('The check did not begin', () => desktop?.updates.check())
          },
        },
      ]

const theme = (value: Theme, label: string, Icon: PaletteItem['Icon'], words: string): PaletteItem => ({
  id: `theme ${value}`,
  label: `Theme: ${label}`,
  words,
  Icon,
  run: () => chooseTheme(value),
})

const settings: readonly PaletteItem[] = [
  theme('light', 'light', Sun, 'day bright'),
  theme('dark', 'dark', Moon, 'night'),
  theme('system', 'system', Monitor, 'automatic'),
  {
    id: 'time local',
    label: 'Times: local',
    words: 'clock zone',
    Icon: Clock3,
    run: () => usePreferences.setState({ timeDisplay: 'local' }),
  },
  {
    id: 'time utc',
    label: 'Times: UTC',
    words: 'clock zone',
    Icon: Clock3,
    run: () => usePreferences.setState({ timeDisplay: 'utc' }),
  },
]
