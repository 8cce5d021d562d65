/** What the keyboard does. */

import type { ReactElement } from 'react'
import { Dialog } from '../parts/dialog.tsx'

const groups: Readonly<Record<string, readonly (readonly [keys: string, what: string])[]>> = {
  Everywhere: [
    ['Ctrl K', 'Find a run or a page'],
    ['g n', 'Needs you'],
    ['g r', 'Runs'],
    ['g l', 'Loops and schedules'],
    ['g q', 'Merges'],
    ['g m', 'Machine'],
    ['n', 'Start a run'],
    ['?', 'This help'],
  ],
  'Lists and questions': [
    ['j  k', 'Next, previous'],
    ['Enter', 'Open'],
    ['/', 'Filter by name'],
    ['a', 'Accept'],
    ['e', 'Edit'],
    ['r', 'Respond'],
    ['x', 'Reject'],
  ],
  'A run': [
    ['1 – 9', 'Its parts, from left to right'],
    ['0', 'What its loop shows, such as the plan'],
    ['p', 'Pause or resume'],
    ['t', 'Tell its agent something'],
    ['u', 'Back to the runs'],
  ],
}

export const ShortcutHelp = ({ onClose }: { readonly onClose: () => void }): ReactElement => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <div className="grid gap-4">
      {Object.entries(groups).map(([title, rows]) => (
        <section key={title}>
          <h3 className="mb-1 text-xs font-semibold text-muted">{title}</h3>
          <dl className="grid grid-cols-[6rem_1fr] gap-y-1">
            {rows.map(([keys, what]) => (
              <div key={keys} className="contents">
                <dt>
                  <kbd className="rounded border border-line bg-sunken px-1.5 font-mono text-xs">
                    {keys}
                  </kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  </Dialog>
)
