// The screen of one version: its files, and a diff against another version.

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Fragment, type ReactNode, Suspense, useState } from 'react'
import type { ProgramVersion } from '#sdk/index.ts'
import { failureOf } from '../../api/failures.ts'
import { artifactQuery, volumeQuery } from '../../api/program-queries.ts'
import { versionsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { LINK } from '../../parts/nowhere.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Ago } from '../../parts/time.tsx'
import { loadedWhenShown } from '../../parts/loaded-when-shown.ts'
import { useHold } from '../../parts/use-hold.ts'
import { paths } from '../../paths.ts'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loading } from '../../ui/loading.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { FindSelect } from '../../parts/find-select.tsx'
import { isMissing, NoSuchProgram, NoSuchVersion } from './no-such-program.tsx'
import { Origin } from './origin.tsx'
import { ActiveOf } from './program-figures.tsx'
import { type FilePair, filesOf, pairsOf } from './version-files.ts'
import { visible } from '../../ui/visible.tsx'

const CodeView = loadedWhenShown(async () => (await import('./code-view.tsx')).CodeView)

export type VersionPageProps = {
  readonly id: string
  readonly number: number
  /** The number of the version to compare with. */
  readonly against: number | undefined
}

const NOTHING = 'nothing'

export const VersionPage = ({ id, number, against }: VersionPageProps) => {
  const scope = useScope()
  const navigate = useNavigate()
  const { data: versions = [], isPending } = useQuery(versionsQuery(scope, id))
  const volume = useQuery(volumeQuery(scope, id, number))
  // Where the screen is narrow, its header gets further lines from them.
  const isHeld = useHold(isPending || volume.isPending)
  const artifact = useQueryKeepingError(artifactQuery(scope, id, number))
  // Without a version to compare with, this is the same query as the one above.
  const other = useQueryKeepingError(artifactQuery(scope, id, against ?? number))
  const version = versions.find((one) => one.number === number)
  if (isMissing(artifact.error)) {
    return failureOf(artifact.error).code === 'program_not_found' ? (
      <NoSuchProgram id={id} />
    ) : (
      <NoSuchVersion id={id} number={number} />
    )
  }
  const compare = (value: string) =>
    void navigate({
      ...paths.programVersion(id, number, value === NOTHING ? {} : { against: Number(value) }),
      replace: true,
    })
  return (
    <>
      <PageHeader
        title={
          <>
            <Link
              {...paths.program(id)}
              activeOptions={{ exact: true }}
              className="rounded-sm text-soft underline decoration-line-strong underline-offset-2 hover:text-ink"
            >
              {id}
            </Link>
            <span className="text-faint"> / </span>version {number}
          </>
        }
        actions={
          isHeld ? undefined : (
            <FindSelect
              label="Comparison"
              one="version"
              value={against === undefined ? NOTHING : String(against)}
              options={[
                { value: NOTHING, label: 'Compare with…' },
                ...comparable(versions, number, against).map((one) => ({
                  value: String(one),
                  label: `Compared with version ${one}`,
                })),
              ]}
              onChange={compare}
            />
          )
        }
      >
        {version !== undefined && !isHeld && (
          <>
            <Origin version={version} />
            <span className="text-soft">
              Deployed <Ago at={version.createdAt} />
            </span>
            <span className="text-soft">
              Active: <ActiveOf programId={id} version={number} />
            </span>
            <span className="inline-flex items-center gap-1 font-mono text-xs text-soft">
              {version.digest.slice(0, 12)}
              <CopyButton label="Copy the digest" text={version.digest} />
            </span>
          </>
        )}
      </PageHeader>
      <QueryContent what={`version ${number}`} query={isHeld ? { ...artifact, data: undefined } : artifact}>
        {(shown) =>
          against !== undefined && isMissing(other.error) ? (
            <NothingToCompare id={id} number={number} against={against} />
          ) : (
            <QueryContent what={`version ${against}`} query={other}>
              {(older) => <Files pairs={pairsOf(against === undefined ? undefined : filesOf(older), filesOf(shown))} />}
            </QueryContent>
          )
        }
      </QueryContent>
    </>
  )
}

/** Also the version that is compared with, if the list does not hold it. */
const comparable = (versions: readonly ProgramVersion[], number: number, against: number | undefined) => {
  const numbers = versions.map((one) => one.number).filter((one) => one !== number)
  return against === undefined || numbers.includes(against) ? numbers : [against, ...numbers]
}

const NothingToCompare = ({
  id,
  number,
  against,
}: Pick<VersionPageProps, 'id' | 'number'> & { readonly against: number }) => (
  <EmptyState
    icon={<Compass size={28} />}
    title={`Version ${against} not found`}
    actions={
      <Link {...paths.programVersion(id, number)} className={LINK}>
        Show version {number} alone
      </Link>
    }
  >
    Program <span className="font-mono text-xs break-all">{id}</span> has no version {against} to compare with. It may
    have been removed.
  </EmptyState>
)

const CHANGES: Readonly<Record<FilePair['change'], { readonly text: string; readonly look: string }>> = {
  same: { text: '', look: '' },
  changed: { text: 'changed', look: 'text-waiting' },
  added: { text: 'added', look: 'text-completed' },
  removed: { text: 'removed', look: 'text-failed' },
}

const Files = ({ pairs }: { readonly pairs: readonly FilePair[] }) => {
  const [chosen, setChosen] = useState<string>()
  const shown =
    pairs.find(({ name }) => name === chosen) ??
    pairs.find(({ name, change }) => change !== 'same' && name !== 'manifest.json') ??
    pairs.find(({ change }) => change !== 'same') ??
    pairs.find(({ name }) => name !== 'manifest.json') ??
    pairs[0]
  return (
    <div className="flex min-h-0 flex-1 upright:flex-col">
      <nav
        aria-label="Files"
        className="w-64 max-w-1/3 shrink-0 overflow-auto border-r border-line p-2 upright:max-h-40 upright:w-full upright:max-w-none upright:border-r-0 upright:border-b"
      >
        <ul className="flex flex-col gap-0.5">
          {pairs.map(({ name, change }) => (
            <li key={name}>
              <button
                type="button"
                aria-current={name === shown?.name || undefined}
                onClick={() => setChosen(name)}
                className="flex w-full items-baseline gap-2 rounded-md px-2 py-1 text-left hover:bg-hover aria-current:bg-selected"
              >
                <span className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">{brokenAtFolders(name)}</span>
                <span className={classNames('text-xs', CHANGES[change].look)}>{CHANGES[change].text}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {shown !== undefined && (
        <Suspense fallback={<Loading what="the code" />}>
          <CodeView
            label={`Code of ${shown.name}`}
            name={shown.name}
            text={shown.after ?? ''}
            before={shown.change === 'same' ? undefined : (shown.before ?? '')}
          />
        </Suspense>
      )}
    </div>
  )
}

const brokenAtFolders = (path: string): ReactNode =>
  path.split(/(?<=\/)/).map((part, at) => (
    <Fragment key={at}>
      {visible(part)}
      <wbr />
    </Fragment>
  ))
