// The screen of one Trigger: how to call it or when it fires, and what it started last.

import { Link } from '@tanstack/react-router'
import { Pencil, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { ExecutionSummary, Trigger, TriggerList } from '#sdk/index.ts'
import { useScope } from '../../api/scope.ts'
import { firingsQuery, triggersQuery } from '../../api/trigger-queries.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { type Column, DataTable, ROW_LINK } from '../../parts/data-table.tsx'
import { Fact } from '../../parts/fact.tsx'
import { ExecutionLink, ProgramLink } from '../../parts/links.tsx'
import { LINK, Nowhere } from '../../parts/nowhere.tsx'
import { InsteadOfData, QueryContent } from '../../parts/query-content.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Ago, ClockCountdown, Elapsed } from '../../parts/time.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useLeave } from '../../parts/use-leave.ts'
import { useStayWhile } from '../../parts/use-stay-while.ts'
import { paths } from '../../paths.ts'
import { openDialog } from '../../stores/dialogs.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { isolated, stringsIn } from '../../ui/isolated.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { visible } from '../../ui/visible.tsx'
import { DEFAULT_TIMEZONE } from './cadence.ts'
import { NextTimes } from './next-times.tsx'
import { SigningSecret } from './signing-secret.tsx'
import { titleOf } from './trigger-list.ts'
import { EnabledSwitch, OnHosted, TypeBadge } from './triggers-page.tsx'
import { type Acted, useActions } from './use-actions.ts'
import { WebhookCall } from './webhook-call.tsx'

export const TriggerPage = ({ id }: { readonly id: string }) => (
  <OnHosted>
    <HostedTrigger id={id} />
  </OnHosted>
)

const HostedTrigger = ({ id }: { readonly id: string }) => {
  const query = useQueryKeepingError(triggersQuery(useScope()))
  const trigger = query.data?.items.find((one) => one.id === id)
  if (query.data !== undefined && trigger !== undefined) return <Shown list={query.data} trigger={trigger} />
  if (query.data !== undefined) return <NoSuchTrigger id={id} />
  return (
    <>
      <PageHeader title={id} />
      <InsteadOfData what="the Trigger" query={query} />
    </>
  )
}

const NoSuchTrigger = ({ id }: { readonly id: string }) => (
  <Nowhere
    title="Trigger not found"
    way={
      <Link {...paths.triggers()} activeOptions={{ exact: true }} className={LINK}>
        Go to Triggers
      </Link>
    }
  >
    This project has no Trigger <span className="font-mono text-xs break-all">{visible(id)}</span>. It may have been
    removed.
  </Nowhere>
)

type Part = { readonly trigger: Trigger }

const Shown = ({ list, trigger }: Part & { readonly list: TriggerList }) => {
  const acted = { trigger, actions: useActions(list), refusal: useCannot('write') }
  return (
    <>
      <PageHeader title={titleOf(trigger)} actions={<Buttons {...acted} />}>
        <TypeBadge trigger={trigger} />
        <span className="flex items-center gap-2">
          <EnabledSwitch {...acted} />
          <span aria-hidden="true" className="text-soft">
            {trigger.enabled ? 'Enabled' : 'Disabled'}
          </span>
        </span>
      </PageHeader>
      <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto">
        <Facts trigger={trigger} />
        {trigger.lastError !== undefined && (
          <section aria-label="Last error" className="border-b border-line bg-failed-wash px-5 py-2">
            <h2 className="font-medium text-failed">The last automatic firing failed</h2>
            <p className="break-words">{visible(trigger.lastError)}</p>
          </section>
        )}
        <div className="flex flex-col gap-5 px-5 py-4">
          {trigger.type === 'webhook' ? <AsWebhook {...acted} /> : <AsSchedule trigger={trigger} />}
        </div>
        <Firings trigger={trigger} />
      </div>
    </>
  )
}

const Buttons = ({ trigger, actions, refusal: disabledReason }: Acted) => {
  const leave = useLeave()
  const remove = async () => {
    if (await actions.remove(trigger)) leave(`/triggers/${trigger.id}`, paths.triggers())
  }
  return (
    <>
      <Button
        kind="primary"
        icon={<Send size={14} />}
        disabledReason={disabledReason}
        onClick={() => openDialog({ kind: 'fire-trigger', id: trigger.id })}
      >
        Send a test
      </Button>
      <Button
        icon={<Pencil size={14} />}
        disabledReason={disabledReason}
        onClick={() => openDialog({ kind: 'trigger', id: trigger.id })}
      >
        Edit
      </Button>
      <Button
        kind="danger"
        icon={<Trash2 size={14} />}
        disabledReason={disabledReason}
        busy={actions.isChanging}
        onClick={() => void remove()}
      >
        Remove
      </Button>
    </>
  )
}

const Facts = ({ trigger }: { readonly trigger: Trigger }) => (
  <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 border-b border-line bg-sunken px-5 py-1.5">
    <Fact term="Id">
      <span className="font-mono text-xs">{trigger.id}</span>
      <CopyButton label="Copy the id" text={trigger.id} />
    </Fact>
    <Fact term="Program">
      <ProgramLink id={trigger.programId} />
    </Fact>
    {trigger.nextFireAt !== undefined && (
      <Fact term="Next">
        <ClockCountdown to={trigger.nextFireAt} />
      </Fact>
    )}
    <Fact term="Last fired">{trigger.lastFiredAt === undefined ? 'never' : <Ago at={trigger.lastFiredAt} />}</Fact>
    <Fact term="Changed">
      <Ago at={trigger.updatedAt} />
    </Fact>
  </dl>
)

