import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useId, useState } from 'react'
import { failureOf, wordsOf } from '../../api/failures.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useRoleCannot } from '../../api/role.ts'
import { useScope } from '../../api/scope.ts'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useShowProject } from '../../parts/use-show-project.ts'
import { useSubmitShortcut } from '../../parts/use-submit-shortcut.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'

const LONGEST_NAME = 80

/** Creates a project, and shows it unless the user has closed the dialog meanwhile. */
export const NewProjectDialog = ({ onClose }: { readonly onClose: () => boolean }) => {
  const scope = useScope()
  const queries = useQueryClient()
  const showProject = useShowProject()
  const form = useId()
  const formElement = useSubmitShortcut()
  const byRole = useRoleCannot('admin')
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => scope.anyProject.createProject({ name: name.trim() }),
    onSuccess: async (project) => {
      await queries.invalidateQueries({ queryKey: projectsQuery(scope).queryKey })
      notify(`Project ${project.name} created`)
      if (onClose()) showProject(project.id)
    },
  })
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (name.trim() !== '' && !create.isPending && byRole === undefined) create.mutate()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="New project"
      description="A project has Programs and Executions of its own."
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton
            form={form}
            busy={create.isPending}
            disabledReason={byRole ?? (name.trim() === '' ? 'Enter a name first' : undefined)}
          >
            Create project
          </SubmitButton>
        </>
      }
    >
      <form ref={formElement} id={form} onSubmit={submit}>
        <Field
          label="Name"
          fault={
            create.isError ? wordsOf(failureOf(create.error), 'There was no answer. Try again in a moment.') : undefined
          }
        >
          <TextInput
            value={name}
            maxLength={LONGEST_NAME}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Field>
      </form>
    </Dialog>
  )
}
