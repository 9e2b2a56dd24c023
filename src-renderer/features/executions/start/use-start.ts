// The state of the start form, and the start itself.

import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'
import type { Execution } from '#sdk/index.ts'
import { failureOf } from '../../../api/failures.ts'
import { programsQuery, versionsQuery } from '../../../api/queries.ts'
import { type Scope, useScope } from '../../../api/scope.ts'
import { stringifyExactJson } from '../../../exact-json.ts'
import { ownMember } from '../../../own-member.ts'
import { paths } from '../../../paths.ts'
import { focusScreen } from '../../../ui/focus-screen.ts'
import { maySend, readDraft, valueOfDraft } from '../../../parts/json/draft.ts'
import { startingValue } from '../../../parts/json/form/form-data.ts'
import { useCannot } from '../../../parts/use-cannot.ts'
import { useOwnKey } from '../../../parts/use-own-key.ts'
import { noteChange } from '../../../stores/dialogs.ts'
import { lastStarted, recentKey, rememberInput } from '../../../stores/recent-inputs.ts'
import type { StartEntries } from '../../../stores/start-entries.ts'
import { notify } from '../../../ui/toasts.tsx'
import { chosenVersion, type VersionChoice } from './choose-version.ts'
import { startRefusal } from './start-refusal.ts'

export type StartOptions = {
  readonly programId?: string | undefined
  readonly version?: number | undefined
  /** The initial input; undefined for none. */
  readonly input?: unknown
  /** The Execution that "Run again" copies. */
  readonly copyOf?: Execution | undefined
  /** What was entered before for this Program. */
  readonly entries?: StartEntries | undefined
  /** Gets what is entered for this Program; undefined once it was started. */
  readonly onEntries?: (entries: StartEntries | undefined) => void
  /** Returns whether to show the started Execution: not if the user has closed the form. */
  readonly onStarted: () => boolean
}

export type StartModel = ReturnType<typeof useStart>

export const useStart = (options: StartOptions) => {
  const { programId: given, version: asked, input, copyOf, entries, onEntries, onStarted } = options
  const scope = useScope()
  const navigate = useNavigate()
  const programs = useQuery(programsQuery(scope))
  const [picked, setPicked] = useState(given)
  const programId = picked ?? presetProgram(scope, programs.data)
  const versions = useQuery({ ...versionsQuery(scope, programId ?? ''), enabled: programId !== undefined })
  const [choices, setChoices] = useState<Readonly<Record<string, VersionChoice>>>(
    given === undefined ? {} : { [given]: entries?.choice ?? asked ?? 'newest' },
  )
  const choice = ownMember(choices, programId ?? '') ?? 'newest'
  // Until they are read, the input has no schema, and so no form yet.
  const isLoading = programId !== undefined && (versions.data === undefined || versions.isPlaceholderData)
  /** The Program of a file or a link may be in another project, or nowhere. */
  const isUnknown = isLoading && versions.error !== null && failureOf(versions.error).kind === 'missing'
  const version = isLoading ? undefined : chosenVersion(versions.data ?? [], choice)
  const schema = version?.manifest.inputSchema
  // Keeps what the user typed for one Program while another is selected.
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() => {
    const first = input === undefined && copyOf === undefined ? entries?.text : stringifyExactJson(input, 2)
    return given === undefined || first === undefined ? {} : { [given]: first }
  })
  const text = ownMember(texts, programId ?? '') ?? stringifyExactJson(startingValue(schema), 2)
  const [idempotencyKey, setIdempotencyKey] = useState(entries?.idempotencyKey ?? '')
  const [attempts, setAttempts] = useState(0)
  /** Whether to start once the versions are read. */
  const [isAwaited, setAwaited] = useState(false)
  if (isAwaited && versions.error !== null) setAwaited(false)
  const ownKey = useOwnKey()
  const cannot = useCannot('write')

  const start = useMutation({
    mutationFn: (request: { readonly programId: string; readonly text: string }) => {
      const value = valueOfDraft(readDraft(request.text))
      const number = choice === 'newest' ? undefined : choice
      const key = idempotencyKey.trim() || ownKey.of([request.programId, number, request.text])
      // A start of another Program is not a repeat of the copied Execution.
      const againOf = copyOf?.programId === request.programId ? copyOf.id : undefined
      const sent = { version: number, idempotencyKey: key }
      return scope.client.start(request.programId, value, { ...sent, againOf }).catch((error: unknown) => {
        // The copied Execution was deleted since, so the new one has nothing to link to.
        if (againOf === undefined || failureOf(error).code !== 'execution_not_found') throw error
        return scope.client.start(request.programId, value, sent)
      })
    },
    onSuccess: ({ id }, request) => {
      rememberInput(recentKey(scope, request.programId), request.text)
      // What was typed since then is another start.
      const isEdited = request.programId !== programId || request.text !== text
      if (!isEdited) onEntries?.(undefined)
      // The dialog gives the focus back to where it was opened, which is not what the user looks at now.
      if (!isEdited && onStarted()) void navigate(paths.execution(id)).then(focusScreen)
      else notify('Execution started', { place: scope.connection })
    },
  })
  const refusal = startRefusal(start.error)
  const tellEntries = useEffectEvent(() => {
    if (given !== undefined) onEntries?.({ text: ownMember(texts, given), choice, idempotencyKey })
  })
  useEffect(() => tellEntries(), [texts, choice, idempotencyKey])

  /** `anyway`: see maySend. */
  const submit = (anyway = false) => {
    const mayStart = !start.isPending && programId !== undefined && cannot === undefined
    setAwaited(mayStart && isLoading)
    if (!mayStart || isLoading) return
    setAttempts((before) => before + 1)
    if (maySend(text, schema, anyway)) start.mutate({ programId, text })
  }
  const submitAwaited = useEffectEvent(() => submit())
  useEffect(() => {
    if (!isAwaited || isLoading) return undefined
    const soon = setTimeout(() => submitAwaited())
    return () => clearTimeout(soon)
  }, [isAwaited, isLoading])
  /** A refusal is shown until the next change. What is under way may still be refused. */
  const changed = () => {
    if (!start.isPending) start.reset()
    noteChange()
  }
  const change = (next: string) => {
    if (programId === undefined || next === text) return
    changed()
    setTexts((before) => ({ ...before, [programId]: next }))
  }

  return {
    scope,
    programs,
    programId,
    pickProgram: (id: string) => {
      changed()
      setAttempts(0)
      setAwaited(false)
      // The input of a file or a link is for whichever Program the user chooses instead.
      if (isUnknown) setTexts((before) => ({ [id]: text, ...before }))
      setPicked(id)
    },
    versions,
    isLoading,
    isUnknown,
    version,
    choice,
    pickVersion: (next: VersionChoice) => {
      changed()
      if (programId !== undefined) setChoices((before) => ({ ...before, [programId]: next }))
    },
    schema,
    text,
    change,
    idempotencyKey,
    setIdempotencyKey: (next: string) => {
      changed()
      setIdempotencyKey(next)
    },
    attempts,
    refusal,
    isStarting: start.isPending || isAwaited,
    submit,
    copyOf,
  } as const
}

/** The Program that was started last in this project, or the only one. */
const presetProgram = (
  scope: Scope,
  programs: readonly { readonly id: string; readonly runnable: boolean }[] | undefined,
): string | undefined => {
  if (programs === undefined) return undefined
  const last = lastStarted(scope)
  const runnable = programs.filter((program) => program.runnable)
  return runnable.find((program) => program.id === last)?.id ?? (runnable.length === 1 ? runnable[0]!.id : undefined)
}
