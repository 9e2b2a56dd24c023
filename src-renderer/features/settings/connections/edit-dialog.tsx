// "Edit connection": its name, colour and whether it is production. Its address never changes, because its token would
// then go to another service.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConnectionView } from '#runtime/connections/models.ts'
import { changeConnection, useSavedConnections } from '../../../api/connections.ts'
import { type Failure, failureOf } from '../../../api/failures.ts'
import { SubmitButton } from '../../../parts/submit-button.tsx'
import { useDialogForm } from '../../../parts/use-dialog-form.ts'
import { openDialog } from '../../../stores/dialogs.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { ColourField, type Look, NameField, ProductionField } from './look-fields.tsx'
import { useRemove } from './use-remove.ts'

type EditDialogProps = { readonly id: string; readonly onClose: () => void }

export const EditDialog = ({ id, onClose }: EditDialogProps) => {
  const connection = useSavedConnections().find((one) => one.id === id)
  return connection === undefined ? null : <EditForm connection={connection} onClose={onClose} />
}

const EditForm = ({ connection, onClose }: { readonly connection: ConnectionView; readonly onClose: () => void }) => {
  const { id, address, colour, isProduction } = connection
  const queries = useQueryClient()
  const remove = useRemove()
  const [look, setLook] = useState<Look>({ name: connection.name, colour, isProduction })
  const [busy, setBusy] = useState(false)
  const [isTried, setTried] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const name = look.name.trim()

  const save = async (): Promise<void> => {
    setTried(true)
    if (busy || name === '') return
    setBusy(true)
    try {
      await changeConnection(queries, id, { ...look, name })
      onClose()
    } catch (error) {
      setFailure(failureOf(error))
      setBusy(false)
    }
  }
  const form = useDialogForm(() => void save())
  const isNameTaken = failure?.code === 'connection_exists'
  return (
    <Dialog
      onClose={onClose}
      title="Edit connection"
      size="small"
      footer={
        <>
          <Button
            kind="danger"
            className="mr-auto"
            onClick={() => {
              onClose()
              remove(connection)
            }}
          >
            Remove…
          </Button>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} busy={busy}>
            Save
          </SubmitButton>
        </>
      }
    >
      <form {...form} className="flex flex-col gap-4">
        {failure !== undefined && !isNameTaken && (
          <Fault className="m-0" title="The connection was not changed" message={failure.message} />
        )}
        <NameField
          look={look}
          onChange={setLook}
          fault={isTried && name === '' ? 'Enter a name' : isNameTaken ? failure.message : undefined}
        />
        <div>
          <p className="font-medium">Address</p>
          <p className="flex items-center gap-1 font-mono text-xs break-all">
            {address}
            <CopyButton label="Copy the address" text={address} />
          </p>
          <p className="text-xs text-faint">
            The token belongs to this address. To use another address, add another connection.
          </p>
        </div>
        <div className="flex items-center gap-4">
          <p className="min-w-0 flex-1">
            <span className="font-medium">Token</span>{' '}
            <span className="block text-xs text-faint">It is {TOKEN_PLACES[connection.token]}.</span>
          </p>
          <Button onClick={() => openDialog({ kind: 'replace-token', id })}>Replace token</Button>
        </div>
        <ColourField look={look} onChange={setLook} />
        <ProductionField look={look} onChange={setLook} />
      </form>
    </Dialog>
  )
}

export const TOKEN_PLACES: Readonly<Record<ConnectionView['token'], string>> = {
  keychain: 'kept by the system’s keychain',
  obfuscated: 'stored, only obfuscated',
  run: 'kept in memory for this run',
  none: 'missing: it was kept for an earlier run, or the keychain no longer has it',
}
