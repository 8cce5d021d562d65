/** The ready loops for common chores: what each does, what it needs, and the command that adds it. */

import { CircleCheck } from 'lucide-react'
import type { ReactElement } from 'react'
import type { CatalogLoopEntry, LoopEntry } from '../../../client/browser.ts'
import { Command } from '../../parts/command.tsx'
import { shortCount, shortPath } from '../../parts/format.ts'

export interface CatalogSectionProps {
  readonly catalog: readonly CatalogLoopEntry[]
  readonly loops: readonly LoopEntry[]
}

const levelNames = { 1: 'reports', 2: 'asks you', 3: 'acts without you', earned: 'earns its level' }

const needNames: Readonly<Record<string, string>> = {
  git: 'a git repository',
  gh: 'GitHub and gh, logged in',
  'package registry': 'your package registry',
  checks: 'checks, such as tests',
}

export const CatalogSection = ({ catalog, loops }: CatalogSectionProps): ReactElement => (
  <section aria-labelledby="catalog" className="grid gap-2">
    <h2 id="catalog" className="font-semibold">
      Catalog
    </h2>
    <p className="text-muted">
      Ready loops for chores that every repository has. They report first. Add one in the folder of
      your repository; it then appears above.
    </p>
    <ul className="grid gap-2 lg:grid-cols-2">
      {catalog.map((entry) => {
        const added = loops.filter(({ name }) => name === entry.name)
        return (
          <li
            key={entry.name}
            className="grid content-start gap-1.5 rounded-xl border border-line bg-panel p-4"
          >
            <h3 className="font-semibold">{entry.name}</h3>
            <p>{entry.description}</p>
            <p className="text-[13px] text-muted">
              Suggested: {entry.cadence}, at most {shortCount(entry.dailyTokens)} tokens a day.
              Begins as one that {levelNames[entry.level]}; its action is {entry.action}.
            </p>
            <p className="text-[13px]">
              Needs {entry.needs.map((need) => needNames[need] ?? need).join(', ')}
            </p>
            {added.length === 0 ? (
              <Command text={`loopctl catalog add ${entry.name}`} />
            ) : (
              <p className="flex items-center gap-1.5 text-[13px] text-good">
                <CircleCheck size={14} aria-hidden /> Added in{' '}
                {added.map(({ folder }) => shortPath(folder)).join(', ')}
              </p>
            )}
          </li>
        )
      })}
    </ul>
  </section>
)
