/** Finds a run by its name or loop, or a page. Ctrl K opens it. */

import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../parts/dialog.tsx'
import { Status, statusOf } from '../parts/status.tsx'
import { useRunList } from './queries.ts'

const resultsMax = 12
const pages = [
  ['Needs you', '/'],
  ['Runs', '/runs'],
  ['Loops and schedules', '/loops'],
  ['Start a run', '/start'],
  ['Merges', '/merges'],
  ['Machine', '/machine'],
] as const

export function Palette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [, go] = useLocation()
  const id = useId()
  const { items } = useRunList({})
  const wanted = text.trim().toLowerCase()
  const fits = (one: string): boolean => one.toLowerCase().includes(wanted)
  const results = [
    ...pages
      .filter(([name]) => fits(name))
      .map(([name, path]) => ({ name, path, item: undefined })),
    ...items
      .filter(({ run, line }) => [run.name, run.loop, run.id, line].some(fits))
      .map((item) => ({ name: item.run.name, path: `/runs/${item.run.name}`, item })),
  ].slice(0, resultsMax)
  const chosen = Math.min(at, results.length - 1)
  const open = (path: string): void => {
    onClose()
    go(path)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt(Math.min(chosen + 1, results.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(chosen - 1, 0))
    else if (event.key === 'Enter') open(results[chosen]?.path ?? '/')
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Find" onClose={onClose}>
      <input
        // The dialog was opened to type here.
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={results[chosen] === undefined ? undefined : `${id}-${chosen}`}
        aria-label="A run, a loop or a page"
        placeholder="A run, a loop or a page"
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
        className="w-full rounded-md border border-line bg-bg px-3 py-2"
      />
      <div
        id={id}
        role="listbox"
        aria-label="Results"
        className="mt-2 grid max-h-80 overflow-y-auto"
      >
        {results.map(({ name, path, item }, index) => (
          <div
            key={path}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => open(path)}
            onKeyDown={onKey}
            className={`flex cursor-pointer items-center gap-3 rounded px-2 py-1.5 ${index === chosen ? 'bg-accent-soft' : ''}`}
          >
            <span className="truncate font-medium">{name}</span>
            <span className="truncate text-muted">{item?.run.loop ?? 'Page'}</span>
            <span className="ml-auto text-xs">
              {item === undefined ? null : <Status shown={statusOf(item)} />}
            </span>
          </div>
        ))}
        {results.length === 0 ? <p className="p-2 text-muted">Nothing fits.</p> : null}
      </div>
    </Dialog>
  )
}
