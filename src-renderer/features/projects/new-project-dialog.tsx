import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { failureOf, untitledWordsOf } from '../../api/failures.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useShowProject } from '../../parts/use-show-project.ts'
import { useDialogForm } from '../../parts/use-dialog-form.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { notify } from '../../ui/toasts.tsx'

const LONGEST_NAME = 80

const NO_ANSWER = 'The project may have been created all the same: look for it in the list before you try again.'

/** Creates a project, and shows it unless the user has closed the dialog meanwhile. */
export const NewProjectDialog = ({ onClose }: { readonly onClose: () => boolean }) => {
  const scope = useScope()
  const queries = useQueryClient()
  const showProject = useShowProject()
  const cannot = useCannot('admin')
  const [name, setName] = useState('')
  const [isTried, setTried] = useState(false)
  const wanted = name.trim()
  const readProjects = () => queries.invalidateQueries({ queryKey: projectsQuery(scope).queryKey })
  const create = useMutation({
    mutationFn: () => scope.anyProject.createProject({ name: wanted }),
    // Without an answer, it may have been created.
    onError: readProjects,
    onSuccess: async (project) => {
      await readProjects()
      notify(`Project ${project.name} created`, { place: scope.connection })
      if (onClose()) showProject(project.id)
    },
  })
  const form = useDialogForm(() => {
    setTried(true)
    if (wanted !== '' && !create.isPending && cannot === undefined) create.mutate()
  })
  const failure = create.isError ? untitledWordsOf(failureOf(create.error), NO_ANSWER) : undefined
  return (
    <Dialog
      onClose={onClose}
      title="New project"
      description="A project has Programs and Executions of its own."
      size="small"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <SubmitButton form={form.id} busy={create.isPending} disabledReason={cannot}>
            Create project
          </SubmitButton>
        </>
      }
    >
      <form {...form}>
        <Field label="Name" fault={isTried && wanted === '' ? 'Enter a name' : failure}>
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
