import { Tabs as Base } from '@base-ui/react/tabs'
import type { ReactNode } from 'react'

export type Tab<Value extends string> = {
  readonly value: Value
  readonly label: string
  readonly count?: number | undefined
}

export type TabsProps<Value extends string> = {
  /** The accessible name of the list of tabs. */
  readonly label: string
  readonly tabs: readonly Tab<Value>[]
  readonly value: Value
  readonly onChange: (value: Value) => void
  /** Controls at the end of the row of tabs. */
  readonly aside?: ReactNode
  /** The panel of the chosen tab. */
  readonly children: ReactNode
}

export const Tabs = <Value extends string>({ label, tabs, value, onChange, aside, children }: TabsProps<Value>) => (
  <Base.Root value={value} onValueChange={(next: Value) => onChange(next)} className="flex min-h-0 flex-1 flex-col">
    <div className="flex items-center gap-3 border-b border-line px-5">
      <Base.List aria-label={label} className="flex gap-4">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            // Its name is what it leads to; how many there are describes it.
            aria-description={tab.count?.toLocaleString('en')}
            className="-mb-px flex h-9 items-center gap-1.5 border-b-2 border-transparent text-soft hover:text-ink data-active:border-accent data-active:font-medium data-active:text-ink"
          >
            {tab.label}
            {tab.count !== undefined && (
              <span aria-hidden="true" className="tabular text-xs text-faint beside-data">
                {tab.count.toLocaleString('en')}
              </span>
            )}
          </Base.Tab>
        ))}
      </Base.List>
      <div className="ml-auto flex items-center gap-2">{aside}</div>
    </div>
    <Base.Panel value={value} className="flex min-h-0 flex-1 flex-col focus-visible:outline-offset-[-2px]">
      {children}
    </Base.Panel>
  </Base.Root>
)
