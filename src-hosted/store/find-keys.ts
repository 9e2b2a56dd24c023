// Finds Executions for any filter, newest first, through the index that leaves the least to look at. Each way is a SELECT of
// `key` and `status`. `most`: how many at most; `undefined`: all.

import type { Status } from '../../src-runtime/engine/journal.ts'
import type { ExecutionFilter } from '../../src-runtime/ports/overview.ts'
import { openKindCodes } from '../../src-runtime/shared/row-codes.ts'
import { gramsAskedOf, partsAskedOf, searchable } from './error-grams.ts'
import {
  and,
  codesOf,
  createParameters,
  hasText,
  inSpan,
  isStale,
  ofVersions,
  readFilter,
  rowConditions,
  withIdPrefix,
  withoutTextOfAll,
  withStatuses,
  type Parameters,
  type ReadFilter,
} from './filter-sql.ts'
import type { FindScope, FoundScope } from './find-scope.ts'
import { firstKey, type Span } from './key-times.ts'
import type { Scope } from './scope.ts'
import { toStored } from './stored-text.ts'

export type FoundKeys = {
  /** `select` makes a statement of the SELECT of `key` and `status`. */
  read<Row>(select: (found: string) => string): Promise<readonly Row[]>
}

/** With more that ended in a time than this, looking at the newest rows is faster. */
const NARROW = 20_000
/** With more labels that have a text than this, looking at the newest rows is faster. */
const FEW_LABELS = 20_000
/** Of the newest labels: with more that have a text than this, the index of labels is not looked at. */
const OFTEN = 50
/** Of a kind of commands: with more names than this, looking at the newest rows is faster. */
const FEW_NAMES = 200
/** How many of the newest failures, or labels, are read before the index of their texts is used. */
const LOOKED_AT = 1_000

const COUNT_ENDED = `SELECT count(*)::int AS count FROM (
  SELECT FROM executions x WHERE x.project = $2::int AND x.finished_at > $3::bigint AND x.finished_at < $4::bigint
    AND x.workspace = scope.workspace LIMIT ${NARROW}) AS s`
const NAMES = `WITH RECURSIVE names AS (
    (SELECT w.name, 1 AS n FROM pending w WHERE w.workspace = scope.workspace AND w.project = $2::int AND w.kind = $3::smallint
     ORDER BY w.name LIMIT 1)
    UNION ALL
    SELECT (SELECT w.name FROM pending w WHERE w.workspace = scope.workspace AND w.project = $2 AND w.kind = $3
            AND w.name > names.name ORDER BY w.name LIMIT 1), names.n + 1
    FROM names WHERE names.name IS NOT NULL AND names.n <= ${FEW_NAMES}
  ) SELECT name FROM names`

export type FindKeys = (
  query: ExecutionFilter & { readonly beforeKey?: number },
  now: number,
  most: number | undefined,
) => Promise<FoundKeys | undefined>

/**
 * `undefined`: nothing can match. `searching`: the same workspace, for `wes_worker`. PostgreSQL does not use the index of messages for a
 * role whose rows it has to check first. So that role finds keys alone, and `scope` finds what they belong to.
 */
