// Reads an open command from the columns in which a store keeps it.

import { DamagedExecution } from './damaged-execution.ts'
import type { OpenCommand } from './execution-state.ts'
import type { EffectOptions } from './turn.ts'

/** null: the command has none. */
export type StoredCommand = {
  readonly kind: OpenCommand['kind']
  readonly command: number
  readonly name: string | null
  readonly since: number
  readonly dueAt: number | null
  readonly attempt: number | null
  readonly position: number | null
  readonly isEarly: boolean
  readonly deaths: number | null
  /** JSON. */
  readonly options: string | null
}

/** Throws DamagedExecution. */
export const readStoredCommand = (stored: StoredCommand): OpenCommand => {
  const { kind, command, name, since, dueAt, attempt, position, deaths } = stored
  const shared = { command, since, ...(stored.isEarly && { early: true as const }) }
  const due = dueAt === null ? {} : { dueAt }
  switch (kind) {
    case 'event':
      if (name === null) throw damaged(stored, 'name')
      return { ...shared, ...due, kind, name, ...(position === null ? {} : { position }) }
    case 'timer':
      if (dueAt === null) throw damaged(stored, 'time')
      return { ...shared, kind, dueAt }
    case 'effect': {
      if (name === null || attempt === null) throw damaged(stored, 'name')
      const options = readOptions(stored)
      return { ...shared, ...due, kind, name, attempt, options, ...(deaths === null ? {} : { deaths }) }
    }
  }
}

const readOptions = (stored: StoredCommand): EffectOptions => {
  try {
    return JSON.parse(stored.options ?? '') as EffectOptions
  } catch {
    throw damaged(stored, 'options')
  }
}

const damaged = ({ command }: StoredCommand, part: string): DamagedExecution =>
  new DamagedExecution(`the ${part} of open command ${command} is missing or cannot be read`)
