import { useQuery } from '@tanstack/react-query'
import { Code, FolderOpen, Sparkles } from 'lucide-react'
import type { SourceStatus } from '#sdk/index.ts'
import { askEvery } from '../api/ask-again.ts'
import { roleCannot } from '../api/capabilities.ts'
import { useProgramsInterval } from '../api/live.ts'
import { programsQuery } from '../api/queries.ts'
import { useRole } from '../api/role.ts'
import { useScope } from '../api/scope.ts'
import { desktop } from '../desktop.ts'
import { Button } from '../ui/button.tsx'
import { askDesktop } from './ask-desktop.ts'
import { Command } from './command.tsx'
import { EmptyList } from './empty-list.tsx'
import { plural } from './format.ts'
import { isWindows, powerShellDeploy } from './snippets/power-shell.ts'
import { deployCommand } from './snippets/shell.ts'
import { useSnippetTarget } from './use-snippet-target.ts'
import { useHold } from './use-hold.ts'
import { useIsLocalCliAsked, useLocalCli } from './use-started-by.ts'

const NOT_OPENED = 'The folder was not opened'

/** Empty state: no Program is deployed, or none yet. The first Program replaces it. */
export const NoPrograms = ({ source }: { readonly source: SourceStatus | null | undefined }) => {
  useQuery({ ...programsQuery(useScope()), refetchInterval: askEvery(useProgramsInterval()), notifyOnChangeProps: [] })
  const target = useSnippetTarget()
  const localCli = useLocalCli()
  const cli = target.needsToken ? target.cli : localCli
  // Its commands are of different lengths, and what stands around them would move.
  const isHeld = useHold(useIsLocalCliAsked())
  const cannot = roleCannot('write', useRole())
  const mayOpen = desktop !== undefined && !target.needsToken && target.projectId === undefined
  if (isHeld) return null
  if (source?.reading === true) return <Reading folder={source.folder} />
  if (cannot !== undefined) {
    return (
      <EmptyList icon={<Code size={28} />} title="No Programs yet">
        <p>Programs are listed here once somebody has deployed them. {cannot}.</p>
      </EmptyList>
    )
  }
  return (
    <EmptyList
      icon={<Code size={28} />}
      title="No Programs yet"
      actions={
        mayOpen ? (
          <>
            <Button
              kind="primary"
              icon={<FolderOpen size={14} />}
              onClick={() => askDesktop(NOT_OPENED, () => desktop?.projectFolders.choose())}
            >
              Choose a folder
            </Button>
            <Button
              icon={<Sparkles size={14} />}
              onClick={() => askDesktop(NOT_OPENED, () => desktop?.projectFolders.openSample())}
            >
              Open the sample project
            </Button>
          </>
        ) : undefined
      }
    >
      {source === null || source === undefined ? (
        <p>
          {mayOpen && cli === undefined && (
            <>
              Choose a folder with Programs in <span className="font-mono text-xs">programs/*.ts</span>, or open the
              sample project to try one out.{' '}
            </>
          )}
          {cli === undefined ? (
            `${mayOpen ? 'You can also drop' : 'Drop'} a compiled Program (*.program.json) on this window.`
          ) : (
            <>
              Drop a compiled Program (*.program.json) on this window, or deploy a folder of Programs in{' '}
              {isWindows ? 'PowerShell' : 'a terminal'}:{' '}
              <Command text={isWindows ? powerShellDeploy(target) : deployCommand(target)} />
            </>
          )}
        </p>
      ) : (
        <SaveOne source={source} />
      )}
      {cli !== undefined && (
        <p className="mt-3">
          A new project with a first Program: <Command text={`${cli} new my-project`} />
        </p>
      )}
    </EmptyList>
  )
}

const Reading = ({ folder }: { readonly folder: string }) => (
  <EmptyList icon={<Code size={28} />} title="Reading the project">
    <p>
      The runtime compiles the Programs of <Path>{folder}</Path>. They are listed here when it has compiled them.
    </p>
  </EmptyList>
)

const Path = ({ children }: { readonly children: string }) => (
  <span className="font-mono text-xs break-all">{children}</span>
)

const SaveOne = ({ source: { folder, watching, missing = false, errors } }: { readonly source: SourceStatus }) => {
  const path = <Path>{folder}</Path>
  if (missing) return <p>{path} does not exist. Its Programs are listed here once it is back.</p>
  if (errors.length > 0) {
    return (
      <p>
        {path} has {plural(errors.length, 'source error')}. The Programs screen shows{' '}
        {errors.length === 1 ? 'it' : 'them'}. Programs are listed here once they compile.
      </p>
    )
  }
  return (
    <p>
      {watching ? 'Save' : 'Put'} a Program in <span className="font-mono text-xs">programs/*.ts</span> of {path}. The
      runtime compiles it and lists it here.
    </p>
  )
}