export const createFindKeys = (scope: Scope, searching: Scope, findScope: FindScope): FindKeys => {
  const isNarrow = async ({ project }: FoundScope, { finishedAfter, finishedBefore }: ExecutionFilter) => {
    if (finishedAfter === undefined && finishedBefore === undefined) return false
    const time = [finishedAfter ?? 0, finishedBefore ?? Number.MAX_SAFE_INTEGER]
    const [row] = await scope.read<{ count: number }>(COUNT_ENDED, [project, ...time])
    return row!.count < NARROW
  }

  /** `undefined`: too many. */
  const namesOf = async ({ project }: FoundScope, kind: ExecutionFilter['waitingKind']) => {
    if (kind === undefined) return undefined
    if (kind === 'timer') return [null]
    const rows = await scope.read<{ name: string | null }>(NAMES, [project, openKindCodes.toCode(kind)])
    const names = rows.flatMap(({ name }) => (name === null ? [] : [name]))
    return names.length > FEW_NAMES ? undefined : names
  }

  /** A frequent text is found among the newest failures, a rare one through the index. */
  const failuresWith = async (
    of: Pick<Looking, 'found' | 'read'>,
    text: string,
    most: number | undefined,
  ): Promise<FoundFailures> => {
    if (most !== undefined) {
      const { sql, values } = recentWithText(of, text, most)
      const recent = await scope.readOnce<{ key: number }>(sql, values)
      if (recent.length === most) return `{${recent.map(({ key }) => key).join()}}`
    }
    const asked = searchable(text)
    const [found] = await searching.readOnce<{ keys: string | null }>(WITH_TEXT, [
      of.found.project,
      gramsAskedOf(asked),
      asked,
    ])
    return found?.keys ?? undefined
  }

  /** Keys of those that have the text in their label; `undefined`: too many. */
  const labelledWith = async ({ project }: FoundScope, label: string): Promise<string | undefined> => {
    const asked = searchable(label)
    const [newest] = await searching.readOnce<{ count: number }>(RECENT_LABELS, [project, asked])
    if (newest!.count > OFTEN) return undefined
    const values = [project, partsAskedOf(asked), asked]
    const [found] = await searching.readOnce<{ keys: string | null; count: number }>(WITH_LABEL, values)
    return found!.count === FEW_LABELS ? undefined : (found!.keys ?? '{}')
  }

  const choose = async (looking: Looking, most: number | undefined): Promise<string | undefined> => {
    const { found, read } = looking
    const { text, label, errorFingerprint, needsAttention, waitingKind, waitingName, triggerId, againOf } = read.filter
    const labelled = label === undefined ? undefined : await labelledWith(found, label)
    if (labelled !== undefined) return byLabel(looking, labelled)
    if (label !== undefined && !isNarrowed(read.filter)) return byNewestLabels(looking, label)
    if (text !== undefined && text !== '') {
      return byText(looking, text, isAmong(read, 'failed') ? await failuresWith(looking, text, most) : undefined)
    }
    if (againOf !== undefined) return byAgain(looking, againOf)
    if (errorFingerprint !== undefined) return byGroup(looking, errorFingerprint)
    if (needsAttention === true) return byAttention(looking)
    // The planner takes the index of Triggers.
    if (triggerId !== undefined) return byEnd(looking)
    if (waitingName !== undefined) return byNames(looking, kindsOf(waitingKind), [toStored(waitingName)])
    const names = await namesOf(found, waitingKind)
    if (names !== undefined) return byNames(looking, kindsOf(waitingKind), names)
    return (await isNarrow(found, read.filter)) ? byEnd(looking) : newest(looking)
  }

  return async (query, now, most) => {
    const read = readFilter(withoutTextOfAll(query, now), now)
    const { statuses, span, filter } = read
    const found = statuses.length === 0 || span.low >= span.high ? undefined : await findScope(filter)
    if (found === undefined) return undefined
    const parameters = createParameters()
    const limit = most === undefined ? 'ALL' : parameters.add(most, 'int')
    const sql = await choose({ found, read, parameters, limit }, most)
    if (sql === undefined) return undefined
    return { read: (select) => scope.readOnce(select(sql), parameters.values) }
  }
}

type Looking = {
  readonly found: FoundScope
  readonly read: ReadFilter
  readonly parameters: Parameters
  readonly limit: string
}

/** Their keys, as PostgreSQL writes an array: a million are 15 MB so, and 400 MB as rows. `undefined`: there are none. */
type FoundFailures = string | undefined

/**
 * A run of an index, from the newest key on. Compared as rows and ordered by all columns, because only that index gives this
 * order: otherwise the planner, which does not know how rare a status is, may walk through the primary key instead.
 */
