/** Chooses a loop file: those of known projects, or of another folder of the daemon's machine. */

import { type ReactElement, useState } from 'react'
import type { LoopEntry } from '../../../client/browser.ts'
import { Button } from '../../parts/button.tsx'
import { shortPath } from '../../parts/format.ts'
import { Field } from './field.tsx'

export interface ChooseLoopProps {
  readonly loops: readonly LoopEntry[]
  readonly file: string
  readonly folder: string
  readonly error: string | undefined
  onFile(file: string): void
  onFolder(folder: string): void
}

export function ChooseLoop(props: ChooseLoopProps): ReactElement {
  const { loops, file, folder, error, onFile, onFolder } = props
  const [typed, setTyped] = useState(folder)
  const [isOther, setIsOther] = useState(folder !== '')
  const projects = [...new Set(loops.map((loop) => loop.folder))]
  return (
    <section aria-label="Loop" className="grid gap-3">
      <label className="grid gap-1">
        <span className="font-medium">Loop</span>
        <select
          value={file}
          onChange={({ target }) => onFile(target.value)}
          className="w-full rounded-md border border-line bg-bg px-2 py-1.5"
        >
          <option value="" disabled>
            {loops.length === 0 ? 'No loop file here' : 'Choose a loop'}
          </option>
          {projects.map((project) => (
            <optgroup key={project} label={shortPath(project)}>
              {loops
                .filter((loop) => loop.folder === project)
                .map((loop) => (
                  <option key={loop.file} value={loop.file}>
                    {loop.name}
                    {loop.problem === undefined ? '' : ' (has problems)'}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      </label>
      {isOther ? (
        <form
          className="flex items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            onFolder(typed.trim())
          }}
        >
          <div className="min-w-0 flex-1">
            <Field
              label="Folder on the machine of the daemon"
              value={typed}
              placeholder="/home/me/shop"
              isMono
              error={error}
              onChange={setTyped}
            />
          </div>
          <Button type="submit">Find loops</Button>
        </form>
      ) : (
        <button
          type="button"
          onClick={() => setIsOther(true)}
          className="justify-self-start text-accent hover:underline"
        >
          Another folder
        </button>
      )}
    </section>
  )
}
