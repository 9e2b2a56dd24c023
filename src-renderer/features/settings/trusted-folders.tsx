import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { useFocusAfterRemoval } from '../../parts/use-focus-after-removal.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../parts/section.tsx'
import { visible } from '../../ui/visible.tsx'
import { trustedFoldersQuery } from './use-desktop.ts'

export const TrustedFolders = () => {
  const queries = useQueryClient()
  const { data: folders = [] } = useQuery(trustedFoldersQuery)
  const list = useRef<HTMLUListElement>(null)
  const remove = (folder: string) => () => {
    askDesktop('The folder was not removed', async () => {
      await desktop?.projectFolders.removeTrust(folder)
      await queries.invalidateQueries()
    })
  }
  return (
    <Section title="Trusted folders">
      <p className="text-xs text-faint">
        Code in these folders may run on this computer. After a folder is removed, its effects wait until you open it
        and trust it again.
      </p>
      {folders.length === 0 && <p className="text-soft">No folders</p>}
      <ul ref={list} {...useFocusAfterRemoval(list)} className="flex flex-col gap-3">
        {folders.map((folder) => (
          <li key={folder} className="flex items-center gap-x-6">
            <span className="min-w-0 flex-1 font-mono text-xs break-all">{visible(folder)}</span>
            <Button aria-label={`Remove ${folder}`} onClick={remove(folder)}>
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  )
}
