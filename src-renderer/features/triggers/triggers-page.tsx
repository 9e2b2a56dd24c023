// The Triggers screen: what starts Executions of this project by itself, when it last did, and when it will again.

import { Link } from '@tanstack/react-router'
import { CalendarClock, Ellipsis, Pencil, Plus, Send, Trash2, Webhook } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Trigger, TriggerList } from '#sdk/index.ts'
import { useScope } from '../../api/scope.ts'
import { triggersQuery } from '../../api/trigger-queries.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { ABOVE_ROW_LINK, type Column, ROW_LINK } from '../../parts/data-table.tsx'
import { plural } from '../../parts/format.ts'
import { HostedOnly } from '../../parts/hosted-only.tsx'
import { ExecutionLink, ProgramLink } from '../../parts/links.tsx'
import { LongTable } from '../../parts/long-table.tsx'
import { EmptyList } from '../../parts/empty-list.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Ago, ClockCountdown } from '../../parts/time.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { withEscapes } from '../../ui/hidden-characters.ts'
import { Hint } from '../../ui/hint.tsx'
import { Menu } from '../../ui/menu.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Switch } from '../../ui/switch.tsx'
import { titleOf } from './trigger-list.ts'
import { type Acted, useActions } from './use-actions.ts'
import { visible } from '../../ui/visible.tsx'

export const TriggersPage = () => (
  <OnHosted>
    <HostedTriggers />
  </OnHosted>
)

/** Says at a local connection's address why there are none. */
export const OnHosted = ({ children }: { readonly children: ReactNode }) => (
  <HostedOnly
    title="Triggers"
    instead={
      <>
        A webhook needs an address that others can reach, and a schedule a service that always runs. The local runtime
        is neither: start Executions here with “Start execution”, or with{' '}
        <span className="font-mono text-xs">wes start</span>.
      </>
    }
  >
    {children}
  </HostedOnly>
)

const HostedTriggers = () => {
  const query = useQueryKeepingError(triggersQuery(useScope()))
  const refusal = useCannot('write')
  const count = query.data?.items.length ?? 0
  return (
    <>
      <PageHeader
        title="Triggers"
        actions={
          count > 0 && (
            <Button
              kind="primary"
              icon={<Plus size={14} />}
              disabledReason={refusal}
              onClick={() => openDialog({ kind: 'trigger' })}
            >
              Add Trigger
            </Button>
          )
        }
      >
        {count > 0 && <p className="tabular text-soft">{plural(count, 'Trigger')}</p>}
      </PageHeader>
      <QueryContent what="the Triggers" query={query}>
        {(list) => (list.items.length === 0 ? <NoTriggers refusal={refusal} /> : <TriggerTable list={list} />)}
      </QueryContent>
    </>
  )
}

const NoTriggers = ({ refusal }: { readonly refusal: string | undefined }) => (
  <EmptyList
    icon={<Webhook size={28} />}
    title="No Triggers yet"
    actions={
      <>
        <Button
          kind="primary"
          icon={<Webhook size={14} />}
          disabledReason={refusal}
          onClick={() => openDialog({ kind: 'trigger', type: 'webhook' })}
        >
          Add webhook
        </Button>
        <Button
          icon={<CalendarClock size={14} />}
          disabledReason={refusal}
          onClick={() => openDialog({ kind: 'trigger', type: 'schedule' })}
        >
          Add schedule
        </Button>
      </>
    }
  >
    <p>A Trigger starts Executions of a Program automatically.</p>
    <p className="mt-2">
      A <strong className="font-medium text-ink">webhook</strong> has an address: each POST to it starts an Execution,
      with the body as its input. A <strong className="font-medium text-ink">schedule</strong> starts one whenever its
      time comes, such as each weekday at 09:00.
    </p>
  </EmptyList>
)

/** Of a schedule, whose cron expression is a second line. */
const ROW_PX = 50

