import { Cloud } from 'lucide-react'
import { useRef, useState } from 'react'
import type { ConnectionView } from '#runtime/connections/models.ts'
import { useConnection } from '../../../api/connection.ts'
import { connectionProblem } from '../../../api/connection-problems.ts'
import { testConnection, useConnections } from '../../../api/connections.ts'
import { failureOf } from '../../../api/failures.ts'
import { hasSession } from '../../../api/session.ts'
import { desktop } from '../../../desktop.ts'
import { connectionLook } from '../../../parts/connection-look.ts'
import { useFocusAfterRemoval } from '../../../parts/use-focus-after-removal.ts'
import { useShowConnection } from '../../../parts/use-show-connection.ts'
import { openDialog } from '../../../stores/dialogs.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Section } from '../../../parts/section.tsx'
import { TOKEN_PLACES } from './edit-dialog.tsx'
import { NoSession } from './no-session.tsx'
import { visible } from '../../../ui/visible.tsx'

/** The saved connections to hosted services. */
export const ConnectionsSection = () => {
  // Known before it is asked for, so that the sections below need not move.
  const unasked = desktop === undefined && !hasSession() ? ({ kind: 'no-session' } as const) : undefined
  const { data: list = unasked, error, refetch } = useConnections()
  const saved = useRef<HTMLUListElement>(null)
  const focusAfterRemoval = useFocusAfterRemoval(saved)
  return (
    <Section title="Connections">
      {list !== undefined && list.kind !== 'known' && (
        <div className="text-soft">
          <NoSession kind={list.kind} />
        </div>
      )}
      {list === undefined && error !== null && (
        <p role="status" className="flex items-center gap-3">
          {failureOf(error).message}
          <Button onClick={() => void refetch()}>Try again</Button>
        </p>
      )}
      {list?.kind === 'known' && (
        <>
          <ul ref={saved} {...focusAfterRemoval} aria-label="Hosted connections" className="flex flex-col gap-4">
            {list.items.map((connection) => (
              <Saved key={connection.id} connection={connection} />
            ))}
          </ul>
          <div>
            {/* The name "Connect to hosted" belongs to the button in the rail. */}
            <Button icon={<Cloud size={14} />} onClick={() => openDialog({ kind: 'connect' })}>
              Add connection
            </Button>
          </div>
        </>
      )}
    </Section>
  )
}

const Saved = ({ connection }: { readonly connection: ConnectionView }) => {
  const { id, name, address, colour, isProduction, token } = connection
  const isShown = useConnection().id === id
  const show = useShowConnection()
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-1.5">
      <div className="min-w-60 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span
            aria-hidden="true"
            className={classNames('size-2.5 rounded-full forced-color-adjust-none', connectionLook(colour).dot)}
          />
          <span className="min-w-0 font-medium break-words">{visible(name)}</span>
          {isProduction && <Badge tone="failed">Production</Badge>}
          {isShown && <Badge tone="completed">current</Badge>}
        </p>
        <p className="font-mono text-xs break-all text-faint">{address}</p>
        <p className={classNames('text-xs', token === 'none' ? 'text-waiting' : 'text-faint')}>
          Token: {TOKEN_PLACES[token]}
        </p>
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        {!isShown && (
          <Button aria-label={`Switch to ${name}`} onClick={() => void show(id)}>
            Switch
          </Button>
        )}
        <Test connection={connection} />
        <Button aria-label={`Edit ${name}`} onClick={() => openDialog({ kind: 'edit-connection', id })}>
          Edit
        </Button>
      </div>
    </li>
  )
}

/** Tests it and says what was found beside the button. */
const Test = ({ connection: { id, name } }: { readonly connection: ConnectionView }) => {
  const [state, setState] = useState<{ readonly text: string; readonly isFault: boolean } | 'testing'>()
  const test = async (): Promise<void> => {
    setState('testing')
    try {
      const { whoAmI, project } = await testConnection({ id })
      const text = `Works: workspace ${whoAmI.workspace.name}, role ${whoAmI.token.role}, project ${project.name}`
      setState({ text, isFault: false })
    } catch (error) {
      const failure = failureOf(error)
      setState({ text: connectionProblem(failure, name)?.title ?? failure.message, isFault: true })
    }
  }
  const found = state === 'testing' ? undefined : state
  return (
    <>
      <p
        role="status"
        className={classNames('max-w-80 text-xs empty:-mr-2', found?.isFault === true ? 'text-danger' : 'text-soft')}
      >
        {visible(found?.text)}
      </p>
      <Button aria-label={`Test ${name}`} busy={state === 'testing'} onClick={() => void test()}>
        Test
      </Button>
    </>
  )
}
