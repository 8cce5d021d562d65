/** The filters above the list of runs. */

import { Play } from 'lucide-react'
import type { ReactElement, RefObject } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../../client/browser.ts'
import { shortPath } from '../../parts/format.ts'
import {
  type ChangeChoice,
  type Grouping,
  groupings,
  isInView,
  type RunChoice,
  viewNames,
  views,
} from './run-filter.ts'

export interface RunFiltersProps {
  readonly choice: RunChoice
  readonly change: ChangeChoice
  /** The runs that are loaded: their loops and folders can be chosen. */
  readonly items: readonly RunSummary[]
  readonly nameField: RefObject<HTMLInputElement | null>
}

const groupingNames: Readonly<Record<Grouping, string>> = {
  none: 'No groups',
  repository: 'By repository',
  loop: 'By loop',
}

export function RunFilters({ choice, change, items, nameField }: RunFiltersProps): ReactElement {
  const loops = namesIn(
    items.map(({ run }) => run.loop),
    choice.loop,
  )
  const folders = namesIn(
    items.flatMap(({ run }) => run.repository ?? run.workspace ?? []),
    choice.workspace,
  )
  return (
    <header className="grid gap-3 px-4 pt-4 pb-3 md:px-6 md:pt-6">
      <div className="flex items-center gap-3">
        <h1 className="text-lg font-semibold">Runs</h1>
        <Link
          href="/start"
          className="ml-auto inline-flex items-center gap-1.5 rounded-md bg-accent px-2.5 py-1 font-medium text-on-accent hover:opacity-90"
        >
          <Play size={15} aria-hidden /> Start a run
        </Link>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">Which runs</legend>
          {views.map((view) => (
            <button
              key={view}
              type="button"
              aria-pressed={choice.view === view}
              onClick={() => change({ view })}
              className={`rounded-full px-2.5 py-0.5 ${choice.view === view ? 'bg-accent font-medium text-on-accent' : 'bg-sunken hover:text-accent'}`}
            >
              {viewNames[view]}
              <span className="ml-1.5 text-xs">
                {items.filter((item) => isInView(item, view)).length}
              </span>
            </button>
          ))}
        </fieldset>
        <div className="flex min-w-0 flex-wrap gap-2 md:ml-auto">
          <input
            ref={nameField}
            type="search"
            value={choice.name}
            onChange={({ target }) => change({ name: target.value })}
            placeholder="Name begins with"
            aria-label="Name begins with"
            className="w-40 rounded-md border border-line bg-panel px-2 py-1"
          />
          <Choice
            label="Loop"
            value={choice.loop}
            none="All loops"
            options={loops}
            onChange={(loop) => change({ loop })}
          />
          <Choice
            label="Folder"
            value={choice.workspace}
            none="All folders"
            options={folders}
            onChange={(workspace) => change({ workspace })}
          />
          <select
            aria-label="Groups"
            value={choice.group}
            onChange={({ target }) => change({ group: target.value as Grouping })}
            className="rounded-md border border-line bg-panel px-2 py-1"
          >
            {groupings.map((one) => (
              <option key={one} value={one}>
                {groupingNames[one]}
              </option>
            ))}
          </select>
        </div>
      </div>
    </header>
  )
}

const namesIn = (names: readonly string[], chosen: string): readonly string[] =>
  [...new Set(chosen === '' ? names : [...names, chosen])].toSorted()

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly none: string
  readonly options: readonly string[]
  onChange(value: string): void
}

const Choice = ({ label, value, none, options, onChange }: ChoiceProps): ReactElement => (
  <select
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className="max-w-44 rounded-md border border-line bg-panel px-2 py-1"
  >
    <option value="">{none}</option>
    {options.map((one) => (
      <option key={one} value={one}>
        {shortPath(one)}
      </option>
    ))}
  </select>
)
