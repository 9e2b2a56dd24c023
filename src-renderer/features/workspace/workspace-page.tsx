// The Workspace screen: its name and limits, and the tokens with which others call the service.

import { useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useRef, useState } from 'react'
import type { Limits, Workspace } from '#sdk/index.ts'
import { tokensQuery, workspaceQuery } from '../../api/account-queries.ts'
import { failureOf } from '../../api/failures.ts'
import { useRole } from '../../api/role.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { whoAmIQuery } from '../../api/who-am-i.ts'
import { bytes, count, plural } from '../../parts/format.ts'
import { notifyFailure } from '../../parts/notify-failure.ts'
import { QueryContent } from '../../parts/query-content.tsx'
import { Row, Section } from '../../parts/section.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useHold } from '../../parts/use-hold.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { ScrollX } from '../../ui/scroll-x.tsx'
import { notify } from '../../ui/toasts.tsx'
import { Tokens } from './tokens.tsx'

export const WorkspacePage = () => {
  const scope = useScope()
  const query = useQueryKeepingError(workspaceQuery(scope))
  const role = useRole()
  const tokens = useQueryKeepingError({ ...tokensQuery(scope), enabled: role === 'admin' })
  // What is below the tokens is shown after them, so that it does not move.
  const isHeld = useHold(role === undefined || (role === 'admin' && tokens.data === undefined && tokens.error === null))
  return (
    <>
      <PageHeader title="Workspace" />
      <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto">
        <QueryContent what="the workspace" query={query}>
          {(workspace) => (
            <>
              <Section title="General">
                <div className="@container flex flex-col gap-3">
                  <Rename key={workspace.name} workspace={workspace} />
                  <Row align label="Id">
                    <span className="font-mono text-xs">{workspace.id}</span>
                    <CopyButton label="Copy the id of the workspace" text={workspace.id} />
                  </Row>
                  <Row align label="Created">
                    <Ago at={workspace.createdAt} />
                  </Row>
                </div>
              </Section>
              <Tokens />
              {!isHeld && (
                <Section title="Limits">
                  <LimitsTable limits={workspace.limits} />
                </Section>
              )}
            </>
          )}
        </QueryContent>
      </div>
    </>
  )
}

const LONGEST_NAME = 80

const Rename = ({ workspace }: { readonly workspace: Workspace }) => {
  const scope = useScope()
  const queries = useQueryClient()
  const cannot = useCannot('admin')
  const field = useRef<HTMLInputElement>(null)
  const [name, setName] = useState(workspace.name)
  const [isTried, setTried] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const wanted = name.trim()
  const reason = cannot ?? (wanted === workspace.name ? 'The name has not changed' : undefined)
  const rename = async () => {
    setBusy(true)
    try {
      const renamed = await scope.anyProject.updateWorkspace({ name: wanted })
      queries.setQueryData(workspaceQuery(scope).queryKey, renamed)
      await queries.invalidateQueries({ queryKey: whoAmIQuery(scope.connection).queryKey })
      notify(`Workspace renamed to ${renamed.name}`, { place: scope.connection })
    } catch (error) {
      notifyFailure(
        failureOf(error),
        'The workspace was not renamed',
        'It may have been renamed all the same. You can try again.',
        scope.connection,
      )
    } finally {
      setBusy(false)
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (reason !== undefined || isBusy) return
    setTried(true)
    if (wanted === '') field.current?.focus()
    else void rename()
  }
  return (
    <Row align label="Name">
      <form onSubmit={submit} className="flex min-w-0 flex-wrap items-start gap-2">
        <Field
          label="Name of the workspace"
          isLabelHidden
          fault={isTried && wanted === '' ? 'Enter a name' : undefined}
        >
          <TextInput
            ref={field}
            value={name}
            maxLength={LONGEST_NAME}
            readOnly={cannot !== undefined}
            autoComplete="off"
            className="w-64"
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <Button type="submit" busy={isBusy} disabledReason={reason}>
          Rename
        </Button>
      </form>
    </Row>
  )
}

const LimitsTable = ({ limits }: { readonly limits: Limits }) => {
  const rows = [
    {
      name: 'Requests',
      limit: `${count(limits.requestsPerSecond)} per second, up to ${count(limits.requestBurst)} at once`,
      note: 'Per token and API process. Requests above the limit get status 429.',
    },
    {
      name: 'Webhook calls',
      limit: `${count(limits.hooksPerSecond)} per second, up to ${count(limits.hookBurst)} at once`,
      note: 'Per webhook and ingress process. Calls above the limit get status 429.',
    },
    {
      name: 'Stored data',
      limit: bytes(limits.storedBytes),
      note: 'Above the limit, starts and deploys are refused.',
    },
    {
      name: 'Concurrent turns',
      limit: count(limits.turnsAtOnce),
      note: 'Per worker process. Further ones wait.',
    },
    {
      name: 'Concurrent effects',
      limit: count(limits.effectsAtOnce),
      note: 'Per worker process. Further ones wait.',
    },
    {
      name: 'Retention',
      limit: plural(limits.retentionDays, 'day'),
      note: 'Executions are deleted this long after they end.',
    },
  ]
  return (
    <ScrollX label="Limits of the workspace">
      <table aria-label="Limits" className="w-full border-collapse">
        <thead>
          <tr className="text-xs text-faint">
            {['Limit', 'Value', 'Meaning'].map((header) => (
              <th key={header} scope="col" className="border-b border-line py-1 pr-4 text-left font-medium">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, limit, note }) => (
            <tr key={name} className="border-b border-line align-top">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal whitespace-nowrap">
                {name}
              </th>
              <td className="tabular py-1.5 pr-4">{limit}</td>
              <td className="py-1.5 text-soft">{note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollX>
  )
}
