import {
  ChartNoAxesCombined,
  Clock3,
  Code,
  FolderTree,
  ListTree,
  Settings,
  TriangleAlert,
  type LucideIcon,
} from 'lucide-react'
import type { ShortcutName } from '../parts/shortcuts.ts'
import { paths } from '../paths.ts'

type Screen = {
  readonly to: string
  readonly label: string
  readonly Icon: LucideIcon
  readonly shortcut?: ShortcutName
}

/** In the order of the rail. */
export const RAIL_SCREENS: readonly Screen[] = [
  { to: paths.executions(), label: 'Executions', Icon: ListTree, shortcut: 'goExecutions' },
  { to: paths.programs(), label: 'Programs', Icon: Code, shortcut: 'goPrograms' },
  { to: paths.waiting(), label: 'Waiting', Icon: Clock3, shortcut: 'goWaiting' },
  { to: paths.errors(), label: 'Errors', Icon: TriangleAlert, shortcut: 'goErrors' },
  { to: paths.metrics(), label: 'Metrics', Icon: ChartNoAxesCombined, shortcut: 'goMetrics' },
  { to: paths.settings(), label: 'Settings', Icon: Settings, shortcut: 'goSettings' },
]

export const SCREENS: readonly Screen[] = [
  ...RAIL_SCREENS,
  { to: paths.projects(), label: 'Projects', Icon: FolderTree },
]
