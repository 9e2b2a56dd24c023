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
  readonly link: ReturnType<
    (typeof paths)['executions' | 'programs' | 'waiting' | 'errors' | 'metrics' | 'settings' | 'projects']
  >
  readonly label: string
  readonly Icon: LucideIcon
  readonly shortcut?: ShortcutName
}

/** In the order of the rail. */
export const RAIL_SCREENS: readonly Screen[] = [
  { link: paths.executions(), label: 'Executions', Icon: ListTree, shortcut: 'goExecutions' },
  { link: paths.programs(), label: 'Programs', Icon: Code, shortcut: 'goPrograms' },
  { link: paths.waiting(), label: 'Waiting', Icon: Clock3, shortcut: 'goWaiting' },
  { link: paths.errors(), label: 'Errors', Icon: TriangleAlert, shortcut: 'goErrors' },
  { link: paths.metrics(), label: 'Metrics', Icon: ChartNoAxesCombined, shortcut: 'goMetrics' },
  { link: paths.settings(), label: 'Settings', Icon: Settings, shortcut: 'goSettings' },
]

export const SCREENS: readonly Screen[] = [
  ...RAIL_SCREENS,
  { link: paths.projects(), label: 'Projects', Icon: FolderTree },
]