const TriggerTable = ({ list }: { readonly list: TriggerList }) => {
  const actions = useActions(list)
  const refusal = useCannot('write')
  const columns: readonly Column<Trigger>[] = [
    {
      header: 'Name',
      cell: (trigger) => (
        <div className="min-w-0">
          <Link
            {...paths.trigger(trigger.id)}
            title={withEscapes(titleOf(trigger))}
            className={`${ROW_LINK} line-clamp-3`}
          >
            {visible(titleOf(trigger))}
          </Link>
          {/* Where its column is left out. */}
          <p className="line-clamp-2 text-xs text-faint @lg:hidden">{trigger.programId}</p>
          {trigger.type === 'schedule' ? (
            <p className="text-xs text-faint">
              <span className="font-mono">{trigger.cron}</span> {trigger.timezone}
            </p>
          ) : (
            <p className="text-xs text-faint @3xl:hidden">webhook</p>
          )}
          <LastError message={trigger.lastError} />
        </div>
      ),
    },
    { header: 'Type', width: 'w-27', from: 'wide', cell: (trigger) => <TypeBadge trigger={trigger} /> },
    {
      header: 'Program',
      width: 'w-32 @3xl:w-36 @5xl:w-44 @6xl:w-72',
      from: 'medium',
      cell: ({ programId }) => <ProgramLink id={programId} className={ABOVE_ROW_LINK} />,
    },
    {
      header: 'Enabled',
      width: 'w-20',
      cell: (trigger) => <EnabledSwitch actions={actions} refusal={refusal} trigger={trigger} />,
    },
    {
      header: 'Next',
      width: 'w-27',
      from: 'medium',
      cell: ({ nextFireAt }) => nextFireAt !== undefined && <ClockCountdown to={nextFireAt} />,
    },
    { header: 'Last fired', width: 'w-27', from: 'wide', cell: (trigger) => <LastFired trigger={trigger} /> },
    {
      header: 'Actions',
      silent: true,
      width: 'w-14',
      cell: (trigger) => <RowActions actions={actions} refusal={refusal} trigger={trigger} />,
    },
  ]
  return <LongTable label="Triggers" columns={columns} rows={list.items} rowKey={({ id }) => id} rowPx={ROW_PX} />
}

export const TypeBadge = ({ trigger }: { readonly trigger: Trigger }) => (
  <Badge icon={trigger.type === 'webhook' ? <Webhook size={12} /> : <CalendarClock size={12} />}>{trigger.type}</Badge>
)

export const EnabledSwitch = ({ actions, refusal, trigger }: Acted) => (
  <span className={`${ABOVE_ROW_LINK} inline-flex align-middle`}>
    <Switch
      label={`${titleOf(trigger)} is enabled`}
      checked={trigger.enabled}
      disabledReason={refusal ?? (actions.isChanging ? 'A change is being saved' : undefined)}
      onChange={(enabled) => void actions.setEnabled(trigger, enabled)}
    />
  </span>
)

const LastFired = ({ trigger: { lastFiredAt, lastExecutionId } }: { readonly trigger: Trigger }) => {
  if (lastFiredAt === undefined) return <span className="text-faint">never</span>
  return (
    <div className="flex flex-col">
      <Ago at={lastFiredAt} />
      {lastExecutionId !== undefined && <ExecutionLink id={lastExecutionId} short className={ABOVE_ROW_LINK} />}
    </div>
  )
}

const LastError = ({ message }: { readonly message: string | undefined }) =>
  message !== undefined && (
    <Hint text={message}>
      <button type="button" className={`${ABOVE_ROW_LINK} line-clamp-2 text-left text-xs text-danger`}>
        <span className="sr-only">Last error: </span>
        {visible(message)}
      </button>
    </Hint>
  )

const RowActions = ({ actions, refusal: disabledReason, trigger }: Acted) => {
  const title = titleOf(trigger)
  return (
    <div className={ABOVE_ROW_LINK}>
      <Menu
        label={`Actions of ${title}`}
        trigger={
          <IconButton label={`Actions of ${title}`}>
            <Ellipsis size={14} />
          </IconButton>
        }
        groups={[
          [
            {
              label: 'Send a test',
              icon: <Send size={14} />,
              disabledReason,
              onSelect: () => openDialog({ kind: 'fire-trigger', id: trigger.id }),
            },
            {
              label: 'Edit',
              icon: <Pencil size={14} />,
              disabledReason,
              onSelect: () => openDialog({ kind: 'trigger', id: trigger.id }),
            },
          ],
          [
            {
              label: 'Remove',
              icon: <Trash2 size={14} />,
              danger: true,
              disabledReason,
              onSelect: () => void actions.remove(trigger),
            },
          ],
        ]}
      />
    </div>
  )
}