const run = (columns: readonly string[], values: readonly string[], { low, high }: Span, parameters: Parameters) => {
  const row = `(${[...columns, 'x.key'].join(', ')})`
  const at = (key: string) => `(${[...values, key].join(', ')})`
  const [first, last] = [parameters.add(low, 'bigint'), parameters.add(high, 'bigint')]
  const from = (key: string) => `${row} >= ${at(key)} AND ${row} < ${at(last)}`
  return {
    condition: from(first),
    /** What has this key or a newer one. Another condition for the key would not shorten the run that is read. */
    conditionFrom: (key: string) => from(`greatest(${first}, ${key})`),
    order: [...columns, 'x.key'].map((column) => `${column} DESC`).join(', '),
  }
}

/** Merges the runs of keys that an index has for each status, or for each version and status. */
const newest = (
  { found, read, parameters, limit }: Looking,
  more: { readonly statuses?: readonly Status[]; readonly span?: Span; readonly conditions?: readonly string[] } = {},
): string => {
  const statuses = `unnest(${parameters.add(codesOf(more.statuses ?? read.statuses), 'smallint[]')}) AS s (status)`
  const span = more.span ?? read.span
  const conditions = ['x.workspace = scope.workspace', ...rowConditions(read, parameters), ...(more.conditions ?? [])]
  if (found.versions === undefined) {
    const project = parameters.add(found.project, 'int')
    const { condition, order } = run(['x.project', 'x.status'], [project, 's.status'], span, parameters)
    return `SELECT k.key, s.status FROM ${statuses} CROSS JOIN LATERAL (
        SELECT x.key FROM executions x WHERE ${and(condition, ...conditions)}
        ORDER BY ${order} LIMIT ${limit}) AS k ${newestFirst('k.key', limit)}`
  }
  const versions = `unnest(${parameters.add(found.versions, 'int[]')}) AS v (version)`
  const { condition, conditionFrom, order } = run(
    ['x.version', 'x.status'],
    ['v.version', 's.status'],
    span,
    parameters,
  )
  // The runs with the newest heads are enough, and nothing older than the oldest of these heads.
  return `WITH runs AS MATERIALIZED (
      SELECT v.version, s.status, h.key AS head FROM ${versions} CROSS JOIN ${statuses} CROSS JOIN LATERAL (
        SELECT x.key FROM executions x WHERE ${and(condition, ...conditions)} ORDER BY ${order} LIMIT 1) AS h
      ORDER BY h.key DESC LIMIT ${limit}
    ), lowest AS (SELECT CASE WHEN count(*) < ${limit === 'ALL' ? 'NULL' : limit} THEN 0 ELSE min(head) END AS head FROM runs)
    SELECT k.key, s.status FROM runs AS v CROSS JOIN LATERAL (SELECT v.status) AS s CROSS JOIN LATERAL (
      SELECT x.key FROM executions x WHERE ${and(conditionFrom(lowestHead(limit)), ...conditions)}
      ORDER BY ${order} LIMIT ${limit}) AS k ${newestFirst('k.key', limit)}`
}

const lowestHead = (limit: string): string => (limit === 'ALL' ? '0' : '(SELECT head FROM lowest)')

/** All of them need no order: they are counted. */
const newestFirst = (key: string, limit: string): string =>
  limit === 'ALL' ? '' : `ORDER BY ${key} DESC LIMIT ${limit}`

const union = (limit: string, ...selects: readonly string[]): string =>
  `SELECT DISTINCT u.key, u.status FROM (${selects.map((select) => `(${select})`).join(' UNION ALL ')}) AS u
   ${newestFirst('u.key', limit)}`

const byEnd = ({ found, read, parameters, limit }: Looking): string =>
  `SELECT x.key, x.status FROM executions x WHERE ${and(
    'x.workspace = scope.workspace',
    `x.project = ${parameters.add(found.project, 'int')}`,
    withStatuses(read.statuses, parameters),
    ...ofVersions(found, parameters),
    ...inSpan(read.span, 'x.key', parameters),
    ...rowConditions(read, parameters),
  )} ${newestFirst('x.key', limit)}`

