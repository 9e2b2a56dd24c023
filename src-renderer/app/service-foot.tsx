// At the end of the rail: whether the hosted service answers, and whose token is used. On the service's own page also the
// way out of the session.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LogOut } from 'lucide-react'
import { useState } from 'react'
import type { Liveness } from '../api/live-changes.ts'
import { OWN, useConnection } from '../api/connection.ts'
import { isOwnError } from '../api/connection-problems.ts'
import { signOut } from '../api/hosted-session.ts'
import { useLiveness, useLiveProblem } from '../api/live.ts'
import { whoAmIQuery } from '../api/who-am-i.ts'
import { HOME } from '../home.ts'
import { Button } from '../ui/button.tsx'
import { notifyFault } from '../ui/toasts.tsx'
import { Foot } from './runtime-switch.tsx'

const ANSWERS: Readonly<Record<Liveness, { readonly text: string; readonly dot: string }>> = {
  connecting: { text: 'Connecting', dot: 'bg-queued-fill' },
  live: { text: 'Connected', dot: 'bg-completed-fill' },
  polling: { text: 'Connected', dot: 'bg-completed-fill' },
  lost: { text: 'Not connected', dot: 'bg-failed-fill' },
  refused: { text: HOME === 'hosted' ? 'Session ended' : 'Token refused', dot: 'bg-waiting-fill' },
}

/** It answers, but with errors only. */
const ERRORS = { text: 'Service error', dot: 'bg-failed-fill' }

export const ServiceFoot = () => {
  const connection = useConnection()
  const { data: who } = useQuery(whoAmIQuery(connection))
  const liveness = useLiveness()
  const problem = useLiveProblem()
  const isAnswered = liveness === 'lost' && problem !== undefined && isOwnError(problem)
  const { text, dot } = isAnswered ? ERRORS : ANSWERS[liveness]
  return (
    <Foot
      label="Service"
      text={text}
      dot={dot}
      note={who ? `Token ${who.token.name} (${who.token.role})` : undefined}
      actions={connection.id === OWN.id ? <SignOut /> : undefined}
    />
  )
}

const SignOut = () => {
  const queries = useQueryClient()
  const [isLeaving, setLeaving] = useState(false)
  const leave = async () => {
    setLeaving(true)
    await signOut(queries).catch((error: unknown) => notifyFault((error as Error).message))
    setLeaving(false)
  }
  return (
    <Button className="flex-1 justify-center" icon={<LogOut size={13} />} busy={isLeaving} onClick={() => void leave()}>
      Sign out
    </Button>
  )
}
