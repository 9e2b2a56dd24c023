import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { programsQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { type Column, type ColumnId, columnsAt, type InCommon, PROGRAM_TRACK, REST_TRACK } from './columns.tsx'

const SELECT_TRACK = '2.25rem'
const ACTIONS_TRACK = '2.5rem'
/** One of them takes the rest of a narrow table. */
const WIDE: ReadonlySet<ColumnId> = new Set(['program', 'input', 'detail'])

export type Columns = {
  /** The same array as long as the width shows the same columns. */
  readonly shown: readonly Column[]
  /** The tracks of a CSS grid. */
  readonly tracks: string
}

export const useColumns = (
  widthPx: number,
  hidden: readonly ColumnId[],
  { isOfOneProgram, hasDetails }: InCommon,
): Columns => {
  const programTrack = useProgramTrack()
  return useMemo(() => {
    const shown = columnsAt(widthPx, hidden, { isOfOneProgram, hasDetails })
    const isAlone = shown.filter(({ id }) => WIDE.has(id)).length === 1
    const tracks = shown.map(({ id, track }) => {
      if (isAlone && WIDE.has(id)) return REST_TRACK
      return id === 'program' ? programTrack : track
    })
    return { shown, tracks: [SELECT_TRACK, ...tracks, ACTIONS_TRACK].join(' ') }
  }, [widthPx, hidden, isOfOneProgram, hasDetails, programTrack])
}

/**
 * Wide enough for the longest name in the project, up to a sixth of the table: inputs and errors need the rest. Not for the
 * visible rows: its width would change while scrolling.
 */
const useProgramTrack = (): string => {
  const { data: programs = [] } = useQuery(programsQuery(useScope()))
  const longest = Math.max(0, ...programs.map(({ id }) => id.length))
  return `minmax(${PROGRAM_TRACK}, min(${longest}ch + 1rem, max(7rem, 16%)))`
}