/** Executions of one group after the other; there is one for each Program. */
const byGroup = ({ found, read, parameters, limit }: Looking, fingerprint: string): string =>
  `SELECT k.key, k.status FROM error_groups g CROSS JOIN LATERAL (
     SELECT x.key, x.status FROM executions x WHERE ${and(
       'x.error_group = g.key',
       ...ofVersions(found, parameters),
       ...inSpan(read.span, 'x.key', parameters),
       ...rowConditions(read, parameters),
     )} ${newestFirst('x.key', limit)}) AS k
   WHERE g.workspace = scope.workspace AND g.project = ${parameters.add(found.project, 'int')}
     AND g.fingerprint = ${parameters.add(toStored(fingerprint), 'text')}
   ${newestFirst('k.key', limit)}`

/** Runs of one Execution after those of the other. */
const byAgain = (looking: Looking, ids: readonly string[]): string => {
  const { found, read, parameters, limit } = looking
  // What is found so runs one of them again: the rest of the filter is left.
  const { againOf: _, ...filter } = read.filter
  const { condition, order } = run(['x.again_of COLLATE "C"'], ['a.id'], read.span, parameters)
  return `SELECT k.key, k.status FROM unnest(${parameters.add(ids.map(toStored), 'text[]')}) AS a (id) CROSS JOIN LATERAL (
     SELECT x.key, x.status FROM executions x WHERE ${and(
       condition,
       'x.again_of IS NOT NULL AND x.workspace = scope.workspace',
       `x.project = ${parameters.add(found.project, 'int')}`,
       withStatuses(read.statuses, parameters),
       ...ofVersions(found, parameters),
       ...rowConditions({ ...read, filter }, parameters),
       ...needingAttention(looking),
       ...ofGroup(read, parameters),
     )} ORDER BY ${order} LIMIT ${limit}) AS k ${newestFirst('k.key', limit)}`
}

const kindsOf = (kind: ExecutionFilter['waitingKind']): readonly number[] =>
  kind === undefined ? [openKindCodes.toCode('event'), openKindCodes.toCode('effect')] : [openKindCodes.toCode(kind)]

/** Through the index of what is waited for. */
const byNames = (
  { found, read, parameters, limit }: Looking,
  kinds: readonly number[],
  names: readonly (string | null)[],
): string => {
  // What is found so waits for one of the names: the rest of the filter is left.
  const { waitingKind: _, waitingName: __, ...filter } = read.filter
  const of = parameters.add(found.project, 'int')
  const [low, high] = [parameters.add(read.span.low, 'bigint'), parameters.add(read.span.high, 'bigint')]
  const isNamed = names.includes(null)
    ? `w.project = ${of} AND w.kind = d.kind AND w.name IS NULL AND w.execution >= ${low} AND w.execution < ${high}`
    : `(w.project, w.kind, w.name, w.execution) >= (${of}, d.kind, n.name, ${low})
       AND (w.project, w.kind, w.name, w.execution) < (${of}, d.kind, n.name, ${high})`
  // One row for each Execution, before the limit: it may wait thousands of times for the same.
  const columns = names.includes(null) ? ['w.execution'] : ['w.project', 'w.kind', 'w.name', 'w.execution']
  const order = columns.map((column) => `${column} DESC`).join(', ')
  return `SELECT DISTINCT k.key, k.status FROM unnest(${parameters.add(kinds, 'smallint[]')}) AS d (kind)
     CROSS JOIN unnest(${parameters.add(names, 'text[]')}) AS n (name) CROSS JOIN LATERAL (
       SELECT DISTINCT ON (${columns.join(', ')}) w.execution AS key, x.status FROM pending w CROSS JOIN LATERAL (
         SELECT x.status FROM executions x WHERE ${and(
           'x.key = w.execution',
           withStatuses(read.statuses, parameters),
           ...ofVersions(found, parameters),
           ...rowConditions({ ...read, filter }, parameters),
         )} OFFSET 0) AS x
       WHERE ${and('w.workspace = scope.workspace', isNamed)} ORDER BY ${order} LIMIT ${limit}) AS k
     ${newestFirst('k.key', limit)}`
}

const isAmong = ({ statuses }: ReadFilter, status: Status): boolean => statuses.includes(status)

