import { classNames } from '../../ui/class-names.ts'

/** The head of a table of amounts: its first column names them. `looks`: classes of single headers. */
export const HeaderRow = ({
  headers,
  looks = {},
}: {
  readonly headers: readonly string[]
  readonly looks?: Readonly<Record<string, string>>
}) => (
  <thead>
    <tr className="text-xs text-faint">
      {headers.map((header) => (
        <th
          key={header}
          scope="col"
          className={classNames(
            'border-b border-line py-1 pl-4 text-right font-medium first:pl-0 first:text-left',
            looks[header],
          )}
        >
          {header}
        </th>
      ))}
    </tr>
  </thead>
)
