import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { Button } from '../../ui/button.tsx'
import { Diagnostics } from './diagnostics.tsx'
import { Licences } from './licences.tsx'
import { Row, Section } from '../../parts/section.tsx'
import { aboutQuery } from './use-desktop.ts'

export const AboutSection = ({ runtime }: { readonly runtime: RuntimeStatus | null | undefined }) => {
  const [open, setOpen] = useState<'diagnostics' | 'licences' | null>(null)
  const { data: about = null } = useQuery(aboutQuery)
  return (
    <Section title="About" id="about">
      <Row
        label={`Workflow Execution Service ${(desktop === undefined ? runtime?.version : about?.version) ?? ''}`}
        note={
          about === null
            ? 'Shown in a browser'
            : `Desktop · Electron ${about.electron} · Chromium ${about.chromium} · Node ${about.node} · effects run on ${about.effectsRunOn}`
        }
      >
        <Button onClick={() => setOpen('licences')}>Licences</Button>
        <Button onClick={() => setOpen('diagnostics')}>Diagnostics…</Button>
        {desktop !== undefined && (
          <Button onClick={() => askDesktop('The logs were not shown', () => desktop?.logs.reveal())}>Logs</Button>
        )}
      </Row>
      {open === 'licences' && <Licences onClose={() => setOpen(null)} />}
      {open === 'diagnostics' && <Diagnostics runtime={runtime ?? null} onClose={() => setOpen(null)} />}
    </Section>
  )
}