/** Failed Executions, those whose effects back off (few), and those old enough to have waited for long. */
const byAttention = (looking: Looking): string => {
  const { read, parameters, limit } = looking
  const failed = isAmong(read, 'failed') ? [newest(looking, { statuses: ['failed'] })] : []
  if (!isAmong(read, 'waiting')) return union(limit, ...failed)
  const high = Math.min(read.span.high, firstKey(read.staleSince + 1))
  const stale = newest(looking, {
    statuses: ['waiting'],
    span: { ...read.span, high },
    conditions: [isStale(read.staleSince, parameters)],
  })
  return union(limit, ...failed, stale, retries(looking))
}

const retries = ({ found, read, parameters, limit }: Looking): string =>
  `SELECT DISTINCT w.execution AS key, x.status FROM pending w JOIN executions x ON x.key = w.execution WHERE ${and(
    'w.workspace = scope.workspace',
    `w.project = ${parameters.add(found.project, 'int')}`,
    'w.kind = 2 AND w.due_at IS NOT NULL AND x.status = 2',
    ...ofVersions(found, parameters),
    ...inSpan(read.span, 'w.execution', parameters),
    ...rowConditions(read, parameters),
  )} ${newestFirst('w.execution', limit)}`

/** `failures`: keys of those that have the text. */
const byText = (looking: Looking, text: string, failures: FoundFailures): string | undefined => {
  const { read, parameters, limit } = looking
  const ids = withIdPrefix(read, text, parameters)
  const selects = [
    ...(ids === undefined
      ? []
      : [
          newest(looking, {
            span: ids.span,
            conditions: [ids.condition, ...needingAttention(looking), ...ofGroup(read, parameters)],
          }),
        ]),
    ...(failures === undefined ? [] : [byErrorText(looking, failures)]),
  ]
  return selects.length === 0 ? undefined : union(limit, ...selects)
}

/** PostgreSQL refuses a statement with a parameter that it does not name: call it for a condition that is used. */
const needingAttention = ({ read, parameters }: Looking): readonly string[] =>
  read.filter.needsAttention === true
    ? [`(x.status = 5 OR ${isStale(read.staleSince, parameters)} OR ${backsOff})`]
    : []

const backsOff = 'EXISTS (SELECT FROM pending w WHERE w.execution = x.key AND w.kind = 2 AND w.due_at IS NOT NULL)'

const ofGroup = ({ filter: { errorFingerprint } }: ReadFilter, parameters: Parameters): readonly string[] =>
  errorFingerprint === undefined
    ? []
    : [
        `EXISTS (SELECT FROM error_groups g WHERE g.key = x.error_group
           AND g.fingerprint = ${parameters.add(toStored(errorFingerprint), 'text')})`,
      ]

/** What else those with a text must match. */
const ofText = ({ found, read }: Pick<Looking, 'found' | 'read'>, parameters: Parameters): readonly string[] => [
  `x.project = ${parameters.add(found.project, 'int')}`,
  ...ofVersions(found, parameters),
  ...inSpan(read.span, 'x.key', parameters),
  ...rowConditions(read, parameters),
  ...ofGroup(read, parameters),
]

const byErrorText = (looking: Looking, keys: string): string =>
  amongKeys(looking, keys, ofText(looking, looking.parameters))

/** `keys`: of those that have the text in their label. What else the filter asks for is looked up for each. */
const byLabel = (looking: Looking, keys: string): string => {
  const { read, parameters } = looking
  const { label: _, ...filter } = read.filter
  const rest = { ...looking, read: { ...read, filter } }
  return amongKeys(looking, keys, [
    withStatuses(read.statuses, parameters),
    ...ofText(rest, parameters),
    ...needingAttention(rest),
    ...withTextOrId(rest),
  ])
}

const amongKeys = ({ parameters, limit }: Looking, keys: string, conditions: readonly string[]): string =>
  `SELECT x.key, x.status FROM unnest(${parameters.add(keys, 'bigint[]')}) AS m (key) JOIN executions x ON x.key = m.key
    WHERE ${and('x.workspace = scope.workspace', ...conditions)} ${newestFirst('x.key', limit)}`