const AsWebhook = ({ trigger, actions, refusal: disabledReason }: Acted) => {
  const [secret, setSecret] = useState<string>()
  const [isGenerating, setGenerating] = useState(false)
  useStayWhile(isGenerating && actions.isChanging, () => {})
  const generate = async () => {
    setGenerating(true)
    setSecret(await actions.generateSecret(trigger))
    setGenerating(false)
  }
  const isSigned = trigger.signed === true
  return (
    <>
      <section aria-label="Address" className="flex flex-col gap-1">
        <h2 className="font-medium">Address</h2>
        {trigger.url !== undefined && (
          <div className="flex items-center gap-1">
            <span className="min-w-0 font-mono text-xs break-all">{trigger.url}</span>
            <CopyButton label="Copy the address" text={trigger.url} />
          </div>
        )}
        <p className="wrap-anywhere text-soft">
          Each POST to it starts an Execution of {trigger.programId}, with the JSON of its body as the input.
          {trigger.url === undefined && ' Tokens with the role write or admin see it.'}
        </p>
      </section>
      <section aria-label="Signature" className="flex flex-col gap-1">
        <h2 className="font-medium">Signature</h2>
        <p className="text-soft">
          {isSigned
            ? 'Calls must be signed with the secret, as Standard Webhooks describes. Others are refused.'
            : 'Not required: anyone who knows the address can start Executions.'}
        </p>
        <div className="mt-1 flex flex-wrap gap-2">
          <Button busy={actions.isChanging} disabledReason={disabledReason} onClick={() => void generate()}>
            {isSigned ? 'Generate a new secret' : 'Require a signature'}
          </Button>
          {isSigned && (
            <Button
              kind="danger"
              busy={actions.isChanging}
              disabledReason={disabledReason}
              onClick={() => void actions.removeSecret(trigger)}
            >
              Remove secret
            </Button>
          )}
        </div>
      </section>
      <WebhookCall trigger={trigger} />
      {secret !== undefined && (
        <Dialog
          onClose={() => setSecret(undefined)}
          title="Signing secret"
          closesByButtonOnly
          description={`Calls of ${titleOf(trigger)} must be signed with it from now on.`}
          footer={
            <Button kind="primary" onClick={() => setSecret(undefined)}>
              Done
            </Button>
          }
        >
          <SigningSecret secret={secret} />
        </Dialog>
      )}
    </>
  )
}

const AsSchedule = ({ trigger }: { readonly trigger: Trigger }) => {
  const { cron = '', timezone = DEFAULT_TIMEZONE } = trigger
  return (
    <>
      <section aria-label="Schedule" className="flex flex-col gap-1.5">
        <h2 className="font-medium">Schedule</h2>
        <p>
          <span className="font-mono text-xs">{cron}</span> <span className="text-soft">in {timezone}</span>
        </p>
        {trigger.enabled ? (
          <NextTimes cron={cron} timezone={timezone} />
        ) : (
          <p className="text-waiting">It does not fire while it is disabled.</p>
        )}
      </section>
      <section aria-label="Input" className="flex flex-col gap-1.5">
        <h2 className="font-medium">Input</h2>
        {'input' in trigger ? (
          <pre
            tabIndex={0}
            aria-label="Input"
            className="max-h-60 overflow-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
          >
            {isolated(stringsIn(stringifyExactJson(trigger.input, 2)))}
          </pre>
        ) : (
          <p className="text-soft">Its Executions have no input.</p>
        )}
      </section>
    </>
  )
}

const COLUMNS: readonly Column<ExecutionSummary>[] = [
  { header: 'Execution', cell: ({ id }) => <ExecutionLink id={id} className={`${ROW_LINK} wrap-anywhere`} /> },
  { header: 'Status', width: 'w-32', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Version', align: 'right', width: 'w-20', from: 'wide', cell: ({ versionNumber }) => versionNumber },
  { header: 'Started', width: 'w-28', from: 'medium', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    header: 'Duration',
    align: 'right',
    width: 'w-28',
    from: 'wide',
    cell: ({ startedAt, finishedAt }) => startedAt !== undefined && <Elapsed from={startedAt} to={finishedAt} />,
  },
]

const Firings = ({ trigger }: { readonly trigger: Trigger }) => {
  const query = useQueryKeepingError(firingsQuery(useScope(), trigger.programId, trigger.id))
  return (
    <section aria-label="Last firings" className="border-t border-line">
      <div className="flex items-center gap-3 px-5 py-2">
        <h2 className="font-medium">Last firings</h2>
        <Link {...paths.executions({ triggerId: trigger.id })} className="ml-auto text-accent hover:underline">
          All Executions
        </Link>
      </div>
      <QueryContent what="what it started" query={query}>
        {(executions) =>
          executions.length === 0 ? (
            <p className="px-5 pb-4 text-soft">It has not started an Execution yet.</p>
          ) : (
            <DataTable label="Last firings" columns={COLUMNS} rows={executions} rowKey={({ id }) => id} />
          )
        }
      </QueryContent>
    </section>
  )
}
