// "Replace token": another token for a saved connection. The new one is tested before it replaces the old one.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConnectionView, Keep, Storing } from '#runtime/connections/models.ts'
import { testProblem, type TestProblem } from '../../../api/connection-problems.ts'
import { replaceToken, useConnections } from '../../../api/connections.ts'
import { failureOf } from '../../../api/failures.ts'
import { SubmitButton } from '../../../parts/submit-button.tsx'
import { useDialogForm } from '../../../parts/use-dialog-form.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { notify } from '../../../ui/toasts.tsx'
import { firstKeep, KeepChoice, keepHint, keptOtherwise } from './keep-choice.tsx'
import { clearToken, TokenField, useTokenField } from './token-field.tsx'
import { useConnectionTest } from './use-connection-test.ts'
import { visible } from '../../../ui/visible.tsx'

type TokenDialogProps = { readonly id: string; readonly onClose: () => void }

export const TokenDialog = ({ id, onClose }: TokenDialogProps) => {
  const { data: list } = useConnections()
  const connection = list?.kind === 'known' ? list.items.find((one) => one.id === id) : undefined
  if (list?.kind !== 'known' || connection === undefined) return null
  return <TokenForm connection={connection} storing={list.storing} onClose={onClose} />
}

const TokenForm = ({
  connection,
  storing,
  onClose,
}: {
  readonly connection: ConnectionView
  readonly storing: Storing
  readonly onClose: () => void
}) => {
  const { id, name, address } = connection
  const queries = useQueryClient()
  const field = useTokenField()
  const [keep, setKeep] = useState<Keep>(firstKeep(storing))
  const [busy, setBusy] = useState(false)
  const [isMissing, setMissing] = useState(false)
  const [problem, setProblem] = useState<TestProblem>()
  const { test, cancel } = useConnectionTest()

  const replace = async (anyway = false): Promise<void> => {
    // Read once, so that the one that was tested is saved.
    const token = field.current?.value.trim() ?? ''
    setMissing(token === '')
    if (token === '' || busy) return
    setBusy(true)
    setProblem(undefined)
    try {
      if (!anyway && (await test({ id, token })) === undefined) return setBusy(false)
      const { token: place } = await replaceToken(queries, id, token, keep)
      notify(`The token of ${name} is replaced`, { detail: keptOtherwise(keep, place) })
      onClose()
    } catch (error) {
      const failure = failureOf(error)
      if (failure.code === 'unauthorized') clearToken(field.current)
      setProblem(testProblem(failure, address, 'The token was not replaced'))
    }
    setBusy(false)
  }
  const form = useDialogForm(() => void replace())
  return (
    <Dialog
      onClose={onClose}
      title="Replace token"
      description={
        <>
          For {visible(name)} at <span className="font-mono text-xs break-all">{address}</span>. The old token is
          deleted here; an admin of the workspace can revoke it.
        </>
      }
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} busy={busy}>
            Replace token
          </SubmitButton>
        </>
      }
    >
      <form {...form} className="flex flex-col gap-4">
        {problem !== undefined && (
          <Fault className="m-0" title={problem.title} message={problem.message}>
            {problem.mayBeSaved && (
              <Button className="mt-2" onClick={() => void replace(true)}>
                Replace it anyway
              </Button>
            )}
          </Fault>
        )}
        <TokenField
          field={field}
          onChange={() => {
            setMissing(false)
            cancel()
          }}
          hint={keepHint(storing)}
          fault={isMissing ? 'Enter a token' : undefined}
        />
        {storing === 'obfuscated' && <KeepChoice keep={keep} onChoose={setKeep} />}
      </form>
    </Dialog>
  )
}
