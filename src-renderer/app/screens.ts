import {
  Building2,
  ChartNoAxesCombined,
  Clock3,
  Code,
  FolderTree,
  Gauge,
  KeyRound,
  ListTree,
  ReceiptText,
  Settings,
  TriangleAlert,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import type { Connection } from '../api/connection.ts'
import type { ShortcutName } from '../parts/shortcuts.ts'
import { paths } from '../paths.ts'

type Screen = {
  readonly link: ReturnType<
    (typeof paths)[
      | 'executions'
      | 'programs'
      | 'waiting'
      | 'errors'
      | 'metrics'
      | 'triggers'
      | 'environment'
      | 'usage'
      | 'billing'
      | 'workspace'
      | 'settings'
      | 'projects']
  >
  readonly label: string
  readonly Icon: LucideIcon
  readonly shortcut?: ShortcutName
  /** The only kind of connection that has it; the others do not show it. */
  readonly only?: Connection['kind']
}

/** In the order of the rail. */
const RAIL_SCREENS: readonly Screen[] = [
  { link: paths.executions(), label: 'Executions', Icon: ListTree, shortcut: 'goExecutions' },
  { link: paths.programs(), label: 'Programs', Icon: Code, shortcut: 'goPrograms' },
  { link: paths.waiting(), label: 'Waiting', Icon: Clock3, shortcut: 'goWaiting' },
  { link: paths.errors(), label: 'Errors', Icon: TriangleAlert, shortcut: 'goErrors' },
  { link: paths.metrics(), label: 'Metrics', Icon: ChartNoAxesCombined, shortcut: 'goMetrics' },
  { link: paths.triggers(), label: 'Triggers', Icon: Webhook, shortcut: 'goTriggers', only: 'hosted' },
  { link: paths.environment(), label: 'Environment', Icon: KeyRound, only: 'hosted' },
  { link: paths.usage(), label: 'Usage', Icon: Gauge, only: 'hosted' },
  { link: paths.billing(), label: 'Billing', Icon: ReceiptText, only: 'hosted' },
  { link: paths.workspace(), label: 'Workspace', Icon: Building2, only: 'hosted' },
  { link: paths.settings(), label: 'Settings', Icon: Settings, shortcut: 'goSettings' },
]

const SCREENS: readonly Screen[] = [...RAIL_SCREENS, { link: paths.projects(), label: 'Projects', Icon: FolderTree }]

const of =
  (screens: readonly Screen[]) =>
  (kind: Connection['kind']): readonly Screen[] =>
    screens.filter(({ only }) => only === undefined || only === kind)

export const railScreens = of(RAIL_SCREENS)
export const screens = of(SCREENS)