/** Whether it asks for something that an index of its own may find sooner than the label. */
const isNarrowed = (filter: ExecutionFilter): boolean => {
  const { statuses, text, errorFingerprint, needsAttention, waitingKind, waitingName, triggerId, againOf } = filter
  return (
    needsAttention === true ||
    [statuses, text, errorFingerprint, waitingKind, waitingName, triggerId, againOf].some(
      (asked) => asked !== undefined,
    )
  )
}

/** For a text that many labels have. */
const byNewestLabels = ({ found, read, parameters, limit }: Looking, label: string): string => {
  const { label: _, ...filter } = read.filter
  const project = parameters.add(found.project, 'int')
  const { low, high } = read.span
  const first = `(${project}, ${parameters.add(low, 'bigint')})`
  const last = `(${project}, ${parameters.add(high, 'bigint')})`
  const ofLabel = and(
    't.workspace = scope.workspace',
    `(t.project, t.execution) >= ${first} AND (t.project, t.execution) < ${last}`,
    `strpos(t.text, ${parameters.add(searchable(label), 'text')}) > 0`,
  )
  return `SELECT k.key, k.status FROM label_texts t CROSS JOIN LATERAL (
      SELECT x.key, x.status FROM executions x WHERE ${and(
        'x.key = t.execution',
        withStatuses(read.statuses, parameters),
        ...ofVersions(found, parameters),
        ...rowConditions({ ...read, filter }, parameters),
      )} OFFSET 0) AS k
    WHERE ${ofLabel} ${limit === 'ALL' ? '' : `ORDER BY t.project DESC, t.execution DESC LIMIT ${limit}`}`
}

const withTextOrId = ({ read, parameters }: Looking): readonly string[] => {
  const { text } = read.filter
  if (text === undefined || text === '') return []
  const ids = withIdPrefix(read, text, parameters)
  const byId = ids === undefined ? [] : [`(${and(ids.condition, ...inSpan(ids.span, 'x.key', parameters))})`]
  return [`(${[hasText(text, parameters), ...byId].join(' OR ')})`]
}

/** Those that have the text, among the newest failures. */
const recentWithText = (of: Pick<Looking, 'found' | 'read'>, text: string, most: number) => {
  const parameters = createParameters()
  const span = inSpan(of.read.span, 'x.key', parameters)
  const project = `x.project = ${parameters.add(of.found.project, 'int')}`
  const sql = `SELECT r.key FROM (
      SELECT * FROM executions x WHERE ${and('x.workspace = scope.workspace', project, 'x.status = 5', ...span)}
      ORDER BY x.key DESC LIMIT ${LOOKED_AT}) AS x CROSS JOIN LATERAL (SELECT x.key) AS r
    WHERE ${and(hasText(text, parameters), ...ofText(of, parameters))} ORDER BY r.key DESC LIMIT ${parameters.add(most, 'int')}`
  return { sql, values: parameters.values }
}

/** Through the index of messages. */
const WITH_TEXT = `SELECT array_agg(t.execution)::text AS keys FROM error_texts t WHERE t.workspace = scope.workspace
  AND t.grams @> ARRAY(SELECT a.gram # hashint4($2::int) FROM unnest($3::int[]) AS a (gram)) AND strpos(t.text, $4::text) > 0`

/** How many of the newest labels have it. */
const RECENT_LABELS = `SELECT count(*)::int AS count FROM (SELECT t.text FROM label_texts t
    WHERE t.workspace = scope.workspace AND t.project = $2::int ORDER BY t.execution DESC LIMIT ${LOOKED_AT}) AS n
  WHERE strpos(n.text, $3::text) > 0`

/** Through the index of labels. */
const WITH_LABEL = `SELECT array_agg(f.execution)::text AS keys, count(*)::int AS count FROM (
    SELECT t.execution FROM label_texts t WHERE t.workspace = scope.workspace
      AND t.grams @> ARRAY(SELECT hashtext(a.part COLLATE "C") # hashint4($2::int) FROM unnest($3::text[]) AS a (part))
      AND strpos(t.text, $4::text) > 0 LIMIT ${FEW_LABELS}) AS f`
