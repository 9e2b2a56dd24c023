import { classNames } from '../../ui/class-names.ts'

/** The head of a table of amounts: its first column names them. `wideOnly`: left out where the page is narrow. */
export const HeaderRow = ({
  headers,
  wideOnly,
}: {
  readonly headers: readonly string[]
  readonly wideOnly?: string
}) => (
  <thead>
    <tr className="text-xs text-faint">
      {headers.map((header) => (
        <th
          key={header}
          scope="col"
          className={classNames(
            'border-b border-line py-1 pl-4 text-right font-medium first:pl-0 first:text-left',
            header === wideOnly && 'max-md:hidden',
          )}
        >
          {header}
        </th>
      ))}
    </tr>
  </thead>
)
