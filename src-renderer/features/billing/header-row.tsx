/** The head of a table of amounts: its first column names them. */
export const HeaderRow = ({ headers }: { readonly headers: readonly string[] }) => (
  <thead>
    <tr className="text-xs text-faint">
      {headers.map((header) => (
        <th
          key={header}
          scope="col"
          className="border-b border-line py-1 pl-4 text-right font-medium first:pl-0 first:text-left"
        >
          {header}
        </th>
      ))}
    </tr>
  </thead>
)
