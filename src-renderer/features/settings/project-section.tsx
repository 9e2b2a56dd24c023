import { useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderOpen, Sparkles } from 'lucide-react'
import { sourceQuery } from '../../api/program-queries.ts'
import { useScope } from '../../api/scope.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { Command } from '../../parts/command.tsx'
import { useStartedBy } from '../../parts/use-started-by.ts'
import { useSource } from '../../parts/use-source.ts'
import { plural } from '../../parts/format.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Row, Section } from '../../parts/section.tsx'
import { visible } from '../../ui/visible.tsx'
import { foldersQuery } from './use-desktop.ts'

export const ProjectSection = () => {
  const source = useSource()
  const { isPending } = useQuery(sourceQuery(useScope()))
  const cli = useStartedBy(true)?.cli ?? 'wes'
  return (
    <Section title="Project folder">
      {isPending && desktop === undefined && <Row label="Watched folder" note={<span className="font-mono">…</span>} />}
      {source !== null && source !== undefined && (
        <Row
          label={source.watching ? 'Watched folder' : 'Folder'}
          note={
            <>
              <span className="font-mono break-all">{visible(source.folder)}</span>
              {source.missing === true && (
                <span className="block text-danger">
                  It does not exist. Its Programs are read again once it is back.
                </span>
              )}
            </>
          }
        >
          {source.missing !== true && <span className="text-soft">{plural(source.programs.length, 'Program')}</span>}
          <CopyButton label="Copy the folder's path" text={source.folder} />
        </Row>
      )}
      {desktop === undefined ? (
        <Row label="Another folder" note="Start the runtime with another project folder:">
          <Command text={`${cli} dev --project FOLDER`} />
        </Row>
      ) : (
        <Folders />
      )}
    </Section>
  )
}

const Folders = () => {
  const queries = useQueryClient()
  const { data: folders } = useQuery(foldersQuery)
  const open = (act: () => Promise<unknown> | undefined) => () => {
    askDesktop('The folder was not opened', async () => {
      try {
        await act()
      } finally {
        // A folder that does not exist any more is no recent one from now on.
        await queries.invalidateQueries()
      }
    })
  }
  const recent = (folders?.recent ?? []).filter((folder) => folder !== folders?.current)
  return (
    <>
      <Row label="Open a folder" note="The runtime restarts with it. Executions of other folders are kept.">
        <Button icon={<FolderOpen size={14} />} onClick={open(() => desktop?.projectFolders.choose())}>
          Choose a folder
        </Button>
        <Button icon={<Sparkles size={14} />} onClick={open(() => desktop?.projectFolders.openSample())}>
          Open the sample project
        </Button>
      </Row>
      {recent.map((folder) => (
        <Row key={folder} label="Recent" note={<span className="font-mono break-all">{visible(folder)}</span>}>
          <Button onClick={open(() => desktop?.projectFolders.open(folder))}>Open</Button>
        </Row>
      ))}
    </>
  )
}
